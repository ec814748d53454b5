"""Read the JSON of proposals and requests field by field, collecting every fault of its form."""
from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from shared.user_messages import Message, declare
from shared.user_messages.request_messages import BOOLEAN_NEEDED, FIELD_MISSING, TEXT_NEEDED, UNKNOWN_FIELD
from tables.column_types import did_you_mean
from tables.column_types.names import NO_HINT
from tables.exceptions import Fault, Invalid, Malformed, TablesError

Json = dict[str, Any]
MAX_FAULTS = 100
NOT_AN_OBJECT = declare("not_an_object", "This must be a JSON object.")
NOT_A_LIST = declare("not_a_list", "This must be a JSON list.")
TOO_LONG = declare("too_long", "This must not be longer than {count:,} characters.")
NOT_ONE_OF = declare("not_one_of", "This must be one of {names:quoted}.")
ONE_OF = declare("this_is_one_of", "This must be one of {names}.{hint}")
UNKNOWN_PART = declare("unknown_part", "Unknown field.{hint}")
NOT_A_VERSION = declare("not_a_version", "This must be a version, a whole number.")
NOT_A_ROW_ID = declare("not_a_row_id", "This must be the id of a row, a whole number.")

# Codes of faults in well-formed requests, such as unknown names or too many entries. They are 422, all others 400.
INVALID_CODES = {
    "unknown_column", "unknown_option", "after_itself", "empty_where", "too_large", "too_many", "wrong_mode",
}  # fmt: skip
# Codes of values whose content cannot be read.
UNREADABLE_CODES = {"not_an_object", "not_a_list"}


