"""Match the rows of an upsert to existing rows by the values of their key columns."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from unicodedata import normalize

from shared.user_messages import Message, Param, declare
from tables.column_types import ColumnSpec, TableShape, get_column_type
from tables.exceptions import Fault, Outdated
from tables.operations.body_reader import MAX_FAULTS, Form
from tables.operations.cells import DOUBLED_COLUMN, NOT_CELLS, read_cells, resolve_column

# The values of a row in the key columns. A row with an empty one has no key (None) and matches nothing.
Key = tuple[Any, ...]
MAX_LISTED = 3
DOUBLED_KEY = declare("doubled_key", "Row {row} of this request has the same {columns:quoted}.")
MANY_MATCHES = declare("many_matches", "Rows {rows} have the same {columns:quoted}, so the match is not clear.")
ROWS_AND_MORE = declare("rows_and_more", "{rows} and {count:,} more")
NO_MATCH_FOR_VERSION = declare(
    "no_match_for_version", "No row has the same {columns:quoted}. Leave out its version to add it."
)
COLUMNS_AND_COLUMN = declare("columns_and_column", "{columns:quoted} and “{column}”")
NOT_A_COLUMN_NAME = declare("not_a_column_name", "This must be the name of a column.")
NOT_A_KEY = declare("not_a_key_column", "Rows cannot be matched by the files in “{column}”.")
COLUMNS_NEEDED = declare("columns_needed", "Name at least one column.")


@dataclass(frozen=True)
class Merge:
    """The key columns of an upsert, and for each row its key and the version of the row that it must match."""

    columns: tuple[ColumnSpec, ...]
    keys: tuple[Key | None, ...]
    versions: tuple[int | None, ...]


def merge_key(data: Mapping[str, Any], columns: Sequence[str]) -> Key:
    """Return the values in these columns (ids) for comparison. Text is NFC, so that both forms of `é` are equal."""
    values = (data.get(column_id) for column_id in columns)
    return tuple(
        normalize("NFC", value) if isinstance(value, str) else tuple(value) if isinstance(value, list) else value
        for value in values
    )


def read_merge(
    merge_on: Any, *, rows: Sequence[Any], versions: Sequence[int | None], shape: TableShape, typecast: bool, form: Form
) -> Merge:
    """Return the key columns and the keys of the rows; add rows that are not objects or have the same key to `form`.

    Raises Malformed or Invalid, with the faults of columns and values, if the key columns are not known.
    """
    form.invalid_codes |= {"doubled_key", "not_a_key"}
    columns = _columns(merge_on, shape=shape, form=form)
    _refuse(form, rows=rows, shape=shape, typecast=typecast)
    keys = [
        _key(row, columns=columns, shape=shape, path=f"rows[{index}]", typecast=typecast, form=form)
        for index, row in enumerate(rows)
    ]
    first: dict[Key, int] = {}
    for index, key in enumerate(keys):
        if key is not None and first.setdefault(key, index) != index:
            message = DOUBLED_KEY(row=first[key], columns=_names(columns))
            form.fault(path=f"rows[{index}]", code="doubled_key", message=message)
    return Merge(columns=columns, keys=tuple(keys), versions=tuple(versions))


def _refuse(form: Form, *, rows: Sequence[Any], shape: TableShape, typecast: bool) -> None:
    """Raise the faults of the form, if there are any, and with them those of columns and values in the rows."""
    if not form.faults:
        return
    for index, row in enumerate(rows):
        if not _are_cells(row, path=f"rows[{index}]", form=form):
            continue
        cells = read_cells(row, shape=shape, path=f"rows[{index}].data", typecast=typecast, form=form)
        form.faults += (Fault.from_json(fault) for fault in cells.faults)
        form.invalid_codes.update(fault["code"] for fault in cells.faults)
    form.refuse()


def plan_merge(merge: Merge, *, matches: Mapping[Key, Sequence[int]], form: Form) -> list[int | None]:
    """Return the id of the row that each one updates, None for a new row; add those that match several to `form`."""
    form.invalid_codes.add("many_matches")
    for index, key in enumerate(merge.keys):
        found = matches.get(key, []) if key is not None else []
        if len(found) > 1:
            message = MANY_MATCHES(rows=_listed(found), columns=_names(merge.columns))
            form.fault(path=f"rows[{index}]", code="many_matches", message=message)
    return [matches[key][0] if key is not None and key in matches else None for key in merge.keys]


def refuse_unmatched(merge: Merge, *, matches: Mapping[Key, Sequence[int]]) -> None:
    """Raise Outdated if no row matches one of which the client knows the version."""
    message = NO_MATCH_FOR_VERSION(columns=_names(merge.columns))
    faults = [
        Fault(f"rows[{index}].version", "version_moved", message=message)
        for index, (key, version) in enumerate(zip(merge.keys, merge.versions, strict=True))
        if version is not None and (key is None or key not in matches)
    ]
    if faults:
        raise Outdated(message, faults=faults, most=MAX_FAULTS)


def _columns(merge_on: Any, *, shape: TableShape, form: Form) -> tuple[ColumnSpec, ...]:
    columns: list[ColumnSpec] = []
    for index, ref in enumerate(form.items(merge_on, path="merge_on")):
        path = f"merge_on[{index}]"
        if not isinstance(ref, str):
            form.fault(path=path, code="not_a_column", message=NOT_A_COLUMN_NAME(), value=ref)
            continue
        column = resolve_column(ref, shape=shape, path=path, form=form)
        if column in columns:
            form.fault(path=path, code="doubled_column", message=DOUBLED_COLUMN(column=ref))
        elif column is not None and get_column_type(column.type).has_files:
            form.fault(path=path, code="not_a_key", message=NOT_A_KEY(column=column.name))
        elif column is not None:
            columns.append(column)
    if merge_on == []:
        form.fault(path="merge_on", code="empty", message=COLUMNS_NEEDED())
    return tuple(columns)


def _key(
    row: Any, *, columns: Sequence[ColumnSpec], shape: TableShape, path: str, typecast: bool, form: Form
) -> Key | None:
    if not _are_cells(row, path=path, form=form):
        return None
    # Faults of columns and values are reported when the row itself is read.
    values = read_cells(row, shape=shape, path=path, typecast=typecast, form=Form()).values
    key = merge_key(values, [column.id for column in columns])
    return None if None in key else key


def _are_cells(row: Any, *, path: str, form: Form) -> bool:
    if not isinstance(row, dict):
        form.fault(path=path, code="not_an_object", message=NOT_CELLS(), value=row)
    return isinstance(row, dict)


def _names(columns: Sequence[ColumnSpec]) -> str | Message:
    *others, last = (column.name for column in columns)
    return COLUMNS_AND_COLUMN(columns=others, column=last) if others else last


def _listed(row_ids: Sequence[int]) -> Param:
    listed = tuple(row_ids[:MAX_LISTED])
    return ROWS_AND_MORE(rows=listed, count=len(row_ids) - MAX_LISTED) if len(row_ids) > MAX_LISTED else listed
