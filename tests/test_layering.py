"""Which folder may import which. An arrow missing here is a design change: argue for it."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MAY_IMPORT: dict[str, set[str]] = {
    "model": set(),
    "schemas": set(),
    "servers": {"model"},
    "stores": {"model", "servers"},
    "db": {"model", "schemas"},
    "validators": {"model", "db"},
    "repair": {"model", "schemas", "servers"},
    "exporters": {"model", "db", "schemas"},
    "cli": {"model", "api", "__version__"},
}


def imported(source: str) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module == "suture":
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("suture."):
            names.add((node.module or "").split(".")[1])
        elif isinstance(node, ast.Import):
            names |= {a.name.split(".")[1] for a in node.names if a.name.startswith("suture.")}
    return names


def imported_from_outside(source: str) -> set[str]:
    nodes = list(ast.walk(ast.parse(source)))
    names = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    return names | {a.name for node in nodes if isinstance(node, ast.Import) for a in node.names}


@pytest.mark.parametrize("folder", MAY_IMPORT)
def test_imports_point_inwards(folder: str) -> None:
    for path in (ROOT / folder).rglob("*.py"):
        wrong = imported(path.read_text("utf-8")) - MAY_IMPORT[folder] - {folder}
        assert not wrong, f"{path}: imports {sorted(wrong)}"


def test_a_wrong_import_would_be_seen() -> None:
    source = "def f():\n    from suture.repair import planner\n    import suture.db\n"
    assert imported(source) == {"repair", "db"}


def test_a_store_imports_no_other_store() -> None:
    for folder in (p for p in (ROOT / "stores").iterdir() if (p / "__init__.py").exists()):
        for path in folder.rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
                    "suture.stores."
                ):
                    name = (node.module or "").split(".")[2]
                    assert name.startswith("_") or name == folder.name, f"{path}: {node.module}"


def test_values_are_structs() -> None:
    """A dataclass takes a millisecond to define, and every check would pay for a hundred."""
    for folder in (*MAY_IMPORT, "src/suture"):
        for path in (ROOT / folder).glob("**/*.py"):
            assert "dataclasses" not in imported_from_outside(path.read_text("utf-8")), path
