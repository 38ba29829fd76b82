"""`suture inspect`."""

from datetime import UTC, datetime
from pathlib import Path

import click
from msgspec import to_builtins

from suture import api
from suture.cli._next import next_command, of_the_store
from suture.cli._options import journal_option, scope_options
from suture.cli._text import clean, emit_json, plural, say, show_notices
from suture.model.inspection import RecordPoint, SessionLine, SessionView
from suture.model.scope import Scope

_SHOWN = 10  # newest turns
_INTERRUPTION = {
    "unhandled": "the log stops in the middle, and nothing has dealt with it yet",
    "historical": "of the past",
}


@click.command("inspect")
@scope_options
@journal_option
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
def command(scope: Scope, journal: Path | None, form: str) -> int:
    """List the sessions of STORE; with --session, the state that a resume of it would find.

    \b
    suture inspect ~/.claude/projects
    suture inspect ~/.claude/projects --session 0b2b98b5-9a80-5e01-9cb7-f4b7897e8f44

    Exit codes: 0 done, 3 nothing could be read.
    """
    show_notices(api.unfinished(journal))
    if scope.sessions:
        views = api.inspect(scope)
        if form == "json":
            emit_json([to_builtins(view) for view in views])
            return 0
        for view in views:
            _show(view)
        return 0
    lines = api.sessions(scope)
    if form == "json":
        emit_json([to_builtins(line) for line in lines])
        return 0
    for line in lines:
        _show_line(line)
    if not lines:
        say("no session was written to since then" if scope.since else "no session there")
        return 0
    words = (*scope.paths, "--session", lines[0].id)
    say(f"\nnext: {next_command('inspect', *words, repeat=of_the_store('sessions'))}")
    return 0


def _show_line(line: SessionLine) -> None:
    say(
        f"{clean(line.id)}  {line.store} {line.version or ''}  {_time(line.created)}  "
        f"{plural(line.records, 'record')}, {plural(line.turns, 'turn')}, "
        f"{plural(line.calls, 'call')} ({line.open_calls} open)  {line.tail.replace('_', ' ')}"
    )


def _show(view: SessionView) -> None:
    line = view.line
    say(f"session {clean(line.id)} ({line.store} {line.version or 'version unknown'})")
    say(f"  file: {clean(line.path)}")
    for label, value in (
        ("cwd", view.cwd),
        ("model", view.model),
        ("stored status", view.status),
        ("subagent of", view.parent),
        ("forked from", view.fork_of),
        ("subagents", ", ".join(view.subagents) or None),
    ):
        if value:
            say(f"  {label}: {clean(str(value))}")
    say(f"  tail: {line.tail.replace('_', ' ')}")
    if view.interruption:
        handled = f", {view.generation} handled so far" if view.generation is not None else ""
        say(f"  interruption: {_INTERRUPTION[view.interruption]}{handled}")
    say(f"  last complete message: {_point(view.last_complete)}")
    say(f"  resume continues from: {_point(view.leaf)}")
    if view.next_ordinal is not None:
        say(f"  next ordinal: {view.next_ordinal}")
    if view.context_version is not None:
        say(f"  context version: {view.context_version}")
    _show_calls(view)
    _show_turns(view)
    for c in view.compactions:
        tokens = f", {c.pre_tokens:,} tokens before" if c.pre_tokens else ""
        say(
            f"  compaction {c.number}: {c.trigger or 'trigger unknown'}{tokens}, "
            f"{'with' if c.has_summary else 'without'} summary"
        )
    for place in view.queued:
        say(f"  queued input that nothing consumed: {place}")


def _show_calls(view: SessionView) -> None:
    say(f"  calls: {view.calls_answered} answered, {len(view.open_calls)} open")
    for call in view.open_calls:
        proof = f", proven: {clean(call.reason or call.evidence)}" if call.evidence else ""
        say(
            f"    {clean(call.name or '?')} {clean(call.call_id)}: outcome "
            f"{call.outcome.replace('_', ' ')}, side effect {call.side_effect}{proof} "
            f"({clean(call.place)})"
        )


def _show_turns(view: SessionView) -> None:
    hidden = len(view.turns) - _SHOWN
    say(f"  turns: {len(view.turns)}{f', the last {_SHOWN}:' if hidden > 0 else ''}")
    for turn in view.turns[-_SHOWN:]:
        say(
            f"    {turn.turn} {clean(turn.id or '')} {turn.status}  {_time(turn.started)} to "
            f"{_time(turn.ended)}"
        )


def _point(point: RecordPoint | None) -> str:
    if point is None:
        return "none"
    return f"{point.kind} {clean(point.id or '')} of {_time(point.time)} ({clean(point.place)})"


def _time(micros: int | None) -> str:
    if micros is None:
        return "-"
    return datetime.fromtimestamp(micros / 1e6, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
