"""Rows and edits in requests about results: their paths, their columns, and the refusal of unknown ones."""
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

from fills.models import Fill
from shared.user_messages import declare
from tables.exceptions import Fault, Invalid
from tables.operations import TableShape

Json = dict[str, Any]
NO_RESULT = declare("no_result_for_row", "Nothing was found for row {row}.")
NOT_FILLED = declare("fill_column_not_filled", "This fill does not fill the column “{column}”.")


def refuse_other_columns(fill: Fill, *, edits: Mapping[int, Json], shape: TableShape) -> None:
    """Raise Invalid if edits have columns that the fill does not fill. Unknown columns are left to the pipeline."""
    others = {column.id: column.name for column in shape.columns if column.id not in fill.columns}
    faults = [
        Fault(f"edits.{row_id}.{sent}", "not_filled", message=NOT_FILLED(column=others[key]))
        for row_id, edit in edits.items() for key, sent in names_sent(edit, shape=shape).items() if key in others
    ]  # fmt: skip
    if faults:
        raise Invalid(faults[0].message, faults=faults, most=100)


def paths_of_rows(row_ids: Sequence[int], *, name: str = "rows") -> dict[str, int]:
    """Return the rows of a list in a request by their paths, such as `rows[3]`."""
    return {f"{name}[{index}]": row_id for index, row_id in enumerate(row_ids)}


def paths_of_edits(row_ids: Iterable[int]) -> dict[str, int]:
    """Return the rows of edits by their paths, such as `edits.12`."""
    return {f"edits.{row_id}": row_id for row_id in row_ids}


def refuse_without_result(paths: Mapping[str, int], *, known: Set[int]) -> None:
    """Raise Invalid for all of these rows, by path, that are not among the known ones."""
    faults = [
        Fault(path, code="no_result", message=NO_RESULT(row=row_id), row_id=row_id)
        for path, row_id in paths.items()
        if row_id not in known
    ]
    if faults:
        raise Invalid(faults[0].message, code="no_result", faults=faults, most=100)


def cells_by_id(edit: Json, *, shape: TableShape) -> Json:
    """Return the cells of an edit by column id, or as they were sent for columns that do not exist."""
    columns = {ref: shape.column(ref) for ref in edit}
    return {found.id if (found := columns[ref]) else ref: value for ref, value in edit.items()}


def names_sent(edit: Json, *, shape: TableShape) -> dict[str, str]:
    """Return the names of columns in an edit as they were sent, by name and id."""
    columns = {ref: shape.column(ref) for ref in edit}
    return {key: ref for ref, found in columns.items() for key in ([found.id, found.name] if found else [ref])}
