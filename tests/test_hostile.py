"""Bad input of every kind: a clear line or a finding, the documented exit code, never a crash."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from suture.cli.main import commands
from suture.model.errors import SutureError

SESSION = "5c0a1000-0000-4000-8000-000000000009"
THREAD = "019c5000-0000-7000-8000-000000000009"
CODEX = f"rollout-2026-03-02T09-00-00-{THREAD}.jsonl"


def line(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def claude(n: int, kind: str, content: object) -> bytes:
    return line(
        {
            "parentUuid": f"{n - 1:036}" if n else None,
            "sessionId": SESSION,
            "type": kind,
            "message": {"role": kind, "id": f"msg_{n}", "content": content},
            "uuid": f"{n:036}",
            "timestamp": f"2026-03-02T09:00:0{n}.000Z",
        }
    )


def codex(n: int, kind: str, payload: object) -> bytes:
    return line({"timestamp": f"2026-03-02T09:00:0{n}.000Z", "type": kind, "payload": payload})


def event(n: int, kind: str, payload: object) -> bytes:
    head = {"id": f"ev-{n}", "ordinal": n, "ts": "2026-03-02T09:00:00.000Z", "type": kind}
    return line({**head, "payload": payload, "hash": "sha256:0"})


def said(text: str, kind: str) -> list[dict[str, str]]:
    return [{"type": kind, "text": text}]


HEALTHY = {
    f"{SESSION}.jsonl": [
        claude(0, "user", "How many pears?"),
        claude(1, "assistant", said("Four.", "text")),
        claude(2, "user", "And plums?"),
        claude(3, "assistant", said("Two.", "text")),
    ],
    CODEX: [
        codex(0, "session_meta", {"id": THREAD, "cwd": "/srv/app", "cli_version": "0.171.0"}),
        codex(1, "response_item", {"type": "message", "role": "user", "content": []}),
        codex(2, "response_item", {"type": "message", "role": "assistant", "content": []}),
        codex(3, "event_msg", {"type": "token_count"}),
    ],
    "events.jsonl": [
        event(0, "session.created", {"session_id": "s", "principal": "p"}),
        event(1, "turn.started", {"turn": "t"}),
        event(2, "message.appended", {"role": "user", "content": "x", "status": "complete"}),
        event(3, "turn.ended", {"turn": "t", "status": "complete"}),
    ],
}


def with_extra(raw: bytes, value: bytes) -> bytes:
    return raw[:-1] + b',"extra":' + value + b"}"


def wrong_types(raw: bytes) -> bytes:
    """Every field of the record, and of what it wraps, holds what it never should."""
    odd = [None, 3, -1.5, "x", True, [], [1], {}, {"a": {"b": [None]}}]
    lines = []
    for value in odd:
        record = json.loads(raw)
        for key in record:
            inner = record[key]
            if isinstance(inner, dict):
                lines.append(line({**record, key: dict.fromkeys(inner, value)}))
            lines.append(line({**record, key: value}))
        lines.append(line(dict.fromkeys(record, value)))
    return b"\n".join(lines)


Spoil = Callable[[list[bytes]], bytes]
MANY = 100_000


def inserted(make: Callable[[bytes], bytes]) -> Spoil:
    """One more line in the middle, made from a record of the format."""
    return lambda lines: b"\n".join([*lines[:2], make(lines[1]), *lines[2:]]) + b"\n"


SPOILED: dict[str, tuple[Spoil, str]] = {  # → a rule that says what it is, or "" where none must
    "bom": (lambda lines: b"\xef\xbb\xbf" + b"\n".join(lines) + b"\n", "bom"),
    "crlf": (lambda lines: b"\r\n".join(lines) + b"\r\n", "crlf"),
    "utf-16": (lambda lines: b"\n".join(lines).decode().encode("utf-16"), "unknown-encoding"),
    "empty": (lambda lines: b"", "empty-file"),
    "line ends only": (lambda lines: b"\n\n\n", "not-a-record"),
    "nuls at the end": (lambda lines: b"\n".join(lines) + b"\n" + bytes(4096), "nul-region"),
    "a line of nuls": (inserted(lambda raw: bytes(64)), "nul-region"),
    "half a pair": (inserted(lambda raw: with_extra(raw, b'"\\ud83d"')), "lone-surrogate"),
    "deep": (inserted(lambda raw: with_extra(raw, b"[" * MANY + b"]" * MANY)), "too-deep"),
    "deep and open": (inserted(lambda raw: with_extra(raw, b"[" * MANY)), "bad-json"),
    "deep objects": (
        inserted(lambda raw: with_extra(raw, b'{"a":' * MANY + b"1" + b"}" * MANY)),
        "too-deep",
    ),
    "latin-1": (inserted(lambda raw: with_extra(raw, b'"caf\xe9"')), "invalid-utf8"),
    "6,000 digits": (inserted(lambda raw: with_extra(raw, b"9" * 6000)), ""),
    "NaN": (inserted(lambda raw: with_extra(raw, b"NaN")), "bad-number"),
    "1e999": (inserted(lambda raw: with_extra(raw, b"1e999")), ""),
    "a key twice": (inserted(lambda raw: raw[:-1] + b',"type":"user","type":"zzz"}'), ""),
    "separators": (inserted(lambda raw: with_extra(raw, '"a\u2028b\u0085c"'.encode())), ""),
    "scalars": (inserted(lambda raw: b'null\n3\n"x"\n[]'), "not-a-record"),
    "no final line end": (b"\n".join, "no-final-newline"),
    "wrong types": (inserted(wrong_types), "bad-shape"),
    "a megabyte": (inserted(lambda raw: with_extra(raw, b'"' + b"x" * 2_000_000 + b'"')), ""),
    "many short lines": (lambda lines: b"{}\n" * 20_000, ""),
    "open brackets only": (lambda lines: b"\n".join([*lines, b"{" * MANY]) + b"\n", "bad-json"),
    "quotes only": (lambda lines: b"\n".join([*lines, b'"' * MANY]) + b"\n", "bad-json"),
    "backslashes only": (lambda lines: b"\n".join([*lines, b"\\" * MANY]) + b"\n", "bad-json"),
    "noise": (
        lambda lines: b"\n".join([*lines, bytes(i * i % 251 for i in range(50_000)), b""]),
        "bad-json",
    ),
}


def run(*args: str) -> tuple[int, str]:
    """The exit code and all that was printed. A bug in suture raises here."""
    done = CliRunner().invoke(commands, args, standalone_mode=False)
    if isinstance(done.exception, SutureError):
        return done.exception.exit_code, str(done.exception)
    if done.exception is not None:
        raise done.exception
    return int(done.return_value or 0), done.output


def rules_in(store: Path) -> set[str]:
    code, text = run("check", str(store), "--assume", "dead", "--format", "json")
    report = json.loads(text[text.index("{") : text.rindex("}") + 1])
    assert code == int(report["verdict"] == "damaged")
    return {finding["rule"] for finding in report["findings"]}


@pytest.mark.parametrize("name", HEALTHY)
@pytest.mark.parametrize("fault", SPOILED)
def test_a_spoiled_file_is_judged_and_planned(name: str, fault: str, tmp_path: Path) -> None:
    spoil, rule = SPOILED[fault]
    path = tmp_path / "projects" / "-srv-app" / name
    path.parent.mkdir(parents=True)
    path.write_bytes(before := spoil(HEALTHY[name]))
    assert rules_in(path) >= ({rule} if rule else set())
    for command in ("sql", "inspect"):
        more = ["select count(*) from record"] if command == "sql" else []
        assert run(command, str(path), *more)[0] in (0, 1)
    code, _ = run("plan", str(path), "--assume", "dead", "-o", str(tmp_path / "plan.json"))
    assert code in (0, 1)
    assert (tmp_path / "plan.json").is_file()
    assert path.read_bytes() == before


def store_of(folder: Path) -> Path:
    """One healthy session, so that all else there is beside it."""
    folder.mkdir()
    lines = HEALTHY[f"{SESSION}.jsonl"]
    (folder / f"{SESSION}.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    return folder


def test_what_is_no_file_costs_one_line_and_no_more(tmp_path: Path) -> None:
    store = store_of(tmp_path / "store")
    os.mkfifo(store / "a.jsonl")
    (store / "folder.jsonl").mkdir()
    (store / "dangling.jsonl").symlink_to(store / "nowhere")
    (store / "loop.jsonl").symlink_to(store / "loop.jsonl")
    (store / "around").symlink_to(store, target_is_directory=True)
    code, text = run("check", str(store), "--assume", "dead")
    assert code == 0
    assert "1 session in 1 file" in text
    for name in ("a.jsonl: a FIFO", "dangling.jsonl: no such file", "loop.jsonl: too many levels"):
        assert name in text


@pytest.mark.parametrize("kind", ["missing", "fifo", "folder", "loop", "dangling", "device"])
def test_nothing_to_read_is_exit_code_3(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind in ("loop", "dangling"):
        path.symlink_to(path if kind == "loop" else tmp_path / "nowhere")
    shown = Path("/dev/zero") if kind == "device" else path
    for command in (("check",), ("plan", "-o", str(tmp_path / "plan.json")), ("inspect",)):
        code, text = run(*command, str(shown))
        assert code == 3
        assert str(shown) in text
    assert not (tmp_path / "plan.json").exists()


def test_a_file_that_may_not_be_read_is_a_finding(tmp_path: Path) -> None:
    store = store_of(tmp_path / "store")
    secret = store / "secret.jsonl"
    secret.write_bytes(b"{}\n")
    secret.chmod(0)
    if os.access(secret, os.R_OK):
        pytest.skip("this user may read everything")
    assert rules_in(store) == {"unreadable"}
    assert run("check", str(secret))[0] == 3


_CHECK = """
import resource, sys
from suture.cli.main import commands
sys.argv = ["suture", "check", sys.argv[1], "--assume", "dead"]
code = commands(standalone_mode=False)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(code, peak // 1024 if sys.platform == "linux" else peak >> 20)
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", HEALTHY)
@pytest.mark.parametrize("whole", [True, False])
def test_one_line_of_200_mb_fits_in_700_mb(name: str, whole: bool, tmp_path: Path) -> None:
    lines = HEALTHY[name]
    path = tmp_path / name
    with path.open("wb") as file:
        file.write(b"\n".join(lines[:2]) + b"\n" + lines[1][:-1] + b',"extra":"')
        for _ in range(200):
            file.write(b"y" * 1_000_000)
        file.write((b'"}\n' if whole else b"\n") + b"\n".join(lines[2:]) + b"\n")
    done = subprocess.run(
        [sys.executable, "-c", _CHECK, str(path)],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    code, peak = map(int, done.stdout.splitlines()[-1].split())
    assert code in (0, 1)
    assert ("bad-json" in done.stdout) is not whole
    assert peak < 700, f"{peak} MB"
