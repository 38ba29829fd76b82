"""What the walk makes of a record of each type."""

from msgspec import Struct
from msgspec.structs import replace

from suture.stores.codex.events import HANDLERS
from suture.stores.codex.items import ITEMS, item, unknown, unknown_item
from suture.stores.codex.rollout import Handle
from suture.stores.codex.vocabulary import TYPES

_OUTPUT = frozenset({"reply", "reasoning", "call"})  # of a model, within one response
_ENDS_RESPONSE = frozenset({"result", "prompt", "injected", "turn_start", "boundary", "header"})
_SENT = _OUTPUT | {"prompt", "injected", "result", "summary", "boundary"}
_MESSAGE = "response_item/message"
_MORE_TOOLS = "response_item/additional_tools"  # sent as well (measured on 0.171)


class Meaning(Struct, frozen=True, gc=False):
    code: int  # in TYPES
    kind: str
    is_output: bool
    ends_response: bool
    handle: Handle | None


def _meaning(code: int, full_type: str, kind: str) -> Meaning:
    if full_type.startswith("response_item/"):
        handle: Handle | None = ITEMS.get(full_type, ITEMS.get(kind, item))
    else:
        handle = HANDLERS.get(full_type)
    return Meaning(code, kind, kind in _OUTPUT, kind in _ENDS_RESPONSE, handle)


_ALL = [_meaning(code, *named) for code, named in enumerate(TYPES)]
_UNKNOWN = replace(_ALL[0], handle=unknown)
_UNKNOWN_ITEM = replace(_ALL[0], handle=unknown_item)
MESSAGES = {found.kind: found for found in _ALL if TYPES[found.code][0] == _MESSAGE}
# for each code 1 if such a record may reach the model
IS_SENT = bytes(found.kind in _SENT or TYPES[found.code][0] == _MORE_TOOLS for found in _ALL).ljust(
    256, b"\0"
)


class _Meanings(dict[tuple[str | None, str | None], Meaning]):
    """By the types of the line and of its payload."""

    def __missing__(self, key: tuple[str | None, str | None]) -> Meaning:
        line_type, _ = key
        if line_type == "response_item":
            return _UNKNOWN_ITEM
        return self.get((line_type, None), _UNKNOWN)


def _by_types() -> _Meanings:
    found = _Meanings()
    for meaning in _ALL[:0:-1]:  # of the three of a message the first one stays
        line_type, _, payload_type = TYPES[meaning.code][0].partition("/")
        found[line_type, payload_type or None] = meaning
    return found


MEANINGS = _by_types()
