"""The bytes of a plan file: JSON that the schema allows, or a reason why it is no plan."""

import json
from functools import cache
from typing import Any

from suture.model.errors import BadPlan
from suture.schemas import text

SCHEMA = "suture.plan/1"


def document(data: bytes) -> Any:
    found = _parse(data)
    _check(found)
    return found


def _parse(data: bytes) -> Any:
    try:
        return json.loads(data, object_pairs_hook=_object, parse_constant=_no_constant)
    except RecursionError:
        raise BadPlan("not a plan: nested too deep") from None
    except ValueError as error:
        raise BadPlan(f"not a plan: {error}") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError(f"a key stands twice in one object, among {', '.join(sorted(found))[:80]}")
    return found


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _check(document: Any) -> None:
    if not isinstance(document, dict) or "schema" not in document:
        raise BadPlan("not a plan: it names no schema")
    if document["schema"] != SCHEMA:
        name, maker = str(document["schema"])[:80], str(document.get("suture", "unknown"))[:80]
        raise BadPlan(
            f"the plan was made by suture {maker} as {name}, this one reads {SCHEMA}; plan again"
        )
    first = next(iter(_validator().iter_errors(document)), None)
    if first is not None:
        while first.context:  # the branch that was meant, not the choice itself
            first = first.context[0]
        raise BadPlan(f"the plan is not valid at {first.json_path}: {first.message[:200]}")


@cache
def _validator() -> Any:
    # Late: loading it takes longer than a small check, and only reading a plan needs it.
    import jsonschema  # type: ignore[import-untyped]  # noqa: PLC0415

    return jsonschema.Draft202012Validator(json.loads(text("plan.schema.json")))
