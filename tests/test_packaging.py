"""The folders, the mapping in pyproject.toml and the links in src/suture must agree; what is
built from them holds every module, installs beside PyPI's `validators`, and runs."""

import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SETUP = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
FOLDERS = {p.removeprefix("suture."): d for p, d in SETUP["package-dir"].items() if p != "suture"}


@pytest.mark.parametrize("name", FOLDERS)
def test_link_leads_to_its_folder(name: str) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("links are only in a checkout")
    assert (ROOT / "src/suture" / name).resolve() == ROOT / FOLDERS[name]


def test_every_package_on_disk_is_built() -> None:
    found = {
        ".".join(("suture", *init.parent.relative_to(ROOT).parts))
        for folder in FOLDERS.values()
        for init in (ROOT / folder).rglob("__init__.py")
    }
    assert set(SETUP["packages"]) == found | {"suture"}


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_wheel_and_sdist_install_beside_validators_and_run(tmp_path: Path) -> None:
    source = tmp_path / "source"
    tracked = run("git", "ls-files", cwd=ROOT).splitlines()
    for name in tracked:
        if not (ROOT / name).is_symlink():  # a checkout without links must build all the same
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, source / name)
    run(sys.executable, "-m", "build", "--outdir", tmp_path / "dist", source, cwd=tmp_path)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    (sdist,) = (tmp_path / "dist").glob("*.tar.gz")
    modules = {n for n in zipfile.ZipFile(wheel).namelist() if n.endswith(".py")}
    for folder in (*FOLDERS.values(), "src/suture"):
        for path in (source / folder).rglob("*.py"):
            name = path.relative_to(source).as_posix().removeprefix("src/suture/")
            assert f"suture/{name}" in modules
    for built in (wheel, sdist):
        venv = tmp_path / built.suffix.strip(".")
        run(sys.executable, "-m", "venv", venv, cwd=tmp_path)
        python = venv / "bin/python"
        run(python, "-m", "pip", "install", "-q", built, "validators", cwd=tmp_path)
        assert "damaged" not in run(venv / "bin/suture", "stores", cwd=tmp_path)
        code = "import validators, suture.validators; assert validators.email('a@b.org')"
        run(python, "-c", code, cwd=tmp_path)
