"""Faults of declared replies and scripts, by path, and the exception that reports them."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

Path = tuple[str | int, ...]
KINDS = {str: "text", bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "a mapping"}


class ScriptError(Exception):
    """A script or a declared reply is not valid, or a value cannot be inserted. The message is for the developer."""


class Fault(NamedTuple):
    """One fault, with the path of the value."""

    path: Path
    message: str

    def __str__(self) -> str:
        where = path_text(self.path)
        return f"{where}: {self.message}" if where else self.message


class Faults:
    """The faults found so far. The methods return what was checked, or a replacement of the right type."""

    def __init__(self) -> None:
        self.found: list[Fault] = []

    def add(self, path: Path, message: str) -> None:
        """Add a fault."""
        self.found.append(Fault(path, message))

    def mapping(self, value: Any, *, path: Path, keys: Sequence[str]) -> dict[str, Any]:
        """Return a mapping with none but these keys."""
        checked: dict[str, Any] = self.typed(value, dict, path=path, default={})
        for key in checked:
            if key not in keys:
                self.add((*path, key), f"unknown key; the keys are {', '.join(keys)}")
        return checked

    def texts(self, value: dict[str, Any], *names: str, path: Path) -> None:
        """Check that these keys exist and have text."""
        for name in names:
            if name not in value:
                self.add(path, f"{name} is required")
            else:
                self.typed(value[name], str, path=(*path, name), default="")

    def seconds(self, value: Any, *, path: Path) -> float:
        """Return a number that is not negative."""
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 3_600:
            self.add(path, f"must be a number of seconds, not {value!r}")
            return 0.0
        return float(value)

    def typed(self, value: Any, kind: type, *, path: Path, default: Any) -> Any:
        """Return a value of this type."""
        if type(value) is kind:
            return value
        hint = "; put it in quotation marks" if kind is str and isinstance(value, bool | int | float) else ""
        self.add(path, f"must be {KINDS[kind]}, not {KINDS.get(type(value), 'empty')}{hint}")
        return default


def path_text(path: Path) -> str:
    """Return a path as text: `turns[0].replies[1].text`."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return "".join(parts).removeprefix(".")
