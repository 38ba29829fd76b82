"""The rules. Each module here is one rule and exports RULE."""

import pkgutil
from functools import cache
from importlib import import_module

from suture.validators._rule import Hit, Look, Options, Rule

__all__ = ["Hit", "Look", "Options", "Rule", "all_rules"]


@cache
def all_rules() -> tuple[Rule, ...]:
    names = (m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_"))
    rules = (import_module(f"{__name__}.{name}").RULE for name in names)
    return tuple(sorted(rules, key=lambda rule: rule.code))
