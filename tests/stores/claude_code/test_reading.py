"""Transcripts become rows."""

from pathlib import Path

import pytest
import transcripts as t

PARALLEL = [
    t.prompt("p", None, 0),
    t.call("c1", "p", 1, "toolu_1", "msg_a", "Read"),
    t.call("c2", "c1", 2, "toolu_2", "msg_a"),
    t.result("r2", "c2", 3, "toolu_2"),
    t.result("r1", "c1", 4, "toolu_1"),
    t.reply("end", "r1", 5),
]


def column(rows: list[t.Json], name: str) -> list[object]:
    return [row[name] for row in rows]


def test_a_record_keeps_its_place_links_and_kind(tmp_path: Path) -> None:
    path = t.write(tmp_path, *PARALLEL)
    rows = t.read(path)
    data = path.read_bytes()
    assert column(rows["record"], "kind") == ["prompt", "call", "call", "result", "result", "reply"]
    for row, value in zip(rows["record"], PARALLEL, strict=True):
        assert data[row["offset"] : row["offset"] + row["length"]] == t.dump(value)[:-1]
        assert (row["id"], row["parent"]) == (value["uuid"], value["parentUuid"])
    (session,) = rows["session"]
    assert (session["id"], session["name_id"], session["header_id"]) == (t.SESSION,) * 3
    assert (session["version"], session["cwd"]) == ("2.1.197", "/home/dev/shop")
    assert session["leaf"] == 5


def test_siblings_of_a_parallel_batch_are_on_the_chain(tmp_path: Path) -> None:
    # result 2 hangs off call 2's line, which a plain walk from the reply passes by
    assert t.live(t.write(tmp_path, *PARALLEL)) == [0, 1, 2, 3, 4, 5]


def test_calls_and_results_carry_their_batch_and_what_a_tool_may_change(tmp_path: Path) -> None:
    rows = t.read(t.write(tmp_path, *PARALLEL))
    assert [(c["call_id"], c["side_effect"], c["batch"]) for c in rows["call"]] == [
        ("toolu_1", "none", "msg_a"),
        ("toolu_2", "unknown", "msg_a"),
    ]
    assert column(rows["result"], "call_id") == ["toolu_2", "toolu_1"]
    assert not any(r["placeholder"] or r["marked"] or r["server"] for r in rows["result"])


def test_a_response_of_several_lines_is_one_step_with_its_largest_usage(tmp_path: Path) -> None:
    early = t.call("c1", "p", 1, "toolu_1", "msg_a")
    early["message"]["usage"] = {"input_tokens": 10, "output_tokens": 1}
    path = t.write(tmp_path, t.prompt("p", None, 0), early, *PARALLEL[2:])
    step = t.read(path)["step"][0]
    assert (step["first_n"], step["last_n"], step["output_tokens"]) == (1, 2, 5)
    assert step["cache_read_tokens"] == 100


@pytest.mark.parametrize(
    ("hint", "leaf"),
    [(None, 2), ("a", 1), ("p", 2), ("nowhere", 2)],
    ids=["last in the file", "a pointer wins", "unless it is an ancestor", "or names nothing"],
)
def test_which_leaf(tmp_path: Path, hint: str | None, leaf: int) -> None:
    branches = [t.prompt("p", None, 0), t.reply("a", "p", 9), t.reply("b", "p", 1)]
    pointer = [] if hint is None else [t.last_prompt(hint)]
    rows = t.read(t.write(tmp_path, *branches, *pointer))
    assert rows["session"][0]["leaf"] == leaf
    named = {r["key"]: r["n"] for r in rows["state_kv"] if r["scope"] == "leaf"}
    assert (named["R1"], named["R2"]) == (1, 2)
    assert named.get("R3") == {None: None, "a": 1, "p": 0, "nowhere": None}[hint]


@pytest.mark.parametrize(("second", "bridged"), [(6, True), (7, False)])
def test_a_missing_parent_is_bridged_over_five_seconds(
    tmp_path: Path, second: int, bridged: bool
) -> None:
    path = t.write(
        tmp_path,
        t.prompt("p", None, 0),
        t.reply("a", "p", 1),
        t.prompt("q", "never written", second),
        t.reply("b", "q", second + 1),
    )
    assert t.live(path) == ([0, 1, 2, 3] if bridged else [2, 3])


