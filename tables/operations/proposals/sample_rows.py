"""Sample rows of a new table: read as written, and checked again with the columns the table will have."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from shared.user_messages import declare
from tables.column_types import ColumnSpec, TableShape, ValueFault, get_column_type
from tables.exceptions import Fault, Invalid
from tables.operations.body_reader import Form, short
from tables.operations.cells import VALUE_REQUIRED, read_cells
from tables.operations.changes.delta import restore_numbers

Json = dict[str, Any]
MAX_SAMPLE_ROWS = 5
SAMPLES_MISSING = declare("samples_missing", "A new table comes with sample rows (or an empty list).")
TOO_MANY_SAMPLES = declare("too_many_samples", "There can be at most {count} sample rows.")
UNFIT_SAMPLE = declare("unfit_sample", "A sample row is not valid. {reason}")


@dataclass
class SampleRows:
    """The rows to write, without unreadable cells, and the faults of these."""

    rows: list[Json] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    def refuse(self) -> None:
        """Raise Invalid if a cell cannot be read, because rows are never written without some of their cells."""
        if self.faults:
            raise Invalid(UNFIT_SAMPLE(reason=self.faults[0].message), faults=tuple(self.faults))


def read_sample_rows(raw: Any, *, shape: TableShape, typecast: bool, form: Form) -> list[Json]:
    """Return the rows by column id. Invalid values are included, and reported by `plan_sample_rows`."""
    if raw is None:
        form.fault(path="sample_rows", code="missing", message=SAMPLES_MISSING())
        return []
    written = form.items(raw, path="sample_rows")
    if len(written) > MAX_SAMPLE_ROWS:
        form.fault(path="sample_rows", code="too_many", message=TOO_MANY_SAMPLES(count=MAX_SAMPLE_ROWS))
        return []
    samples = []
    for index, row in enumerate(written):
        cells = read_cells(row, shape=shape, path=f"sample_rows[{index}]", typecast=typecast, form=form)
        unread = {fault["column"] for fault in cells.faults}
        refs = {} if not unread else {column.id: ref for ref in row if (column := shape.column(ref)) is not None}
        samples.append({**cells.values, **{key: row[refs[key]] for key in unread}})
    return samples


def plan_sample_rows(prepared: Json, *, columns: Sequence[ColumnSpec]) -> SampleRows:
    """Return the rows for `columns`, of which some may be missing or edited since they were proposed."""
    proposed = {each["column"]["id"]: each["column"] for each in prepared["operations"] if each["action"] == "add"}
    planned = SampleRows()
    for index, sample in enumerate(restore_numbers(prepared["sample_rows"])):
        given = {column.id for column in columns if column.id in sample}
        row: Json = {}
        for column in columns:
            if not given:
                break
            was = proposed.get(column.id, {})
            path = f"sample_rows[{index}].{was.get('name') or column.name}"
            corrected = (was.get("type"), was.get("options")) != (column.type, list(column.options))
            try:
                value = _cell(sample, column=column, cast=corrected or not prepared.get("strict"))
            except ValueFault as fault:
                message, value = fault.in_column(column.name), short(sample[column.id])
                planned.faults.append(Fault(path=path, code=fault.code, message=message, value=value))
                continue
            if value is not None:
                row[column.id] = value
            elif column.required:
                planned.faults.append(Fault(path=path, code="required", message=VALUE_REQUIRED(column=column.name)))
        if row:
            planned.rows.append(row)
    return planned


def _cell(sample: Json, *, column: ColumnSpec, cast: bool) -> Any:
    if column.id not in sample:
        return column.default
    kind = get_column_type(column.type)
    return kind.cast(sample[column.id], column).value if cast else kind.check(sample[column.id], column)
