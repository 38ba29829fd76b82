"""The README's commands are run and print what it shows; its tables are what the code says."""

import re
import shlex
import shutil
import tomllib
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from suture import api
from suture.cli.main import commands
from suture.model.errors import SutureError

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
MAPPING = (ROOT / "docs" / "mapping.md").read_text("utf-8")
JOURNAL_ID = re.compile(r"\d{8}T\d{6}Z-[0-9a-f]{4}")


def run(words: list[str]) -> str:
    """Output and exit code of one command, as `suture` gives them."""
    result = CliRunner().invoke(commands, words, standalone_mode=False)
    if isinstance(result.exception, SutureError):
        return f"{result.output}suture: {result.exception}\n"
    if isinstance(result.exception, click.ClickException):
        return f"{result.output}{result.exception.format_message()}\n"
    assert result.exception is None, result.exception
    return result.output


def sessions() -> list[str]:
    return re.findall(r"```console\n(.*?)```", README + MAPPING, re.S)


@pytest.mark.parametrize("block", sessions(), ids=lambda b: b.splitlines()[0][2:40])
def test_console_blocks_print_what_they_show(
    block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(ROOT / "sample_data", tmp_path / "sample_data")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SUTURE_JOURNAL", str(tmp_path / "journal"))
    shown = []
    for line in block.splitlines():
        if not line.startswith("$ "):
            continue
        shown.append(line)
        words = shlex.split(line[2:])
        if words[0] == "cp":
            shutil.copy(words[1], words[2])
        else:
            assert words[0] == "suture"
            shown += run(words[1:]).rstrip("\n").split("\n")
    found = "\n".join(shown).replace(str(tmp_path), "/home/dev")
    assert JOURNAL_ID.sub("ID", found).strip() == JOURNAL_ID.sub("ID", block).strip()


def test_every_command_named_in_the_readme_exists() -> None:
    known = set(commands.list_commands(click.Context(commands)))
    named = set(re.findall(r"(?:^|`|\$ |/)suture ([a-z]+)", README, re.M))
    assert named <= known, named - known
    assert known - named == set(), "a command that the README does not name"


def test_the_table_of_formats_is_what_the_code_says() -> None:
    found = re.search(r"## Formats\n\n((?:\|.*\n)+)", README)
    assert found is not None
    assert found[1] == f"{api.stores_markdown()}\n", "write it again: suture stores --markdown"
    for store in api.stores():
        assert f"| {store.name} | {store.title} | {', '.join(store.media)} |" in README


def test_every_rule_is_in_docs_rules() -> None:
    page = (ROOT / "docs" / "rules.md").read_text("utf-8")
    assert page == api.rules_markdown(), "write it again: suture rules --markdown > docs/rules.md"


def test_version_is_said_once() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["version"] == api.__version__