def test_what_compaction_cut_stays_on_the_chain_and_is_not_sent(tmp_path: Path) -> None:
    path = t.write(
        tmp_path,
        t.prompt("p", None, 0),
        t.reply("a", "p", 1),
        t.boundary("cut", "a", 2),
        t.prompt("sum", "cut", 3, "in short", isCompactSummary=True),
        t.prompt("q", "sum", 4),
        t.reply("b", "q", 5),
    )
    assert t.live(path) == [0, 1, 2, 3, 4, 5]
    assert t.sent(path) == [3, 4, 5]
    (compaction,) = t.read(path)["compaction"]
    assert (compaction["n"], compaction["summary_n"], compaction["talk_before"]) == (2, 3, 2)


def test_a_preserved_segment_is_sent_though_it_stands_before_the_boundary(tmp_path: Path) -> None:
    kept = {"headUuid": t.uid("q"), "anchorUuid": t.uid("sum"), "tailUuid": t.uid("b")}
    path = t.write(
        tmp_path,
        t.prompt("p", None, 0),
        t.reply("a", "p", 1),
        t.prompt("q", "a", 2),
        t.reply("b", "q", 3),
        t.boundary("cut", "b", 4, preservedSegment=kept),
        t.prompt("sum", "cut", 5, "in short", isCompactSummary=True),
        t.prompt("r", "b", 6),  # hangs off the old tail and passes the boundary by
        t.reply("c", "r", 7),
    )
    assert t.sent(path) == [2, 3, 5, 6, 7]
    states = {r["key"]: r["value"] for r in t.read(path)["state_kv"] if r["scope"] == "preserved"}
    assert states == dict.fromkeys((t.uid("q"), t.uid("sum"), t.uid("b")), "kept")


def test_sidechains_have_a_lane_of_their_own_and_never_win(tmp_path: Path) -> None:
    path = t.write(
        tmp_path,
        t.prompt("p", None, 0),
        t.reply("a", "p", 1),
        t.prompt("s", None, 2, isSidechain=True, agentId="a1"),
        t.prompt("s2", "s", 3, isSidechain=True),
    )
    rows = t.read(path)
    assert column(rows["record"], "lane") == ["main", "main", "a1", "side"]
    assert (rows["session"][0]["leaf"], t.live(path)) == (1, [0, 1])


def test_records_that_stand_again(tmp_path: Path) -> None:
    first = t.prompt("p", None, 0)
    envelope = first | {"slug": "kind-owl", "timestamp": "2026-03-02T09:00:09.000Z"}
    other = first | {"message": {"role": "user", "content": "something else"}}
    rows = t.read(t.write(tmp_path, first, first, envelope, other))["record"]
    assert [(r["copy_of"], r["copy_kind"], r["same_id"]) for r in rows] == [
        (None, None, None),
        (0, "identical", None),
        (0, "envelope", None),
        (None, None, 0),
    ]


def test_a_repeated_call_is_one_call(tmp_path: Path) -> None:
    lines = [t.prompt("p", None, 0), t.call("c", "p", 1, "toolu_1", "msg_a")]
    answer = t.result("r", "c", 2, "toolu_1")
    rows = t.read(t.write(tmp_path, *lines, answer, lines[1], answer))
    assert (len(rows["call"]), len(rows["result"])) == (1, 1)


def test_two_results_of_one_call_have_digests_to_compare(tmp_path: Path) -> None:
    path = t.write(
        tmp_path,
        *PARALLEL[:5],
        t.result("again", "c1", 6, "toolu_1"),
        t.result("other", "c1", 7, "toolu_1", "no"),
    )
    digests = {r["n"]: r["digest"] for r in t.read(path)["result"]}
    assert digests[3] is None  # of a call that is answered once
    assert digests[4] == digests[5] != digests[6]


