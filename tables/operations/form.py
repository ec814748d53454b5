"""Reads the JSON of proposals and requests field by field, and gathers everything that is wrong with its form."""
from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from tables.column_types import did_you_mean
from tables.exceptions import Fault, Invalid, Malformed, TablesError

Json = dict[str, Any]
MOST_FAULTS = 100

# The form is right, but it names what does not exist or asks for what cannot be: 422, where the others are 400.
UNDERSTOOD = {"unknown_column", "unknown_option", "after_itself", "empty_where", "too_large", "too_many", "wrong_mode"}


@dataclass
class Form:
    """Collects faults while a value is read; `refuse()` raises them all at once.

    The readers give back something harmless of the right type in place of what is wrong, so that reading goes on.
    """

    faults: list[Fault] = field(default_factory=list)
    understood: set[str] = field(default_factory=lambda: set(UNDERSTOOD))

    def fault(self, *, path: str, code: str, detail: str, value: Any = None) -> None:
        """Notes a fault."""
        self.faults.append(Fault(path=path, code=code, detail=detail, value=short(value)))

    def refuse(self) -> None:
        """Raises Malformed (or Invalid, when only names and sizes are wrong) if there was any fault.

        Its detail is that of the first fault; the others are beside it.
        """
        if not self.faults:
            return
        kind = Invalid if all(each.code in self.understood for each in self.faults) else Malformed
        raise kind(self.faults[0].detail, faults=tuple(self.faults[:MOST_FAULTS]))

    def near(self, word: Any, *, names: Collection[str]) -> str:
        """The end of a sentence that refuses `word`: the nearest name; nothing once more is wrong than will be told."""
        return did_you_mean(word, names) if len(self.faults) < MOST_FAULTS else ""

    def take(self, error: TablesError) -> None:
        """Notes what another reader found, with its own paths."""
        faults = error.faults or (Fault(path="", code=error.code, detail=error.detail),)
        self.faults += faults
        if isinstance(error, Invalid):
            self.understood.update(fault.code for fault in faults)

    def fields(self, raw: Any, *, path: str, allowed: Collection[str]) -> Json:
        """An object's fields that are allowed."""
        if not isinstance(raw, dict):
            self.fault(path=path, code="not_an_object", detail="This must be a JSON object.", value=raw)
            return {}
        foreign = [name for name in raw if name not in allowed]
        for name in foreign:
            where = f"{path}.{name}" if path else name
            detail = f"There is no field “{name[:100]}” here.{self.near(name, names=allowed)}"
            self.fault(path=where, code="unknown_field", detail=detail)
        return {name: value for name, value in raw.items() if name in allowed} if foreign else raw

    def items(self, raw: Any, *, path: str) -> list[Any]:
        """A list's items."""
        if not isinstance(raw, list):
            self.fault(path=path, code="not_a_list", detail="This must be a JSON list.", value=raw)
            return []
        return raw

    def text(self, raw: Any, *, path: str, most: int = 20_000) -> str:
        """A text; null and an absent field are the empty text."""
        if raw is None:
            return ""
        if not isinstance(raw, str):
            self.fault(path=path, code="not_text", detail="This must be a text.", value=raw)
            return ""
        if len(raw) > most:
            self.fault(path=path, code="too_long", detail=f"This must not be longer than {most:,} characters.")
            return ""
        return raw

    def one_of(self, raw: Any, *, path: str, allowed: Collection[str]) -> str:
        """One of a fixed set of words."""
        if isinstance(raw, str) and raw in allowed:
            return raw
        detail = f"This must be one of {', '.join(allowed)}."
        self.fault(path=path, code="missing" if raw is None else "unknown_value", detail=detail, value=raw)
        return ""

    def flag(self, raw: Any, *, path: str) -> bool:
        """True or false."""
        if not isinstance(raw, bool):
            self.fault(path=path, code="not_a_boolean", detail="This must be true or false.", value=raw)
            return False
        return raw

    def row_id(self, raw: Any, *, path: str) -> int:
        """The id of a row; 0 when it cannot be one."""
        if is_row_id(raw):
            return raw
        detail = "This must be the id of a row, a whole number."
        self.fault(path=path, code="missing" if raw is None else "not_a_row_id", detail=detail, value=raw)
        return 0


def is_row_id(raw: Any) -> TypeGuard[int]:
    """Whether it can be the id of a row."""
    return type(raw) is int and 0 < raw < 2**63


def short(value: Any) -> Any:
    """A value as it may stand in an error: long ones cut, containers only named."""
    if isinstance(value, str) and len(value) > 200:
        return value[:200] + "…"
    if isinstance(value, dict | list):
        return "a JSON object" if isinstance(value, dict) else "a JSON list"
    return value
