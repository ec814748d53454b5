"""Reads the rows of an upsert by what says which row is meant; nothing is decided yet."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from unicodedata import normalize

from tables.column_types import ColumnSpec, TableShape
from tables.operations.cells import read_cells, resolve_column
from tables.operations.form import Form

# The values of a row in the columns it is merged on; None where one of them is empty: such a row matches nothing.
Key = tuple[Any, ...]


@dataclass(frozen=True)
class Merge:
    """The columns rows are merged on, and each row's key."""

    columns: tuple[ColumnSpec, ...]
    keys: tuple[Key | None, ...]


def merge_key(data: Mapping[str, Any], columns: Sequence[str]) -> Key:
    """The values in these columns (ids) as keys are compared: text in NFC, so that both forms of `é` are the same."""
    values = (data.get(column_id) for column_id in columns)
    return tuple(normalize("NFC", value) if isinstance(value, str) else value for value in values)


def read_merge(merge_on: Any, *, rows: Sequence[Any], shape: TableShape, typecast: bool) -> Merge:
    """Raises Malformed, and Invalid for unknown columns and for two rows with the same key, with all paths."""
    form = Form(understood={"unknown_column", "doubled_key"})
    columns = _columns(merge_on, shape=shape, form=form)
    form.refuse()
    keys = [
        _key(row, columns=columns, shape=shape, path=f"rows[{index}]", typecast=typecast, form=form)
        for index, row in enumerate(rows)
    ]
    first: dict[Key, int] = {}
    for index, key in enumerate(keys):
        if key is not None and first.setdefault(key, index) != index:
            detail = f"Row {first[key]} of this request has the same {_names(columns)}."
            form.fault(path=f"rows[{index}]", code="doubled_key", detail=detail)
    form.refuse()
    return Merge(columns=columns, keys=tuple(keys))


def plan_merge(merge: Merge, *, matches: dict[Key, list[int]]) -> list[int | None]:
    """The id of the row each one is to be merged into, None for a new row. Raises Invalid where there are several."""
    form = Form(understood={"many_matches"})
    for index, key in enumerate(merge.keys):
        found = matches.get(key, []) if key is not None else []
        if len(found) > 1:
            some = ", ".join(str(row_id) for row_id in found[:3])
            those = f"Rows {some}" + (f" and {len(found) - 3:,} more" if len(found) > 3 else "")
            detail = f"{those} have this {_names(merge.columns)}; it does not say which one is meant."
            form.fault(path=f"rows[{index}]", code="many_matches", detail=detail)
    form.refuse()
    return [matches[key][0] if key is not None and key in matches else None for key in merge.keys]


def _columns(merge_on: Any, *, shape: TableShape, form: Form) -> tuple[ColumnSpec, ...]:
    columns: list[ColumnSpec] = []
    for index, ref in enumerate(form.items(merge_on, path="merge_on")):
        path = f"merge_on[{index}]"
        if not isinstance(ref, str):
            form.fault(path=path, code="not_a_column", detail="This must be the name of a column.", value=ref)
            continue
        column = resolve_column(ref, shape=shape, path=path, form=form)
        if column in columns:
            form.fault(path=path, code="doubled_column", detail=f"“{ref}” is named twice.")
        elif column is not None:
            columns.append(column)
    if merge_on == []:
        form.fault(path="merge_on", code="empty", detail="Name at least one column.")
    return tuple(columns)


def _key(
    row: Any, *, columns: Sequence[ColumnSpec], shape: TableShape, path: str, typecast: bool, form: Form
) -> Key | None:
    if not isinstance(row, dict):
        form.fault(path=path, code="not_an_object", detail="This must be an object of columns and values.", value=row)
        return None
    # Unknown columns and values that do not fit are told when the row itself is read.
    values = read_cells(row, shape=shape, path=path, typecast=typecast, form=Form()).values
    key = merge_key(values, [column.id for column in columns])
    return None if None in key else key


def _names(columns: Sequence[ColumnSpec]) -> str:
    return " and ".join(f"“{column.name}”" for column in columns)
