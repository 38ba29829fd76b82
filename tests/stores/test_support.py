"""What `suture stores` says that a store supports is what the store does."""

import click
import pytest
from click.testing import CliRunner

from suture import api
from suture.cli.main import commands
from suture.stores import Store
from suture.stores._store import LINES, TABLES, no_tables

_ABILITIES = ["read", "check", "plan", "apply", "migrate source", "migrate target"]
_ALL = pytest.mark.parametrize("store", api.stores(), ids=lambda store: store.name)
_SERVERS = {"PostgreSQL", "MySQL"}


def shown(*words: str) -> str:
    result = CliRunner().invoke(commands, ["stores", *words], standalone_mode=False)
    assert result.exception is None, result.exception
    return result.output


@_ALL
def test_every_ability_has_an_answer(store: Store) -> None:
    able = api.abilities(store)
    assert list(able) == _ABILITIES
    assert store.limits.keys() <= able.keys()
    for answer, remark in able.values():
        assert answer in ("yes", "partly", "no", "not yet")
        assert remark or answer != "partly"


@_ALL
def test_a_store_without_repairs_says_that_none_is_applied(store: Store) -> None:
    repairs = "yes" in store.supports().values()
    able = api.abilities(store)
    assert (able["apply"].answer != "no") == repairs
    assert (able["plan"].answer == "yes") <= repairs


@_ALL
def test_media_are_those_that_the_store_is_shown(store: Store) -> None:
    media = set(store.media)
    assert media <= {"JSONL", "JSON", "SQLite"} | _SERVERS
    assert (media & {"JSONL", "JSON"} == set()) or store.holds >= LINES
    assert ("SQLite" in media) <= (store.holds >= TABLES)
    if store.name != "mapped":  # its tables are those of the mapping file
        assert bool(media & _SERVERS) == (store.server is not no_tables)


def test_migration_is_promised_when_there_is_a_command_for_it() -> None:
    answers = {
        able[name].answer
        for able in map(api.abilities, api.stores())
        for name in ("migrate source", "migrate target")
    }
    assert ("yes" in answers or "partly" in answers) == (
        "migrate" in commands.list_commands(click.Context(commands))
    )


def test_the_list_has_a_line_a_store_and_the_remarks_below() -> None:
    lines = shown().splitlines()
    assert lines[0].split()[:6] == ["name", "media", "read", "check", "plan", "apply"]
    assert [line.split()[0] for line in lines[1 : len(api.stores()) + 1]] == [
        store.name for store in api.stores()
    ]
    assert "langgraph, apply: no, only the program's own graph writes a state" in lines


def test_one_store_is_told_with_its_repairs_and_the_reasons() -> None:
    told = shown("goose")
    assert "  media: SQLite\n" in told
    assert "  migrate target: not yet\n" in told
    assert "  repairs: Answer, Drop, DropPart, Note, Truncate, Quarantine\n" in told
    assert "  not Reparent, Rekey: messages have no parent\n" in told
    assert "crush" not in told


def test_a_name_that_is_no_store() -> None:
    result = CliRunner().invoke(commands, ["stores", "nope"])
    assert result.exit_code == 2
    assert "no store 'nope'" in result.output
