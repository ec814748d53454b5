"""Reads the cells of a file into those of a table, a row at a time, and tells every cell that cannot be read."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tables.column_types import ColumnSpec, ValueFault, get_column_type, name_key
from tables.column_types.limits import LIMITS
from tables.column_types.names import check_name
from tables.column_types.select import MAX_FOUND_OPTIONS
from tables.importing.keys import Keys, Met, mark_of
from tables.importing.naming import UNNAMED, unnamed_column
from tables.importing.refused_cells import RefusedCell
from tables.importing.targets import Target
from tables.importing.type_detection import example
from tables.importing.value_formats import in_its_form, reader_of
from tables.operations.cells import Json
from user_messages import Message, declare

NO_COLUMN_FOR_CELL = declare("no_column_for_cell", "There is no column for this cell.")
REPEATED_KEY = declare("repeated_key", "An earlier row of the file has the same key; this one is left out.")
KEY_OF_MANY_ROWS = declare(
    "key_of_many_rows", "{count:,} rows of the table have this key; it does not say which one is meant."
)
ROW_LEFT_OUT = declare("row_left_out", "{column} must have a value; the row is left out.")

MOST_REMEMBERED = 5_000
EXTRA = "extra_cell"
UNKNOWN = Met()


@dataclass(slots=True)
class ReadRow:
    """One row as it would be written, cells with `faults` empty; `left_out`: it cannot be written at all."""

    number: int
    data: Json
    faults: list[RefusedCell] = field(default_factory=list)
    left_out: bool = False


class RowReader:
    """Is made once for a file, then reads its rows in order.

    `width` is how many columns the file has; `names` says what records call those beyond, `unnamed` what others do.
    With `merge_on` (ids of columns) each row that was read is still to be looked at with `look_at_keys`."""

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
        self._width, self._names, self._keeps_empty, self._unnamed = width, names, keeps_empty, unnamed
        self._collecting = {target.column.id: dict[str, str]() for target in targets if target.collects}
        self._merge_on = tuple(merge_on)
        self._required = [target.column for target in targets if target.column.required]
        self._missing, self._clears = missing, clears

    def read(self, number: int, cells: Sequence[Any]) -> ReadRow | None:
        """The row; None for one without any value, unless such rows are kept. Empty cells are None in its data."""
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
            self._beyond(row, cells=cells)
        if not row.faults and not self._keeps_empty and all(value is None for value in data.values()):
            return None
        for column_id, values in self._collecting.items():
            data[column_id] = self._collected(values, value=data[column_id])
        if not self._merge_on:
            self._look_at_required(row, columns=[*self._required, *self._missing])
        return row

    def look_at_keys(self, rows: Sequence[ReadRow], *, keys: Keys) -> None:
        """Says of the next rows which row of the table each means, if it means one, and what a new one needs.

        A row whose key was there before is left out.
        """
        marks = [mark_of(row.data, self._merge_on) for row in rows]
        known, passed = keys.meet([mark for mark in marks if mark is not None]), set[str]()
        for row, mark in zip(rows, marks, strict=True):
            if mark is None:
                self._look_at_required(row, columns=[*self._required, *self._missing])
                continue
            self._look_at_key(row, met=known.get(mark, UNKNOWN), before=mark in passed)
            passed.add(mark)

    def collected(self, column_id: str) -> list[str]:
        """The values that were met in a column that makes its own options, in order."""
        return list(self._collecting[column_id].values())

    def _beyond(self, row: ReadRow, *, cells: Sequence[Any]) -> None:
        names = self._names()
        for place in range(self._width, len(cells)):
            if cells[place] not in (None, ""):
                name = names[place] if place < len(names) else unnamed_column(place + 1, pattern=self._unnamed)
                message = NO_COLUMN_FOR_CELL()
                self._refuse(row, column=example(name), code=EXTRA, message=message, value=cells[place])

    def _collected(self, values: dict[str, str], *, value: Any) -> Any:
        """The option a value is: as it was written when it was first met."""
        # One more than there may be: whoever makes options of them says that there are too many.
        if value is None or len(values) > MAX_FOUND_OPTIONS:
            return value
        return values.setdefault(name_key(value), value)

    def _look_at_key(self, row: ReadRow, *, met: Met, before: bool) -> None:
        value = row.data[self._merge_on[0]]
        if before or met.before:
            self._leave_out(row, code="doubled_key", message=REPEATED_KEY(), value=value)
        elif met.rows > 1:
            self._leave_out(row, code="many_matches", message=KEY_OF_MANY_ROWS(count=met.rows), value=value)
        elif not met.rows:
            self._look_at_required(row, columns=[*self._required, *self._missing])
        elif self._clears:
            self._look_at_required(row, columns=self._required)

    def _look_at_required(self, row: ReadRow, *, columns: Sequence[ColumnSpec]) -> None:
        for column in columns:
            if row.data.get(column.id) is None:
                message = ROW_LEFT_OUT(column=column.name)
                self._leave_out(row, column=column.name, code="required", message=message)

    def _leave_out(self, row: ReadRow, *, code: str, message: Message, column: str = "", value: Any = None) -> None:
        row.left_out = True
        self._refuse(row, column=column, code=code, message=message, value=value)

    def _refuse(self, row: ReadRow, *, column: str, code: str, message: Message, value: Any) -> None:
        shown = None if value is None else example(value)
        row.faults.append(RefusedCell(row.number, column, code, message, shown))


def _casters(target: Target) -> tuple[Callable[[Any], Any], Mapping[str, Any] | None]:
    """What reads a filled cell for this column, and where the same is looked up for a text that was read before.

    Both raise ValueFault when they are used.
    """
    column, form = target.column, reader_of(target.form, type_name=target.column.type)
    kind = get_column_type(column.type)

    def cast(value: Any) -> Any:
        try:
            return kind.cast(form(value) if form else value, column).value
        except ValueFault as fault:
            raise in_its_form(fault, value=value, form=target.form) from None

    if target.collects:
        return _as_option, None
    if column.type == "text":
        most = LIMITS.cell_bytes

        def text(value: Any) -> Any:
            # Mostly it is plain and short: then it need not be looked at a second time.
            if type(value) is str and len(value) <= most and value.isascii() and "\0" not in value:
                return value
            return cast(value)

        return text, None
    return cast, _Remembered(cast)


def _as_option(value: Any) -> str:
    text = get_column_type("text").cast(value, ColumnSpec("", "", "text")).value
    return check_name(" ".join(text.split()), is_option=True)


class _Remembered(dict[str, Any]):
    """Values by the texts that mean them; what is not there is read, and kept as long as there is room."""

    def __init__(self, cast: Callable[[Any], Any]) -> None:
        super().__init__()
        self._cast = cast

    def __missing__(self, text: str) -> Any:
        found = self._cast(text)
        if len(self) < MOST_REMEMBERED:
            self[text] = found
        return found


def defaults_of(columns: Sequence[ColumnSpec], *, filled: frozenset[str]) -> Json:
    """What a new row has in columns that nothing of the file goes into."""
    return {column.id: column.default for column in columns if column.id not in filled and column.default is not None}
