"""A plan names lines as they are before it is carried out, whatever the rounds before took out."""

from pathlib import Path

from suture import api
from suture.model.operation import Policy
from suture.model.place import Span
from suture.model.scope import Scope, Wanted

SESSION = "5b1c0f52-7a0e-4a57-9b60-3d1f2c8f9a01"
ENVELOPE = '{"parentUuid":%s,"isSidechain":false,"sessionId":"%s","version":"2.1.197","type":"%s",'
CALL = '{"type":"tool_use","id":"toolu_a","name":"Bash","input":{}}'


def line(parent: str | None, uuid: str, kind: str, content: str, usage: str = "1") -> str:
    head = ENVELOPE % (f'"{parent}"' if parent else "null", SESSION, kind)
    answer = f'"id":"msg_{uuid}","usage":{{"output_tokens":{usage}}},' if kind != "user" else ""
    message = f'"message":{{{answer}"role":"{kind}","content":{content}}}'
    return f'{head}{message},"uuid":"{uuid}","timestamp":"2026-03-02T09:00:07.000Z"}}'


def test_lines_of_later_rounds(tmp_path: Path) -> None:
    store = tmp_path / f"{SESSION}.jsonl"
    talk = [
        line(None, "a", "user", '"Deploy it"'),
        '{"type":"user","mess',
        line("a", "b", "assistant", f"[{CALL}]"),
        line("gone", "c", "user", '"Go on"'),
        line("c", "d", "assistant", '[{"type":"text","text":"Done."}]', usage="NaN"),
        '{"type":"last-prompt","leafUuid":"lost"}',
    ]
    store.write_text("\n".join(talk) + "\n")
    scope = Scope((str(store),), assume="dead", now=1_800_000_000_000_000)
    places = {
        item.finding.fingerprint: item.finding.place
        for item in api.check(scope, tmp_path / "journal").findings
    }
    plan = api.plan(scope, Wanted(Policy.ANSWER), tmp_path / "plan.json")
    (unit,) = plan.units
    findings = [f for step in unit.steps for f in step.findings]
    findings += [skip.finding for skip in unit.skipped]
    named = {f.rule: f.place for f in findings if f.fingerprint in places}
    assert named == {f.rule: places[f.fingerprint] for f in findings if f.fingerprint in places}
    lines = {rule: place.line for rule, place in named.items() if isinstance(place, Span)}
    assert lines == {
        "bad-json": 2,
        "orphan-call-mid": 3,
        "dangling-parent": 4,
        "bad-number": 5,
        "dangling-leaf": 6,
    }


def test_messages_of_later_rounds(tmp_path: Path) -> None:
    """They name lines, too."""
    store = tmp_path / f"{SESSION}.jsonl"
    reply = line("a", "b", "assistant", '[{"type":"text","text":"Done."}]')
    talk = [line(None, "a", "user", '"Deploy it"'), '{"type":"user","mess', reply, reply]
    store.write_text("\n".join([*talk, line("b", "c", "user", '"Go on"')]) + "\n")
    scope = Scope((str(store),), assume="dead", now=1_800_000_000_000_000)
    checked = api.check(scope, tmp_path / "journal").findings
    (said,) = (item.finding.message for item in checked if item.finding.rule == "dup-block")
    assert said.endswith("first at line 3")
    (unit,) = api.plan(scope, Wanted(Policy.ANSWER), tmp_path / "plan.json").units
    findings = [f for step in unit.steps for f in step.findings]
    assert [f.message for f in findings if f.rule == "dup-block"] == [said]
