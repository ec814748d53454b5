"""The history of a table over REST: its changes, and what each of them changed."""
from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tables import selectors
from tables.api.parameters import Parameters
from tables.api.reading import link
from tables.exceptions import Fault, Malformed


class Changes(APIView):
    """/api/tables/{id}/changes/"""

    def get(self, request: Request, table_id: int) -> Response:
        """`{"changes": […], "next"}`, the newest first."""
        asked = Parameters(request, known=("after_version", "before_version", "limit"))
        limit = asked.whole("limit", default=50, least=1, most=200)
        after, before = asked.maybe_whole("after_version"), asked.maybe_whole("before_version")
        table = selectors.get_table(request.user, table_id)
        found = selectors.changes_of(table, after_version=after, before_version=before, limit=limit + 1)
        page = found[:limit]
        more = link(request, before_version=page[-1].version) if len(found) > limit else None
        return Response({"changes": [change.as_json() for change in page], "next": more})


class OneChange(APIView):
    """/api/tables/{id}/changes/{change}/"""

    def get(self, request: Request, table_id: int, change_id: int) -> Response:
        """The change with `{"table", "columns", "columns_moved", "rows", "next"}`: what was, and what is since."""
        asked = Parameters(request, known=("cursor", "limit"))
        limit, cursor = asked.whole("limit", default=50, least=1, most=200), _cursor(asked)
        table = selectors.get_table(request.user, table_id)
        change = selectors.get_change(table, change_id)
        shape = selectors.table_shape(table)
        details = selectors.change_details(table, change.id, shape=shape, cursor=cursor, limit=limit)
        more = link(request, cursor=str(details.next)) if details.next else None
        return Response({**change.as_json(), **details.as_json(), "next": more})


def _cursor(asked: Parameters) -> selectors.Cursor | None:
    """Where the page starts; None without a cursor. Raises Malformed."""
    text = asked.text("cursor")
    cursor = selectors.Cursor.read(text) if text else None
    if text and cursor is None:
        detail = "This is not a cursor of this project. Take it from “next” as it is."
        raise Malformed(detail, faults=(Fault(path="cursor", code="not_a_cursor", detail=detail),))
    return cursor
