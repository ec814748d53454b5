"""Sort orders, lists of columns, and positions in sorted rows (keyset pagination)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from shared.user_messages import declare
from tables.column_types.names import did_you_mean
from tables.column_types.spec import ColumnSpec, TableShape
from tables.exceptions import Fault, Invalid, Malformed, TablesError
from tables.operations.body_reader import Form
from tables.operations.cells import UNKNOWN_COLUMN

Read = TypeVar("Read")
MAX_KEYS = 10
MAX_ITEMS = 1_000
# Positions are part of URLs, so a longer cell is left out and read again from the row.
MAX_POSITION_TEXT_LENGTH = 100
TOO_MANY_KEYS = declare("too_many_keys", "Rows can be sorted by at most {count} columns.")
DOUBLED_KEY_COLUMN = declare("doubled_key_column", "A column can be used only once in a sort.")
COLUMN_NAMED_TWICE = declare("column_named_twice", "A column can be used only once here.")
NO_SUCH_COLUMN = declare("no_such_column", "Column not found.{hint}")
NOT_COLUMNS = declare("not_columns", "Give the columns as a list or a comma-separated text; at most {count}.")


@dataclass(frozen=True)
class SortKey:
    """One column to sort by."""

    column_id: str
    descending: bool = False

    def as_json(self) -> str:
        """Return `-col_…` or `col_…`."""
        return f"-{self.column_id}" if self.descending else self.column_id


def parse_sort(raw: Any, *, shape: TableShape, path: str = "sort") -> tuple[SortKey, ...]:
    """Return the keys of `"-Due,Company"`, or of a list of such keys; the minus sign means descending.

    Columns by id or name. Raises Malformed, and Invalid for an unknown column, with the nearest name.
    """
    if raw is None or raw in ("", []):
        return ()
    items = _items(raw, path=path, shape=shape, known=lambda ref: _knows_key(ref, shape=shape))
    keys = _read_all(_key, items, shape=shape)
    if len(keys) > MAX_KEYS:
        raise Malformed.at(path, TOO_MANY_KEYS(count=MAX_KEYS), code="too_many_keys")
    if len({key.column_id for key in keys}) < len(keys):
        raise Invalid.at(path, DOUBLED_KEY_COLUMN(), code="doubled_column")
    return tuple(keys)


def parse_columns(raw: Any, *, shape: TableShape, path: str = "columns") -> tuple[ColumnSpec, ...]:
    """Return the columns of `"Company,Due"` or of a list, in that order. Raises Malformed and Invalid."""
    if raw is None or raw in ("", []):
        return ()
    items = _items(raw, path=path, shape=shape, known=lambda ref: shape.column(ref) is not None)
    columns = tuple(_read_all(_column, items, shape=shape))
    if len({column.id for column in columns}) < len(columns):
        raise Invalid.at(path, COLUMN_NAMED_TWICE(), code="doubled_column")
    return columns


def _read_all(read: Callable[..., Read], items: Iterable[tuple[str, str]], *, shape: TableShape) -> list[Read]:
    """Return what `read` makes of each reference with its path. Raises one error with the faults of all of them."""
    form, found = Form(), []
    for item, path in items:
        try:
            found.append(read(item, shape=shape, path=path))
        except TablesError as error:
            form.add_error(error)
    form.refuse()
    return found


def unknown_column(ref: object, *, shape: TableShape, path: str) -> Fault:
    """Return the fault of a reference to an unknown column."""
    hint = did_you_mean(ref, [column.name for column in shape.columns])
    value = ref[:255] if isinstance(ref, str) else None
    named = value is not None and 0 < len(value) <= 100 and value.isprintable()
    message = UNKNOWN_COLUMN(column=value, hint=hint) if named else NO_SUCH_COLUMN(hint=hint)
    return Fault(path=path, code="unknown_column", message=message, value=value)


def _items(raw: Any, *, path: str, shape: TableShape, known: Callable[[str], bool]) -> list[tuple[str, str]]:
    """Return each reference with its path. Names may contain commas, so the longest known reference is used."""
    if isinstance(raw, list) and len(raw) <= MAX_ITEMS and all(isinstance(item, str) for item in raw):
        return [(item, f"{path}[{index}]") for index, item in enumerate(raw)]
    if not isinstance(raw, str) or raw.count(",") > MAX_ITEMS:
        raise Malformed.at(path, NOT_COLUMNS(count=MAX_ITEMS), code="not_columns")
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
        raise Invalid(fault.message, faults=(fault,))
    return column


@dataclass(frozen=True)
class KeysetPosition:
    """The sort values (None for empty cells), the position and the id of one row.

    Rows added, moved or deleted before it do not affect the rows after it. `left_out` are the indexes of cells that are
    too long to be included: their current values are used.
    """

    cells: tuple[Any, ...]
    position: int
    row_id: int
    left_out: tuple[int, ...] = ()

    def as_json(self) -> list[Any]:
        """Return the JSON form that `read_keyset_position` reads."""
        return [list(self.cells), self.position, self.row_id, list(self.left_out)]


def keyset_position(*, row_id: int, position: int, data: Mapping[str, Any], sort: Sequence[SortKey]) -> KeysetPosition:
    """Return the position of a row with these cells (`data`, by column id)."""
    cells = [data.get(key.column_id) for key in sort]
    long = tuple(i for i, cell in enumerate(cells) if isinstance(cell, str) and len(cell) > MAX_POSITION_TEXT_LENGTH)
    carried = tuple(None if i in long else cell for i, cell in enumerate(cells))
    return KeysetPosition(cells=carried, position=position, row_id=row_id, left_out=long)


def read_keyset_position(stored: Any) -> KeysetPosition:
    """Return the position that `as_json` wrote. The input must be trusted."""
    cells, position, row_id, left_out = stored
    return KeysetPosition(cells=tuple(cells), position=position, row_id=row_id, left_out=tuple(left_out))
