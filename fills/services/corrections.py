"""Corrections of found values, which are stored until they are applied, for all who review a fill."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import transaction

from fills.models import Result
from fills.selectors import get_fill, results_of
from fills.services.edits import (
    Refusals,
    cells_by_id,
    refuse_applied,
    refuse_empty,
    refuse_other_columns,
    refuse_unreadable,
    refuse_without_result,
)
from fills.services.news import announce, record_use
from fills.services.request_paths import RequestPaths, paths_of_edits
from fills.services.review_states import review_states
from tables.operations import TableShape
from tables.selectors import Table, table_shape
from tables.services import prepare_data

Json = dict[str, Any]


def correct_results(*, user: Any, table_id: int, fill_id: UUID, edits: Mapping[int, Json]) -> None:
    """Replace the corrections of these rows: values by row, then by name or id of the column.

    Raises Malformed and Invalid with paths such as `edits.12.Domain`, having stored nothing.
    """
    with transaction.atomic():
        fill, table = get_fill(user, table_id, fill_id=fill_id, can="edit", lock=True)
        results = list(results_of(fill, states=[Result.State.FOUND], row_ids=[*edits]))
        shape, refusals, known = table_shape(table), Refusals(), {result.row_id for result in results}
        with refusals.collect():
            refuse_without_result(paths_of_edits(edits), known=known)
        with refusals.collect():
            refuse_unreadable(edits, known=known, shape=shape)
        with refusals.collect():
            refuse_empty(edits, shape=shape)
        with refusals.collect():
            refuse_other_columns(fill, edits=edits, shape=shape)
        with refusals.collect():
            refuse_applied(results, states=review_states(results, table=table, shape=shape))
        corrected = [result for result in results if edits[result.row_id]]
        with refusals.collect():
            converted = _converted(corrected, user=user, table=table, shape=shape, edits=edits)
        refusals.refuse()
        for result in results:
            values = converted.get(result.row_id, {})
            result.corrections = {key: value for key, value in values.items() if value != result.values.get(key)}
        Result.objects.bulk_update(results, ["corrections"], batch_size=200)
        record_use(fill.pk)
        announce(fill)


def _converted(
    results: list[Result], *, user: Any, table: Table, shape: TableShape, edits: Mapping[int, Json]
) -> dict[int, Json]:
    """Return the edits of these rows as cells by column id, in a constant number of queries."""
    if not results:
        return {}
    operations = [
        {"action": "update", "row_id": result.row_id, "changes": cells_by_id(edits[result.row_id], shape=shape)}
        for result in results
    ]
    with RequestPaths.of([result.row_id for result in results], edits=edits, shape=shape).in_faults():
        prepared = prepare_data(user=user, table_id=table.pk, proposal={"operations": operations})
    return {operation["row_id"]: operation["changes"] for operation in prepared["operations"]}
