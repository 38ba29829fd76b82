"""Schemas of other shapes: blocks of content, tables of summaries, chains of hashes."""

import json
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest

Open = Callable[[str, str], Any]


def test_content_blocks_are_told_apart_by_where(service: Open) -> None:
    blocks = [
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "t1", "name": "grep", "input": {}},
    ]
    answer = [{"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": "no"}]
    store = service(
        "create table turns (chat text, nr integer, who text, blocks text, primary key (chat, nr));"
        f"insert into turns values ('a', 1, 'human', 'look'), "
        f"('a', 2, 'model', '{json.dumps(blocks)}'), ('a', 3, 'human', '{json.dumps(answer)}');",
        """
        [message]
        table = "turns"
        session = "chat"
        ordinal = "nr"
        payload = "blocks"
        role = "who"
        [message.kinds]
        prompt = "human"
        reply = "model"
        [call]
        each = "$[*]"
        where = { "@.type" = "tool_use" }
        id = "@.id"
        name = "@.name"
        arguments = "@.input"
        [result]
        each = "$[*]"
        where = { "@.type" = "tool_result" }
        id = "@.tool_use_id"
        error = "@.is_error"
        """,
    )
    assert store.ask("select kind from record order by n") == [("prompt",), ("call",), ("result",)]
    assert store.ask("select call_id, status from result") == [("t1", "error")]
    assert store.found() == []


@pytest.mark.parametrize(
    ("columns", "keys"),
    [
        ("lo integer, hi integer", 'from = "lo"\nto = "hi"'),
        ("lo integer, hi integer", 'covers = "lo"'),
    ],
    ids=["a range", "an ordinal a row"],
)
def test_what_a_summary_covers(service: Open, columns: str, keys: str) -> None:
    rows = "(4, 1, 2)" if "to" in keys else "(4, 1, 0), (4, 2, 0)"
    store = service(
        f"""
        create table said (s text, n integer, kind text, t text, live integer);
        create table made (s text default 'x', at integer, {columns});
        insert into said values ('x', 1, 'user', 'a', 0), ('x', 2, 'bot', 'b', 0),
          ('x', 3, 'user', 'c', 1), ('x', 4, 'short', 'a, b', 1);
        insert into made (at, lo, hi) values {rows};
        """,
        f"""
        [message]
        table = "said"
        session = "s"
        ordinal = "n"
        payload = "t"
        kind = "kind"
        active = "live"
        dense = true
        [message.kinds]
        prompt = "user"
        reply = "bot"
        summary = "short"
        [summary]
        table = "made"
        session = "s"
        message = "at"
        {keys}
        """,
    )
    assert store.found() == []
    store.run("delete from said where n = 2")
    assert store.found() == ["missing-originals"]
    store.run("update said set live = 1 where n = 1")
    assert sorted(store.found()) == ["missing-originals", "window-overlap"]


HASHED = """
create table m (s text, n integer, who text, t text, h text);
insert into m values ('x', 1, 'u', 'a', null), ('x', 2, 'b', 'b', '{b}'), ('x', 3, 'u', 'c', null);
""".replace("{b}", "92eb5ffee6ae2fec3ad71c777531578f")  # md5 of b


@pytest.mark.parametrize(
    ("null", "rows"), [("allowed", []), ("before-chaining", [3]), ("missing", [1, 3])]
)
def test_what_a_null_hash_means(service: Open, null: str, rows: list[int]) -> None:
    mapping = f"""
        [message]
        table = "m"
        session = "s"
        ordinal = "n"
        payload = "t"
        role = "who"
        [message.kinds]
        prompt = "u"
        reply = "b"
        [hash]
        algorithm = "md5"
        null = "{null}"
        content = {{ column = "h", of = ["t"] }}
    """
    store = service(HASHED, mapping)
    assert [f.rule for f in store.findings()] == ["hash-mismatch"] * len(rows)
    assert [json.loads(f.place.key)["rowid"] for f in store.findings()] == rows


def test_a_summary_in_the_table_of_the_messages_itself(service: Open) -> None:
    store = service(
        """
        create table m (s text, n integer, who text, t text, stands_for text, primary key (s, n));
        insert into m values ('x', 1, 'u', 'a', null), ('x', 2, 'b', 'b', null),
          ('x', 3, 'sum', 'ab', '[1,2]'), ('x', 4, 'u', 'c', null);
        """,
        """
        summary = { table = "m", session = "s", message = "n", covers = "stands_for" }
        [message]
        table = "m"
        session = "s"
        ordinal = "n"
        payload = "t"
        role = "who"
        kinds = { prompt = "u", reply = "b", summary = "sum" }
        """,
    )
    assert store.ask("select n, sent from record order by n") == [
        *[(0, False), (1, False)],
        *[(2, True), (3, True)],
    ]
    assert store.found() == []
    store.run("update m set stands_for = '[1' where n = 3")
    assert "bad-shape" in store.found()


def test_a_chain_without_a_hash_of_the_content_is_checked(service: Open) -> None:
    first = sha256(b"|a").hexdigest()
    second = sha256(f"{first}|b".encode()).hexdigest()
    store = service(
        "create table m (s text, n integer, who text, t text, p text, h text, primary key (s, n));"
        f"insert into m values ('x', 1, 'u', 'a', '', '{first}'),"
        f"  ('x', 2, 'b', 'b', '{first}', '{second}');",
        """
        [message]
        table = "m"
        session = "s"
        ordinal = "n"
        payload = "t"
        role = "who"
        kinds = { prompt = "u", reply = "b" }
        [hash]
        chain = { column = "h", previous = "p", of = ["p", "t"] }
        """,
    )
    assert store.found() == []
    store.run("update m set t = 'c' where n = 2")
    assert store.found() == ["hash-mismatch"]
