"""REST API of aggregates: groups of rows with counts, sums, averages, medians, minimums and maximums."""
from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tables import selectors
from tables.api import response_schemas
from tables.api.parameters import AGGREGATE, Parameters
from tables.api.responses import list_json
from tables.api.table_query import TableQuery, read_page
from tables.api.table_view import TableView
from tables.column_types import get_column_type
from tables.operations.queries.measures import GroupKey, Measure, parse_groups, parse_measures
from tables.selectors import Group

Json = dict[str, Any]


class Aggregate(TableView):
    """/api/tables/{id}/aggregate/"""

    @extend_schema(parameters=AGGREGATE, responses={200: response_schemas.GROUPS})
    def get(self, request: Request, table_id: int) -> Response:
        """Count and sum rows, all or by groups.

        Rows without a value in a column of `group_by` are a group whose value is null, the last one. A measure without
        any value is null. Sums are exact; averages and medians have 15 significant digits. More than 10,000 groups are
        a 422.
        """
        parameters = Parameters(request, AGGREGATE, later=True)
        table = selectors.get_table(request.user, table_id)
        query = TableQuery(parameters, selectors.table_shape(table))
        view, groups, measures, order, keys, (limit, offset) = query.together(
            query.view,
            lambda: parse_groups(parameters.json("group_by"), shape=query.shape),
            lambda: parse_measures(parameters.json("measures"), shape=query.shape),
            lambda: parameters.choice("order"),
            query.keyed_by,
            lambda: read_page(parameters),
        )
        found = selectors.aggregate(table, shape=query.shape_in_zone, group_by=groups, measures=measures, **view)
        page = selectors.sort_groups(found, order=order)[offset : offset + limit]
        names = {column.id: column.id if keys == "id" else column.name for column in query.shape.columns}
        items = [_group_json(group, keys=groups, measures=measures, names=names) for group in page]
        body = list_json(request, name="groups", items=items, offset=offset, count=len(found))
        # A row with a list of options is in several groups.
        columns = [query.shape.column(key.column_id) for key in groups]
        if any(column is not None and get_column_type(column.type).has_lists for column in columns):
            count = selectors.row_count(table, shape=query.shape, accuracy="exact", **view).value
        else:
            count = sum(group.rows for group in found)
        return Response({**body, "row_count": count})


def _group_json(
    group: Group, *, keys: tuple[GroupKey, ...], measures: tuple[Measure, ...], names: dict[str, str]
) -> Json:
    values: dict[str, Json] = {}
    for measure, value in zip(measures, group.values, strict=True):
        if measure.column_id:
            values.setdefault(measure.function, {})[names[measure.column_id]] = value
    cells = {names[key.column_id]: value for key, value in zip(keys, group.key, strict=True)}
    return {"group": cells, "rows": group.rows, "values": values}
