"""Settings of a check: `[tool.suture]` of pyproject.toml, then suture.toml, then what was typed."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct, field

from suture.model.errors import BadSetting
from suture.model.finding import Severity
from suture.model.selection import LEVELS, Selection, fits

NEVER = "never"
SIDE_EFFECTS = ("none", "local", "external", "unknown")
_FAIL_ON = (*(severity.label for severity in Severity), NEVER)

_T = TypeVar("_T")


class Layer(Struct, frozen=True):
    """What one place says; None where it says nothing. `place` is named in errors."""

    place: str = "command line"
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] | None = None
    severity: tuple[tuple[str, str], ...] = ()
    fail_on: str | None = None
    baseline: Path | None = None
    cache: Path | None = None
    allow_empty: bool | None = None
    side_effects: tuple[tuple[str, str], ...] = ()


class Settings(Struct, frozen=True):
    selection: Selection = field(default_factory=Selection)
    baseline: Path | None = None
    write_baseline: Path | None = None
    cache: Path | None = None
    allow_empty: bool = False


def layers(start: Path) -> tuple[Layer, ...]:
    """The nearest pyproject.toml with our table at or above `start`, then the nearest suture.toml.
    Raises BadSetting."""
    found = []
    for name, table in (("pyproject.toml", _tool_table), ("suture.toml", lambda whole: whole)):
        for folder in (start, *start.parents):
            path = folder / name
            if path.is_file() and (mine := table(_toml(path))) is not None:
                found.append(_layer(path, mine))
                break
    return tuple(found)


def settings(
    said: Sequence[Layer],
    rules: Callable[[], Mapping[str, str]],
    write_baseline: Path | None = None,
) -> Settings:
    """Later layers win. `rules` maps name to code; naming one that does not exist is an error. They
    are asked for where a layer names one: all of them are imported then."""
    for layer in said:
        _check_names(layer, rules)
    fail_on = _last(said, lambda layer: layer.fail_on) or Severity.ERROR.label
    return Settings(
        Selection(
            _last(said, lambda layer: layer.select) or (),
            _last(said, lambda layer: layer.ignore) or (),
            tuple(pair for layer in said for pair in layer.severity),
            None if fail_on == NEVER else Severity[fail_on.upper()],
        ),
        baseline=_last(said, lambda layer: layer.baseline),
        write_baseline=write_baseline,
        cache=_last(said, lambda layer: layer.cache),
        allow_empty=bool(_last(said, lambda layer: layer.allow_empty)),
    )


def side_effects(said: Sequence[Layer]) -> tuple[tuple[str, str], ...]:
    return tuple({tool: effect for layer in said for tool, effect in layer.side_effects}.items())


def _last(said: Sequence[Layer], get: Callable[[Layer], _T | None]) -> _T | None:
    return next((value for layer in reversed(said) if (value := get(layer)) is not None), None)


def _check_names(layer: Layer, rules: Callable[[], Mapping[str, str]]) -> None:
    named = [*(layer.select or ()), *(layer.ignore or ()), *(rule for rule, _ in layer.severity)]
    for name in named:
        if not any(fits(name, rule, code) for rule, code in rules().items()):
            raise BadSetting(f"{layer.place}: no rule {name!r}; `suture rules` lists them")


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadSetting(f"{path}: {error}") from error


def _tool_table(whole: dict[str, Any]) -> Any:
    tool = whole.get("tool")
    return tool.get("suture") if isinstance(tool, dict) else None


def _layer(path: Path, table: Any) -> Layer:
    if not isinstance(table, dict):
        raise BadSetting(f"{path}: tool.suture is not a table")
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in _READERS:
            raise BadSetting(f"{path}: unknown key {key!r}; known are {', '.join(_READERS)}")
        try:
            values[key.replace("-", "_")] = _READERS[key](value, path)
        except ValueError as error:
            raise BadSetting(f"{path}: {key} {error}") from error
    return Layer(str(path), **values)


def _names(value: Any, path: Path) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise ValueError('is not a list of texts such as ["301", "large"]')
    return tuple(value)


def _choices(allowed: Sequence[str]) -> Callable[[Any, Path], tuple[tuple[str, str], ...]]:
    def read(value: Any, path: Path) -> tuple[tuple[str, str], ...]:
        if not isinstance(value, dict):
            raise ValueError("is not a table")
        for key, word in value.items():
            if word not in allowed:
                raise ValueError(f"says {word!r} for {key!r}; it may say {', '.join(allowed)}")
        return tuple(value.items())

    return read


def _fail_on(value: Any, path: Path) -> str:
    if value not in _FAIL_ON:
        raise ValueError(f"says {value!r}; it may say {', '.join(_FAIL_ON)}")
    return str(value)


def _path(value: Any, path: Path) -> Path:
    if not isinstance(value, str):
        raise ValueError("is not a path")
    return path.parent / value


def _flag(value: Any, path: Path) -> bool:
    if not isinstance(value, bool):
        raise ValueError("is neither true nor false")
    return value


_READERS: Mapping[str, Callable[[Any, Path], object]] = {
    "select": _names,
    "ignore": _names,
    "severity": _choices(LEVELS),
    "fail-on": _fail_on,
    "baseline": _path,
    "cache": _path,
    "allow-empty": _flag,
    "side-effects": _choices(SIDE_EFFECTS),
}
