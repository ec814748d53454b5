"""How this person looks at a table, over REST: widths of columns, hidden columns."""
from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tables import selectors, services
from tables.api.parameters import Parameters
from tables.api.serializers import ViewBody, ViewSerializer
from tables.operations.queries.view_settings import ViewSettings


class PersonalView(APIView):
    """/api/tables/{id}/view/"""

    @extend_schema(responses=ViewSerializer)
    def get(self, request: Request, table_id: int) -> Response:
        """Get your view of the table: column widths in pixels and hidden columns."""
        Parameters(request)
        table = selectors.get_table(request.user, table_id)
        return _response(selectors.get_view_settings(request.user, table, shape=selectors.table_shape(table)))

    @extend_schema(request=ViewBody, responses=ViewSerializer)
    def put(self, request: Request, table_id: int) -> Response:
        """Replace your view of the table."""
        Parameters(request)
        return _response(services.update_view_settings(user=request.user, table_id=table_id, settings=request.data))


def _response(look: ViewSettings) -> Response:
    return Response(ViewSerializer({"widths": dict(look.widths), "hidden": sorted(look.hidden)}).data)
