"""The order of rows a reader asks for, and lists of columns in one text: `-Due,Company`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tables.column_types.names import did_you_mean
from tables.column_types.spec import ColumnSpec, TableShape
from tables.exceptions import Fault, Invalid, Malformed

MAX_KEYS = 10
MAX_ITEMS = 1_000


@dataclass(frozen=True)
class SortKey:
    """One column to sort by."""

    column_id: str
    descending: bool = False

    def as_json(self) -> str:
        """`-col_…` or `col_…`."""
        return f"-{self.column_id}" if self.descending else self.column_id


def parse_sort(raw: Any, *, shape: TableShape, path: str = "sort") -> tuple[SortKey, ...]:
    """The keys of `"-Due,Company"`, or of a list of such single keys; the minus sign means descending.

    Columns by id or name. Raises Malformed, and Invalid with the nearest name of a column there is not.
    """
    if raw is None or raw in ("", []):
        return ()
    items = _items(raw, path=path, shape=shape, known=lambda ref: _knows_key(ref, shape=shape))
    keys = [_key(item, shape=shape, path=where) for item, where in items]
    if len(keys) > MAX_KEYS:
        detail = f"Rows can be sorted by at most {MAX_KEYS} columns."
        raise Malformed(detail, faults=(Fault(path=path, code="too_many_keys", detail=detail),))
    if len({key.column_id for key in keys}) < len(keys):
        detail = "A column may be named only once in a sort."
        raise Invalid(detail, faults=(Fault(path=path, code="doubled_column", detail=detail),))
    return tuple(keys)


def parse_columns(raw: Any, *, shape: TableShape, path: str = "columns") -> tuple[ColumnSpec, ...]:
    """The columns of `"Company,Due"` or of a list, in that order. Raises Malformed and Invalid."""
    if raw is None or raw in ("", []):
        return ()
    items = _items(raw, path=path, shape=shape, known=lambda ref: shape.column(ref) is not None)
    columns = tuple(_column(item, shape=shape, path=where) for item, where in items)
    if len({column.id for column in columns}) < len(columns):
        detail = "A column may be named only once here."
        raise Invalid(detail, faults=(Fault(path=path, code="doubled_column", detail=detail),))
    return columns


def unknown_column(ref: object, *, shape: TableShape, path: str) -> Fault:
    """The fault of a reference to a column there is not."""
    hint = did_you_mean(ref, [column.name for column in shape.columns])
    value = ref[:255] if isinstance(ref, str) else None
    named = value is not None and 0 < len(value) <= 100 and value.isprintable()
    detail = f"There is no column “{value}”." if named else "There is no such column."
    return Fault(path=path, code="unknown_column", detail=f"{detail}{hint}", value=value)


def _items(raw: Any, *, path: str, shape: TableShape, known: Callable[[str], bool]) -> list[tuple[str, str]]:
    """Each reference with its path. Names may hold commas: the longest run that is a known reference wins."""
    if isinstance(raw, list) and len(raw) <= MAX_ITEMS and all(isinstance(item, str) for item in raw):
        return [(item, f"{path}[{index}]") for index, item in enumerate(raw)]
    if not isinstance(raw, str) or raw.count(",") > MAX_ITEMS:
        detail = f"Columns are named in a text, with commas between them, or in a list; at most {MAX_ITEMS} of them."
        raise Malformed(detail, faults=(Fault(path=path, code="not_columns", detail=detail),))
    longest = 1 + max((column.name.count(",") for column in shape.columns), default=0)
    pieces, start, found = raw.split(","), 0, []
    while start < len(pieces):
        ends = range(min(len(pieces), start + longest), start, -1)
        end = next((end for end in ends if known(",".join(pieces[start:end]))), start + 1)
        found.append((",".join(pieces[start:end]).strip(), path))
        start = end
    return found


def _knows_key(text: str, *, shape: TableShape) -> bool:
    ref = text.strip()
    return shape.column(ref) is not None or (ref.startswith("-") and shape.column(ref[1:]) is not None)


def _key(item: str, *, shape: TableShape, path: str) -> SortKey:
    if item.startswith("-"):
        column = shape.column(item[1:])
        if column is not None:
            return SortKey(column_id=column.id, descending=True)
        if shape.column(item) is None:
            item = item[1:]
    return SortKey(column_id=_column(item, shape=shape, path=path).id)


def _column(ref: str, *, shape: TableShape, path: str) -> ColumnSpec:
    column = shape.column(ref)
    if column is None:
        fault = unknown_column(ref, shape=shape, path=path)
        raise Invalid(fault.detail, faults=(fault,))
    return column
