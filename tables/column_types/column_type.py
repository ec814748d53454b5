"""What a column type is: one object that knows everything the rest of the house asks about a kind of value."""
from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, Literal

from tables.column_types.faults import ValueFault
from tables.column_types.spec import TYPES_WITH_OPTIONS, ColumnSpec
from tables.column_types.value_text import value_text
from user_messages import declare

NOT_CONVERTIBLE = declare("not_convertible", "A {source} is never a {target}.")
NO_OPTIONS = declare("no_options", "Only select columns have options; this one is of type {type}.")

ALWAYS = ("empty", "not_empty")

# How a database compares cells: as text without regard to case, as text exactly as it is, as doubles, as truth
# values, by the place among the column's options, or as the JSON they are where nothing is known of them.
Comparison = Literal["folded", "exact", "number", "boolean", "option", "raw"]
# The Python types of stored values by comparison; bool is listed apart from int.
STORED_TYPES: dict[Comparison, frozenset[type]] = {
    "folded": frozenset({str}),
    "exact": frozenset({str}),
    "option": frozenset({str}),
    "number": frozenset({int, float}),
    "boolean": frozenset({bool}),
    "raw": frozenset({str, int, float, bool, list, dict}),
}
# How a filled cell is marked up: as its text, a coloured badge, a tick, a time, a link to what `link` says.
Drawn = Literal["text", "badge", "tick", "time", "link"]
# What the filter bar offers for a column: its options, yes and no, or nothing.
Clicks = Literal["options", "truth", ""]
MAX_TYPE_NAME = 32
STATIC_MODULE = re.compile(r"(?:[a-z0-9_-]+/)*[a-z0-9_-]+\.m?js", re.IGNORECASE)


@dataclass(frozen=True)
class Cast:
    """A value after casting; `changed` says that it is not what was given."""

    value: Any
    changed: bool


class ColumnType:
    """Base of all types. None and "" are "no value" in every type and never reach the underscored methods."""

    name: ClassVar[str]
    label: ClassVar[str]
    described: ClassVar[str]  # what the model is told: the form of a value
    operators: ClassVar[tuple[str, ...]]
    comparison: ClassVar[Comparison]
    searchable: ClassVar[bool] = True
    has_options: ClassVar[bool] = False
    has_days: ClassVar[bool] = False  # values are YYYY-MM-DD…, so they belong to months and years
    icon: ClassVar[str] = "type"
    cell_class: ClassVar[str] = ""
    drawn: ClassVar[Drawn] = "text"
    clicks: ClassVar[Clicks] = ""
    registered: ClassVar[bool] = True  # false for what stands in for a type that is not there any more
    # Other types whose values never become one of this type, whatever they hold.
    never_from: ClassVar[tuple[str, ...]] = ()

    def check(self, value: Any, column: ColumnSpec) -> Any:
        """The stored form of a value whose JSON type must fit; None for no value. Raises ValueFault."""
        return None if value is None or value == "" else self._check(value, column)

    def cast(self, value: Any, column: ColumnSpec) -> Cast:
        """As `check`, and other values that mean exactly one of this type. Raises ValueFault."""
        if value is None or value == "":
            return Cast(value=None, changed=False)
        stored = self._cast(value, column)
        return Cast(value=stored, changed=not _same(value, stored))

    def keep(self, value: Any, column: ColumnSpec) -> Any:
        """A value that was stored before, if it may be again. Raises ValueFault."""
        return self.check(value, column)

    def stores(self, value: Any) -> bool:
        """Whether a stored value has the form of this type.

        Deleted rows, changes and proposals keep the values of the type that the column had then.
        """
        return type(value) in STORED_TYPES[self.comparison]

    def text(self, value: Any) -> str:
        """The shortest text of a stored value, be it of an earlier type of the column; "" for no value."""
        if value is None:
            return ""
        return self._text(value) if type(value) in STORED_TYPES[self.comparison] else value_text(value)

    def display(self, value: Any) -> str:
        """A stored value as a person reads it where scripts have not put it into the reader's own locale."""
        return self._display(value) if value is not None and self.stores(value) else self.text(value)

    def link(self, value: Any) -> str:
        """The URL that a filled cell drawn as a link opens."""
        return ""

    def normalise(self, value: Any) -> Any:
        """A value as it came out of a database, the same whichever database it was."""
        return value

    def convert(self, value: Any, *, source: ColumnSpec, target: ColumnSpec) -> Any:
        """A stored value of column `source` as one of `target`, which is of this type. Raises ValueFault."""
        if value is None:
            return None
        if source.type in self.never_from:
            raise ValueFault("not_convertible", NOT_CONVERTIBLE(source=source.type, target=self.name))
        if source.type == target.type and not self.has_options:
            return self.check(value, target)
        return self._convert(value, get_column_type(source.type).text(value), target)

    def check_definition(self, column: ColumnSpec) -> ColumnSpec:
        """The column with its default and options in stored form. Raises ValueFault."""
        if column.options and not self.has_options:
            raise ValueFault("no_options", NO_OPTIONS(type=self.name), part="options")
        try:
            return replace(column, default=self.cast(column.default, column).value)
        except ValueFault as fault:
            raise fault.at("default") from None

    def _check(self, value: Any, column: ColumnSpec) -> Any:
        raise NotImplementedError

    def _cast(self, value: Any, column: ColumnSpec) -> Any:
        return self._check(value, column)

    def _text(self, value: Any) -> str:
        return str(value)

    def _display(self, value: Any) -> str:
        return self._text(value)

    def _convert(self, value: Any, text: str, target: ColumnSpec) -> Any:
        return self._cast(text, target)


