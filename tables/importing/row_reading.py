"""Read the rows of a file as rows of a table, match them by keys, and report unreadable cells.

Rows without anything to report are read by columns, which takes a fraction of the time.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from itertools import zip_longest
from typing import Any, Protocol

from shared import strictjson
from shared.user_messages import Message, declare
from tables.column_types import DEFAULT_TYPE, ColumnSpec, ColumnType, ValueFault, get_column_type, name_key
from tables.column_types.names import check_name
from tables.column_types.options import MAX_FOUND_OPTIONS
from tables.column_types.written_forms import UNCHANGED
from tables.importing.file_formats.source import RawRow
from tables.importing.names import UNNAMED, unnamed_column
from tables.importing.refused_cells import RefusedCell
from tables.importing.targets import Target
from tables.importing.type_detection import example
from tables.operations.cells import Json
from tables.operations.plans.upserts import merge_key

NO_COLUMN_FOR_CELL = declare("no_column_for_cell", "There is no column for this cell.")
REPEATED_KEY = declare("repeated_key", "An earlier row in the file has the same key; this row is skipped.")
KEY_OF_MANY_ROWS = declare(
    "key_of_many_rows", "{count:,} rows in the table have this key, so the match is not clear."
)
ROW_LEFT_OUT = declare("row_left_out", "{column} must have a value; the row is skipped.")

MAX_CACHED_VALUES = 5_000
EXTRA_CELL = "extra_cell"
# Long enough that the keys of all tables together have no collision.
KEY_HASH_BYTES = 16


@dataclass(frozen=True, slots=True)
class KeyMatch:
    """Number of table rows with a key, the first of them, and whether an earlier row of the file has it."""

    rows: int = 0
    row_id: int | None = None
    before: bool = False


class Keys(Protocol):
    """The keys of a table and of the rows of a file read so far, however many there are."""

    def match(self, marks: Sequence[str]) -> Mapping[str, KeyMatch]:
        """Return the known ones of these keys, and mark all of them as read."""


NO_MATCH = KeyMatch()


@dataclass(slots=True)
class ReadRow:
    """One row to write. Cells with `faults` are empty; a row that is `skipped` is not written."""

    number: int
    data: Json
    faults: list[RefusedCell] = field(default_factory=list)
    skipped: bool = False


class RowReader:
    """Reads the rows of a file in order.

    `width` is the number of columns in the file; `names` returns the names that records give to cells beyond it,
    `unnamed` is the pattern of other names. With `merge_on` (ids of columns), each row must also be passed to
    `match_rows`.
    """

    def __init__(
        self,
        targets: Sequence[Target],
        *,
        width: int,
        names: Callable[[], Sequence[str]] = tuple,
        merge_on: Sequence[str] = (),
        missing: Sequence[ColumnSpec] = (),
        clears: bool = False,
        keeps_empty: bool = False,
        unnamed: str = UNNAMED,
    ) -> None:
        self._cells = [(target.index, target.column, *_casters(target)) for target in targets]
        self._unchanged = {
            target.column.id for target in targets
            if not target.collects and get_column_type(target.column.type).form(target.form) is UNCHANGED
        }  # fmt: skip
        self._width, self._names, self._keeps_empty, self._unnamed = width, names, keeps_empty, unnamed
        self._collecting = {target.column.id: dict[str, str]() for target in targets if target.collects}
        self._lists = {target.column.id for target in targets if get_column_type(target.column.type).has_lists}
        self._merge_on = tuple(merge_on)
        self._required = [target.column for target in targets if target.column.required]
        self._missing, self._clears = missing, clears

    def read(self, number: int, cells: Sequence[Any]) -> ReadRow | None:
        """Return the row; None for an empty row, unless these are imported. Empty cells are None in its data."""
        row = ReadRow(number, {})
        data, count = row.data, len(cells)
        for index, column, cast, known in self._cells:
            value = cells[index] if index < count else None
            if value is None or value == "":
                data[column.id] = None
                continue
            try:
                data[column.id] = known[value] if known is not None and type(value) is str else cast(value)
            except ValueFault as fault:
                data[column.id] = None
                self._refuse(row, column=column.name, code=fault.code, message=fault.message, value=value)
        if count > self._width:
            self._refuse_extra_cells(row, cells=cells)
        if not row.faults and not self._keeps_empty and all(value is None for value in data.values()):
            return None
        for column_id, values in self._collecting.items():
            data[column_id] = self._collect_options(values, names=data[column_id], column_id=column_id)
        if not self._merge_on:
            self._check_required(row, columns=[*self._required, *self._missing])
        return row

    def read_columns(self, rows: Sequence[RawRow]) -> dict[str, Sequence[Any]] | None:
        """Return the values of new rows by column; None if `read` must read them, as it drops or reports some."""
        if self._merge_on or self._missing or any(len(cells) > self._width for _, cells in rows):
            return None
        by_index = list(zip_longest(*(cells for _, cells in rows)))
        by_index += [(None,) * len(rows)] * (self._width - len(by_index))
        columns: dict[str, Sequence[Any]] = {}
        for index, column, cast, known in self._cells:
            try:
                values = by_index[index]
                if column.id in self._unchanged and _are_unchanged(values, column=column):
                    columns[column.id] = [value or None for value in values] if "" in values else values
                else:
                    columns[column.id] = _read_values(values, cast=cast, known=known)
            except ValueFault:
                return None
        gaps = {column_id for column_id, values in columns.items() if None in values}
        if any(column.id in gaps for column in self._required):
            return None
        may_be_empty = not self._keeps_empty and len(gaps) == len(columns)
        if may_be_empty and any(row.count(None) == len(row) for row in zip(*columns.values(), strict=True)):
            return None
        for column_id, options in self._collecting.items():
            columns[column_id] = [
                self._collect_options(options, names=names, column_id=column_id) for names in columns[column_id]
            ]
        return columns

    def match_rows(self, rows: Sequence[ReadRow], *, keys: Keys) -> None:
        """Match the next rows to rows of the table, and check required values of new ones.

        A row with a repeated key is skipped.
        """
        hashes = [key_hash(row.data, self._merge_on) for row in rows]
        known, passed = keys.match([hash_ for hash_ in hashes if hash_ is not None]), set[str]()
        for row, hash_ in zip(rows, hashes, strict=True):
            if hash_ is None:
                self._check_required(row, columns=[*self._required, *self._missing])
                continue
            self._match_row(row, match=known.get(hash_, NO_MATCH), before=hash_ in passed)
            passed.add(hash_)

    def collected(self, column_id: str) -> list[str]:
        """Return the values of a column whose values become its options, in order."""
        return list(self._collecting[column_id].values())

    def _refuse_extra_cells(self, row: ReadRow, *, cells: Sequence[Any]) -> None:
        names = self._names()
        for index in range(self._width, len(cells)):
            if cells[index] not in (None, ""):
                name = names[index] if index < len(names) else unnamed_column(index + 1, pattern=self._unnamed)
                message = NO_COLUMN_FOR_CELL()
                self._refuse(row, column=example(name), code=EXTRA_CELL, message=message, value=cells[index])

    def _collect_options(self, values: dict[str, str], *, names: Sequence[str] | None, column_id: str) -> Any:
        """Return the option or the options in a cell, in the spelling and order of their first appearance."""
        if names is None:
            return None
        # One more than allowed is collected, so that the caller can report too many options.
        if len(values) <= MAX_FOUND_OPTIONS:
            names = [values.setdefault(name_key(name), name) for name in names]
        if column_id not in self._lists:
            return names[0]
        found = set(names)
        return [name for name in values.values() if name in found]

    def _match_row(self, row: ReadRow, *, match: KeyMatch, before: bool) -> None:
        value = row.data[self._merge_on[0]]
        if before or match.before:
            self._skip(row, code="doubled_key", message=REPEATED_KEY(), value=value)
        elif match.rows > 1:
            self._skip(row, code="many_matches", message=KEY_OF_MANY_ROWS(count=match.rows), value=value)
        elif not match.rows:
            self._check_required(row, columns=[*self._required, *self._missing])
        elif self._clears:
            self._check_required(row, columns=self._required)

    def _check_required(self, row: ReadRow, *, columns: Sequence[ColumnSpec]) -> None:
        for column in columns:
            if row.data.get(column.id) is None:
                message = ROW_LEFT_OUT(column=column.name)
                self._skip(row, column=column.name, code="required", message=message)

    def _skip(self, row: ReadRow, *, code: str, message: Message, column: str = "", value: Any = None) -> None:
        row.skipped = True
        self._refuse(row, column=column, code=code, message=message, value=value)

    def _refuse(self, row: ReadRow, *, column: str, code: str, message: Message, value: Any) -> None:
        shown = None if value is None else example(value)
        row.faults.append(RefusedCell(row.number, column, code, message, shown))


def _casters(target: Target) -> tuple[Callable[[Any], Any], Mapping[str, Any] | None]:
    """Return a function that reads a filled cell for this column, and a cache of texts read before, if useful.

    Both raise ValueFault.
    """
    kind = get_column_type(target.column.type)
    form, cast_value = kind.form(target.form), kind.caster(target.column)
    read = form.read

    def cast(value: Any) -> Any:
        try:
            return cast_value(read(value) if read else value)
        except ValueFault as fault:
            raise kind.explain_fault(fault, value=value, form=form.name) from None

    if target.collects:
        return partial(_as_options, kind=kind), None
    return (cast, _ValueCache(cast)) if kind.repeats else (cast_value if form is UNCHANGED else cast, None)


def _are_unchanged(values: Sequence[Any], *, column: ColumnSpec) -> bool:
    return _are_texts(values) and get_column_type(column.type).stores_unchanged(values, column)


def _are_texts(values: Sequence[Any]) -> bool:
    return set(map(type, values)) == {str}


def _read_values(
    values: Sequence[Any], *, cast: Callable[[Any], Any], known: Mapping[str, Any] | None
) -> Sequence[Any]:
    """Return the stored values of a column, None for empty cells. Raises ValueFault."""
    if known is not None and _are_texts(values):
        return [known[value] if value else None for value in values]
    return [None if value is None or value == "" else cast(value) for value in values]


def _as_options(value: Any, *, kind: ColumnType) -> list[str] | None:
    text = get_column_type(DEFAULT_TYPE).cast(value, ColumnSpec("", "", DEFAULT_TYPE)).value
    return [check_name(" ".join(name.split()), is_option=True) for name in kind.options_of(text)] or None


class _ValueCache(dict[str, Any]):
    """Cache of values by their text, of limited size; missing ones are read."""

    def __init__(self, cast: Callable[[Any], Any]) -> None:
        super().__init__()
        self._cast = cast

    def __missing__(self, text: str) -> Any:
        found = self._cast(text)
        if len(self) < MAX_CACHED_VALUES:
            self[text] = found
        return found


def default_values(columns: Sequence[ColumnSpec], *, filled: frozenset[str]) -> Json:
    """Return the values of a new row in columns that are not imported."""
    return {column.id: column.default for column in columns if column.id not in filled and column.default is not None}


def key_hash(data: Mapping[str, Any], columns: Sequence[str]) -> str | None:
    """Return the hash of a row's values in these columns (ids); None if one of them is empty."""
    key = merge_key(data, columns)
    if not key or None in key:
        return None
    return blake2b(strictjson.dumps(list(key)).encode(), digest_size=KEY_HASH_BYTES).hexdigest()
