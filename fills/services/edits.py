"""Edits of results in requests: their cells, and the refusal of those that are not possible."""
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from typing import Any

from fills.models import Fill
from fills.services.request_paths import names_sent
from fills.services.review_states import APPLIED, Reviewed
from shared.user_messages import declare
from tables.exceptions import Fault, Invalid, Malformed, TablesError
from tables.operations import TableShape
from tables.operations.body_reader import Form
from tables.operations.cells import VALUE_REQUIRED, read_cells

Json = dict[str, Any]
EDIT_NOT_CHOSEN = declare("fill_edit_not_chosen", "Row {row} has an edit, but is not in “rows”.")
RESULT_APPLIED = declare(
    "fill_result_applied", "The result of row {row} is applied already. Change the cells of the row instead."
)
NO_RESULT = declare("no_result_for_row", "Nothing was found for row {row}.")
NOT_FILLED = declare("fill_column_not_filled", "This fill does not fill the column “{column}”.")


class Refusals:
    """Errors about parts of a request, which are raised together."""

    def __init__(self) -> None:
        self.found: list[TablesError] = []

    @contextmanager
    def collect(self) -> Iterator[None]:
        """Keep an error about a part."""
        try:
            yield
        except (Malformed, Invalid) as error:
            self.found.append(error)

    def refuse(self) -> None:
        """Raise the only error, or one with the faults of all."""
        if len(self.found) == 1:
            raise self.found[0]
        form = Form()
        for error in self.found:
            form.add_further(error)
        form.refuse()


def refuse_other_columns(fill: Fill, *, edits: Mapping[int, Json], shape: TableShape) -> None:
    """Raise Invalid if edits have columns that the fill does not fill. Unknown columns are left to the pipeline."""
    others = {column.id: column.name for column in shape.columns if column.id not in fill.columns}
    faults = [
        Fault(f"edits.{row_id}.{sent}", "not_filled", message=NOT_FILLED(column=others[key]))
        for row_id, edit in edits.items() for key, sent in names_sent(edit, shape=shape).items() if key in others
    ]  # fmt: skip
    if faults:
        raise Invalid(faults[0].message, faults=faults, most=100)


def refuse_without_result(paths: Mapping[str, int], *, known: Set[int]) -> None:
    """Raise Invalid for all of these rows, by path, that are not among the known ones."""
    faults = [
        Fault(path, code="no_result", message=NO_RESULT(row=row_id), row_id=row_id)
        for path, row_id in paths.items()
        if row_id not in known
    ]
    if faults:
        raise Invalid(faults[0].message, code="no_result", faults=faults, most=100)


def refuse_unreadable(edits: Mapping[int, Json], *, known: Set[int], shape: TableShape) -> None:
    """Raise Malformed or Invalid for unknown columns and wrong values of rows that are not among the known ones.

    Those of other rows are found when their changes are prepared.
    """
    form = Form()
    for row_id in edits.keys() - known:
        cells = read_cells(edits[row_id], shape=shape, path=f"edits.{row_id}", typecast=True, form=form)
        form.faults += (Fault.from_json(fault) for fault in cells.faults)
        form.invalid_codes.update(fault["code"] for fault in cells.faults)
    form.refuse()


def refuse_empty(edits: Mapping[int, Json], *, shape: TableShape) -> None:
    """Raise Invalid for edits without a value for a required column, which no apply could write."""
    required, form, faults = [column for column in shape.columns if column.required], Form(), []
    for row_id, edit in edits.items() if required else ():
        cells = read_cells(edit, shape=shape, path=f"edits.{row_id}", typecast=True, form=form)
        sent = names_sent(edit, shape=shape)
        faults += [
            Fault(f"edits.{row_id}.{sent[column.id]}", "required", message=VALUE_REQUIRED(column=column.name))
            for column in required if column.id in cells.values and cells.values[column.id] is None
        ]  # fmt: skip
    if faults:
        raise Invalid(faults[0].message, faults=faults, most=100)


def cells_by_id(edit: Json, *, shape: TableShape) -> Json:
    """Return the cells of an edit by column id, or as they were sent for columns that do not exist."""
    columns = {ref: shape.column(ref) for ref in edit}
    return {found.id if (found := columns[ref]) else ref: value for ref, value in edit.items()}


def refuse_not_chosen(edits: Mapping[int, Json], *, row_ids: Sequence[int]) -> None:
    """Raise Malformed for edits of rows that the request does not choose."""
    others = edits.keys() - set(row_ids)
    faults = [
        Fault(f"edits.{row_id}", "not_chosen", message=EDIT_NOT_CHOSEN(row=row_id))
        for row_id in edits if row_id in others
    ]  # fmt: skip
    if faults:
        raise Malformed(faults[0].message, faults=faults[:100])


def refuse_applied(edited: Sequence[Reviewed], *, states: Mapping[int, str]) -> None:
    """Raise Invalid for edits of results that an apply has written: the row has them, so that none can be applied."""
    faults = [
        Fault(f"edits.{each.row_id}", "already_applied", message=RESULT_APPLIED(row=each.row_id))
        for each in edited if states[each.row_id] == APPLIED and each.change_id is not None
    ]  # fmt: skip
    if faults:
        raise Invalid(faults[0].message, faults=faults, most=100)
