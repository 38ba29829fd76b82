"""What suture knows without reading anything: its rules and its stores."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from inspect import cleandoc

from suture import stores as known
from suture import validators
from suture.stores import Store
from suture.validators import Rule


def rules() -> Sequence[Rule]:
    return validators.all_rules()


def rule_page(rule: Rule) -> str:
    """The rule's page: what it is, why it matters, an example, the repair."""
    module = import_module(f"{validators.__name__}.{rule.name.replace('-', '_')}")
    return cleandoc(module.__doc__ or "")


def stores() -> Sequence[Store]:
    return known.all_stores()


def abilities(store: Store) -> Mapping[str, known.Ability]:
    """What can be done with its sessions: read, check, plan, apply, migrate."""
    return known.abilities(store)


def stores_table() -> str:
    """What each store supports, for a terminal."""
    return known.in_columns(stores())


def stores_markdown() -> str:
    """The README's table of formats."""
    return known.in_markdown(stores())


def mapping_template() -> str:
    """A commented mapping file, to be made to fit the tables of a schema of one's own."""
    from suture import mapping

    return mapping.template()


def rules_markdown() -> str:
    """All rule pages as one Markdown document (docs/rules.md)."""
    pages = ["# Rules\n"]
    for rule in rules():
        page = rule_page(rule).replace("\n## ", "\n### ")
        pages.append(f"## {rule.code} {rule.name} ({rule.severity.label})\n\n{page}\n")
    return "\n".join(pages)