def test_placeholders_and_our_own_answers_are_told_from_results(tmp_path: Path) -> None:
    texts = ["[Tool result missing due to internal error]", "[suture] unknown", "[1] ok"]
    lines = [t.result(f"r{i}", "p", i, f"toolu_{i}", text) for i, text in enumerate(texts)]
    lines.append(t.result("r3", "p", 3, "toolu_3", "(nothing)", isSynthetic=True))
    nested = t.result("r4", "p", 4, "toolu_4")
    nested["message"]["content"][0]["content"] = [{"type": "text", "text": texts[0]}]
    rows = t.read(t.write(tmp_path, *lines, nested))["result"]
    assert column(rows, "placeholder") == [True, True, False, True, True]
    assert column(rows, "marked") == [False, True, False, False, False]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"name": "ba\0sh"}, "a name that the provider refuses"),
        ({"name": ""}, "no name"),
        ({"id": ""}, "no id"),
        ({"input": "{}"}, "arguments that are not an object"),
        ({"name": "n" * 128}, None),
    ],
)
def test_calls_that_cannot_be_replayed(tmp_path: Path, change: t.Json, why: str | None) -> None:
    block = t.tool_use("toolu_1") | change
    rows = t.read(t.write(tmp_path, t.assistant("c", "p", 0, "msg_a", block)))
    assert column(rows["call"], "malformed") == [why]


def test_halves_of_a_server_tool_are_told_from_client_tools(tmp_path: Path) -> None:
    use = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
    found = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    rows = t.read(t.write(tmp_path, t.assistant("c", "p", 0, "msg_a", use, found)))
    assert column(rows["call"], "server") == column(rows["result"], "server") == [True]


def test_lines_that_hang_on_no_chain(tmp_path: Path) -> None:
    lines: list[t.Json] = [
        {"type": "mode", "mode": "normal", "sessionId": t.SESSION},
        {"type": "custom-title", "customTitle": "shop", "sessionId": t.SESSION},
        {"type": "queue-operation", "operation": "enqueue", "content": 'n"ext', "sessionId": "x"},
        {"type": "file-history-snapshot", "messageId": t.uid("p"), "snapshot": {}},
        t.line("hologram", "h", "p", 1),
        t.prompt("p", None, 0),
    ]
    rows = t.read(t.write(tmp_path, *lines))
    assert column(rows["record"], "kind") == ["index"] * 4 + ["unknown", "prompt"]
    assert column(rows["record"], "chained") == [False] * 5 + [True]
    assert column(rows["record"], "same_id") == [None] * 6
    states = {(r["scope"], r["key"]): r["value"] for r in rows["state_kv"]}
    assert states["title", "custom-title"] == "shop"
    assert states["queue", "enqueue"] == 'n"ext'


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"message": {"role": "user", "content": "[Request interrupted by user]"}}, "abort"),
        ({"message": {"role": "user", "content": "<command-name>/compact"}}, "injected"),
        ({"isMeta": True}, "injected"),
        ({"isCompactSummary": True}, "summary"),
        ({"type": "attachment", "attachment": {"type": "file"}}, "injected"),
        ({"type": "progress", "data": {}}, "event"),
        ({"type": "system", "subtype": "turn_duration"}, "notice"),
    ],
)
def test_kinds(tmp_path: Path, change: t.Json, kind: str) -> None:
    rows = t.read(t.write(tmp_path, t.prompt("p", None, 0) | change))["record"]
    assert column(rows, "kind") == [kind]


def test_a_foreign_session_id_is_named(tmp_path: Path) -> None:
    foreign = t.prompt("p", None, 0) | {"sessionId": "other"}
    rows = t.read(t.write(tmp_path, foreign, t.reply("a", "p", 1)))
    assert column(rows["record"], "names_session") == ["other", None]


def test_a_full_pass_keeps_every_block_verbatim(tmp_path: Path) -> None:
    text = '{"type":"text", "text":"na\\u00efve", "extra":1.0}'
    whole = t.dump(t.reply("a", "p", 1, "here"))
    odd = whole.replace(b'{"type":"text","text":"here"}', text.encode())
    rows = t.read(t.write(tmp_path, t.prompt("p", None, 0, "go"), odd), full=True)["part"]
    assert [(r["n"], r["type"], r["text"]) for r in rows] == [
        (0, "text", "go"),
        (1, "text", "naïve"),
    ]
    assert column(rows, "data") == [b'"go"', text.encode()]


def test_without_a_full_pass_there_is_no_text(tmp_path: Path) -> None:
    assert "part" not in t.read(t.write(tmp_path, *PARALLEL))