@dataclass
class Form:
    """Collects faults while a value is read; `refuse()` raises them all at once.

    For an invalid value, the readers return an empty value of the right type, so that reading continues.
    """

    faults: list[Fault] = field(default_factory=list)
    invalid_codes: set[str] = field(default_factory=lambda: set(INVALID_CODES))
    # The number of faults that the errors of other readers do not list, as far as it is known.
    more_faults: int = 0
    # An error about one field, with a code of its own, which is raised unchanged if there is no other fault.
    _error: TablesError | None = None

    def fault(self, *, path: str, code: str, message: Message, value: Any = None) -> None:
        """Add a fault."""
        self.faults.append(Fault(path=path, code=code, message=message, value=short(value)))

    def refuse(self) -> None:
        """Raise the collected faults: Invalid if only names and sizes are wrong, else Malformed.

        The detail of the error is that of the first fault.
        """
        if not self.faults:
            return
        if self._error is not None and len(self.faults) == 1:
            raise self._error
        kind = Malformed if self.is_malformed else Invalid
        error = kind(self.faults[0].message, faults=self.faults, most=MAX_FAULTS)
        error.more_faults += self.more_faults
        raise error

    @property
    def is_malformed(self) -> bool:
        """Whether a fault is of the form of the request, not of its names and sizes alone."""
        return any(each.code not in self.invalid_codes for each in self.faults)

    def hint(self, word: Any, *, names: Collection[str]) -> Message:
        """Return the nearest name as the end of a message that refuses `word`; nothing once the fault list is full."""
        return did_you_mean(word, names) if len(self.faults) < MAX_FAULTS else NO_HINT

    def add_error(self, error: TablesError) -> None:
        """Add the faults of another reader, with their own paths."""
        if error.path and not error.faults:
            self._error = error
        self._add(error.faults or (Fault(path=error.path, code=error.code, message=error.message),), of=error)

    def add_further(self, error: TablesError) -> None:
        """Add the faults of another reader that are neither at a reported path nor within an unreadable value."""
        reported = {fault.path for fault in self.faults}
        unreadable = [fault.path for fault in self.faults if fault.path and fault.code in UNREADABLE_CODES]
        within = tuple(f"{path}{separator}" for path in unreadable for separator in ".[")
        further = [each for each in error.faults if each.path not in reported and not each.path.startswith(within)]
        self._add(further, of=error)

    def _add(self, faults: Sequence[Fault], *, of: TablesError) -> None:
        self.faults += faults
        # If some were at a reported path, those that are not listed may be as well.
        self.more_faults += of.more_faults if len(faults) >= len(of.faults) else 0
        if not isinstance(of, Malformed):
            self.invalid_codes.update(fault.code for fault in faults)

    def fields(self, raw: Any, *, path: str, allowed: Collection[str]) -> Json:
        """Return the allowed fields of an object."""
        if not isinstance(raw, dict):
            self.fault(path=path, code="not_an_object", message=NOT_AN_OBJECT(), value=raw)
            return {}
        foreign = [name for name in raw if name not in allowed]
        for name in foreign:
            where = f"{path}.{name}" if path else name
            message = UNKNOWN_FIELD(field=name[:100], hint=self.hint(name, names=allowed))
            self.fault(path=where, code="unknown_field", message=message)
        return {name: value for name, value in raw.items() if name in allowed} if foreign else raw

    def items(self, raw: Any, *, path: str) -> list[Any]:
        """Return the items of a list. Null is a missing one."""
        if raw is None:
            name = path.rpartition(".")[2]
            self.fault(path=path, code="missing", message=FIELD_MISSING(name=name))
            return []
        if not isinstance(raw, list):
            self.fault(path=path, code="not_a_list", message=NOT_A_LIST(), value=raw)
            return []
        return raw

    def text(self, raw: Any, *, path: str, max_length: int = 20_000) -> str:
        """Return a text; null and an absent field are the empty text."""
        if raw is None:
            return ""
        if not isinstance(raw, str):
            self.fault(path=path, code="not_text", message=TEXT_NEEDED(), value=raw)
            return ""
        if len(raw) > max_length:
            self.fault(path=path, code="too_long", message=TOO_LONG(count=max_length))
            return ""
        return raw

    def one_of(self, raw: Any, *, path: str, allowed: Collection[str]) -> str:
        """Return one of a fixed set of words."""
        if isinstance(raw, str) and raw in allowed:
            return raw
        code = "missing" if raw is None else "unknown_value"
        self.fault(path=path, code=code, message=NOT_ONE_OF(names=tuple(allowed)), value=raw)
        return ""

    def flag(self, raw: Any, *, path: str) -> bool:
        """Return a boolean."""
        if not isinstance(raw, bool):
            self.fault(path=path, code="not_a_boolean", message=BOOLEAN_NEEDED(), value=raw)
            return False
        return raw

    def row_id(self, raw: Any, *, path: str) -> int:
        """Return the id of a row; 0 for an invalid id."""
        if is_row_id(raw):
            return raw
        code = "missing" if raw is None else "not_a_row_id"
        self.fault(path=path, code=code, message=NOT_A_ROW_ID(), value=raw)
        return 0

    def version(self, raw: Any, *, path: str) -> int | None:
        """Return the version of a row or table; None for an invalid one."""
        if type(raw) is int and 0 <= raw < 2**63:
            return raw
        self.fault(path=path, code="not_a_version", message=NOT_A_VERSION(), value=raw)
        return None


def read_word(value: Any, *, path: str, allowed: Sequence[str]) -> str:
    """Return one of a fixed set of words.

    Raises Malformed, naming the nearest allowed word.
    """
    if value not in allowed:
        message = ONE_OF(names=tuple(allowed), hint=did_you_mean(value, allowed, listed=True))
        raise Malformed.at(path, message, code="unknown_value")
    return str(value)


def is_row_id(raw: Any) -> TypeGuard[int]:
    """Return whether a value can be the id of a row."""
    return type(raw) is int and 0 < raw < 2**63


def short(value: Any) -> Any:
    """Return a value for an error report: long texts are cut, containers only named."""
    if isinstance(value, str) and len(value) > 200:
        return value[:200] + "…"
    if isinstance(value, dict | list):
        return "a JSON object" if isinstance(value, dict) else "a JSON list"
    return value
