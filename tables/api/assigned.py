"""REST API of the rows that are assigned to the signed-in user."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from shared.rest.paging import changed_url
from tables import selectors
from tables.api.parameters import ASSIGNED, Parameters
from tables.api.serializers import AssignedRowsSerializer
from tables.api.table_query import NOT_A_CURSOR
from tables.exceptions import Malformed


class Assigned(APIView):
    """/api/assigned/"""

    @extend_schema(parameters=ASSIGNED, responses=AssignedRowsSerializer)
    def get(self, request: Request) -> Response:
        """List the rows assigned to you: those of all your tables with you in a person column.

        Tables that were created last come first, their rows in the order of the table. A page may have fewer rows than
        “limit”: continue until “next” is null.
        """
        parameters = Parameters(request, ASSIGNED)
        text = parameters.text("cursor")
        cursor = selectors.AssignedCursor.read(text) if text else None
        if text and cursor is None:
            raise Malformed.at("cursor", NOT_A_CURSOR())
        page = selectors.assigned_rows(request.user, after=cursor, limit=parameters.integer("limit"))
        following = changed_url(request, cursor=str(page.next)) if page.next else None
        return Response(AssignedRowsSerializer({"rows": page.rows, "next": following}).data)
