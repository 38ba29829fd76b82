"""What is wrong with a mapping file is told with its line."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from suture import api, mapping
from suture.cli.main import commands
from suture.model.errors import BadMapping, NothingToRead
from suture.model.scope import Scope

Open = Callable[[str, str], Any]

TABLES = """
create table Talks (id text primary key, state text);
create table lines (talk text, nr integer, who text, body text, primary key (talk, nr));
insert into lines values ('t', 1, 'u', 'a');
"""
GOOD = """\
[message]
table = "lines"
session = "talk"
ordinal = "nr"
payload = "body"
role = "who"

[message.kinds]
prompt = "u"
"""


def told(text: str) -> list[str]:
    """The lines of the error, without the first."""
    with pytest.raises(BadMapping) as caught:
        mapping.check(text, "my.toml")
    return str(caught.value).split("\n")[1:]


def test_the_template_is_a_mapping() -> None:
    mapping.check(api.mapping_template(), "template")


def test_every_key_of_the_template_is_one_of_the_schema() -> None:
    """Also those that stand in comments: each line that looks like TOML is taken as it."""
    lines = []
    for line in api.mapping_template().split("\n")[14:]:
        plain = line.removeprefix("# ")
        is_toml = plain.startswith("[") or " = " in plain.partition("#")[0]
        lines.append(plain if is_toml else line)
    mapping.check("\n".join(lines), "template")


@pytest.mark.parametrize(
    ("before", "after", "wanted"),
    [
        (
            'role = "who"',
            'rol = "who"',
            "my.toml:6: message has no key rol; did you mean role?",
        ),
        (
            "[message.kinds]",
            "[message.sorts]",
            "my.toml:8: message has no key sorts; it may have table,",
        ),
        (
            'ordinal = "nr"\n',
            "",
            "my.toml:1: message lacks ordinal: column that orders the messages of a session",
        ),
        ('ordinal = "nr"', "ordinal = 4", "my.toml:4: message.ordinal: 4 is not of type 'string'"),
        (
            'role = "who"',
            'role = "$.who["',
            "my.toml:6: message.role: '$.who[' is no path at '['; write it as",
        ),
        (
            'role = "who"',
            'role = "@.who"',
            "my.toml:6: message.role: @ stands for an element of `each`, and there is none",
        ),
        ('role = "who"\n', "", "my.toml:1: message has neither kind nor role"),
        (
            'prompt = "u"',
            'prompt = "u"\n[hash]\nalgorithm = "sha42"',
            "my.toml:11: hash.algorithm is 'sha42'; it may be md5, sha1,",
        ),
        (
            'prompt = "u"',
            'prompt = "u"\n[write]\ninactive = 0',
            "my.toml:11: write.inactive without message.active has no column to go to",
        ),
        (
            'prompt = "u"',
            'prompt = "u"\n[write.note]\nbody = "{text}"\nnr = 4',
            "my.toml:12: suture itself fills nr in",
        ),
        (
            'prompt = "u"',
            'prompt = "u"\n[session]\ntable = "Talks"\nid = "id"\nhead = "tip"',
            "my.toml:13: session.head names messages by [hash.chain], which is not given",
        ),
    ],
)
def test_a_mistake_is_told_with_its_line(before: str, after: str, wanted: str) -> None:
    assert before in GOOD
    lines = told(GOOD.replace(before, after, 1))
    assert any(line.startswith(wanted) for line in lines), lines


def test_what_is_no_toml_is_told_with_its_line() -> None:
    with pytest.raises(BadMapping, match=r"my\.toml: .*line 2"):
        mapping.check("[message]\ntable = lines\n", "my.toml")


def test_all_mistakes_are_told_at_once() -> None:
    text = GOOD.replace("who", "$.[").replace('table = "lines"', "tabel = 1")
    assert [line.split(": ")[0] for line in told(text)] == ["my.toml:1", "my.toml:2"]


def test_a_key_inside_a_long_string_is_no_key() -> None:
    text = GOOD + '[write.note]\nbody = """\nrol = {text}\n"""\nrol = "x"\nnr = 1\n'
    assert told(text) == ["my.toml:15: suture itself fills nr in"]


def test_absent_tables_and_columns_are_named_with_what_is_there(service: Open) -> None:
    store = service(
        TABLES, GOOD.replace('"who"', '"speaker"') + '[session]\ntable = "talks"\nid = "id"\n'
    )
    with pytest.raises(BadMapping) as caught:
        store.found()
    first, *rest = str(caught.value).split("\n")
    assert first == f"{store.path} is not what the mapping says"
    assert rest == [
        f"{store.map}:11: the database has no table 'talks'; its tables are Talks, lines",
        f"{store.map}:6: table lines has no column 'speaker'; its columns are body, nr, talk, who",
    ]


def test_the_command_line_says_it_and_ends_with_2(service: Open) -> None:
    store = service(TABLES, GOOD + "[messages]\n")
    result = CliRunner().invoke(commands, ["check", str(store.path), "--map", str(store.map)])
    assert isinstance(result.exception, BadMapping)
    assert result.exception.exit_code == 2
    assert f"{store.map}:10: the file has no key messages; did you mean message?" in str(
        result.exception
    )


def test_a_database_of_ones_own_is_told_of_the_option(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "own.db")) as database:
        database.executescript(TABLES)
    with pytest.raises(NothingToRead, match="--map FILE reads tables of your own"):
        api.check(Scope((str(tmp_path / "own.db"),)))


def test_the_map_template_is_printed() -> None:
    result = CliRunner().invoke(commands, ["stores", "--map-template"])
    assert result.output == api.mapping_template()


def test_a_mapping_that_changed_empties_the_cache(service: Open) -> None:
    store = service(TABLES, GOOD)
    cache = api.Layer(cache=store.folder / "cache")
    api.check(store.scope, settings=api.settings(cache))
    again = api.check(store.scope, settings=api.settings(cache))
    assert again.summary["unchanged"] == 1
    store.map.write_text(GOOD.replace('"u"', '"v"'), "utf-8")
    assert api.check(store.scope, settings=api.settings(cache)).summary["unchanged"] == 0
