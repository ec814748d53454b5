"""Values of computed columns, read together with the rows."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import IntegerField, TextField
from django.db.models.expressions import RawSQL

from tables.column_types import ColumnSpec, get_column_type
from tables.models import Row
from tables.selectors.sql.conditions import among_ids
from tables.selectors.sql.expressions import Sql, row_field

# Limits the size of a query and of its result.
IDS_PER_QUERY = 10_000


def computed_cells(columns: Iterable[ColumnSpec]) -> list[Sql]:
    """Return the expressions of the values of the computed columns among these."""
    return [row_field(get_column_type(column.type).row_field) for column in columns if column.is_computed]


def computed_annotations(columns: Iterable[ColumnSpec]) -> dict[str, RawSQL]:
    """Return the values of the computed columns among these as annotations of rows, in the order of the columns."""
    computed = [column for column in columns if column.is_computed]
    return {
        f"computed_{index}": RawSQL(cell.text, cell.params, output_field=_field(column))
        for index, (column, cell) in enumerate(zip(computed, computed_cells(computed), strict=True))
    }


def computed_values(
    table_id: int, ids: Sequence[int], *, columns: Iterable[ColumnSpec]
) -> dict[int, dict[str, Any]]:
    """Return the values of the computed columns of these rows by row and column id; {} if there are none."""
    computed = [column for column in columns if column.is_computed]
    found: dict[int, dict[str, Any]] = {}
    if computed:
        read = computed_annotations(computed)
        for start in range(0, len(ids), IDS_PER_QUERY):
            among = among_ids(ids[start : start + IDS_PER_QUERY])
            rows = Row.objects.filter(among, table_id=table_id).annotate(**read)
            for pk, *values in rows.values_list("pk", *read):
                pairs = zip(computed, values, strict=True)
                found[pk] = {column.id: value for column, value in pairs if value is not None}
    return found


def _field(column: ColumnSpec) -> Any:
    return IntegerField() if get_column_type(column.type).comparison == "number" else TextField()
