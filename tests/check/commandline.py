"""The command line as a user has it, and stores to type."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from click.testing import CliRunner

from suture.cli.main import commands
from suture.model.errors import SutureError

SAMPLES = Path(__file__).parents[2] / "sample_data"
# What is read without more words; seqstore wants its mapping.
STORES = sorted(p for p in SAMPLES.glob("*/*") if p.is_dir() and p.parent.name != "seqstore")


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def suture(*words: str | Path) -> Done:
    result = CliRunner().invoke(commands, [str(word) for word in words], standalone_mode=False)
    match result.exception:
        case SutureError() as error:
            return Done(error.exit_code, result.stdout, str(error))
        case click.ClickException() as error:
            return Done(error.exit_code, result.stdout, error.format_message())
        case None:
            return Done(int(result.return_value or 0), result.stdout, result.stderr)
        case bug:
            raise bug


def sample(name: str, target: Path) -> Path:
    return Path(shutil.copytree(SAMPLES / name, target))
