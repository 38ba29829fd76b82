"""A turn that a kill cut off, and the answer in what was added to it."""

import transcripts as t

from suture.model.operation import (
    Outcome,
)

UNKNOWN = Outcome.UNKNOWN

KILLED = [
    t.prompt("p", None, 0),
    t.call("a", "p", 1, "toolu_0", "msg_0"),
    t.result("r", "a", 2, "toolu_0"),
    t.call("c1", "r", 3, "toolu_1", "msg_1"),
    t.call("c2", "c1", 4, "toolu_2", "msg_1"),
]


def result_of(data: bytes, call_id: str) -> t.Json:
    return next(
        value
        for value in t.records(data)
        if value["type"] == "user"
        and isinstance(value["message"]["content"], list)
        and value["message"]["content"][0]["tool_use_id"] == call_id
    )