# In the order people are offered them.
COLUMN_TYPES: dict[str, ColumnType] = {}
# By name, the static names of their modules; the five that ship are loaded by every grid itself.
SCRIPTS: dict[str, str] = {}
_stand_in: list[Callable[[str], ColumnType]] = []


def register_column_type(column_type: ColumnType, *, script: str = "") -> None:
    """Makes a type known to every door. Apps of one's own call it when they are ready. Raises ValueError.

    `script`: the static name of the module that says how pages draw and edit its values (`addresses/email_type.js`),
    loaded by every page with a grid; without one they are plain text there.
    """
    name = column_type.name
    if name in COLUMN_TYPES or not 0 < len(name) <= MAX_TYPE_NAME:
        raise ValueError(f"A column type needs a name of its own of at most {MAX_TYPE_NAME} characters, not {name!r}.")
    if script and not STATIC_MODULE.fullmatch(script):
        raise ValueError(f"The script of a column type is a static name like addresses/email_type.js, not {script!r}.")
    COLUMN_TYPES[name] = column_type
    if script:
        SCRIPTS[name] = script
    if column_type.has_options:
        TYPES_WITH_OPTIONS.add(name)


def stand_in_with(make: Callable[[str], ColumnType]) -> None:
    """Says what stands in for a type that is not registered (any more)."""
    _stand_in.append(make)


def get_column_type(name: str) -> ColumnType:
    """The type with this name; for one that is not registered what stands in for it, of which values can be read."""
    return COLUMN_TYPES.get(name) or _gone(name)


@lru_cache(maxsize=100)
def _gone(name: str) -> ColumnType:
    return _stand_in[-1](name)


def _same(given: Any, stored: Any) -> bool:
    """Whether nothing was read into it: 5.0 and 5 are the same, "5" and 5 and True and 1 are not."""
    numbers = (int, float)
    if isinstance(given, bool) or isinstance(stored, bool):
        return given is stored
    if isinstance(given, numbers) and isinstance(stored, numbers):
        return bool(given == stored)
    return type(given) is type(stored) and bool(given == stored)
