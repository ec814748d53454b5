"""How this person looks at a table, over REST: widths of columns, hidden columns."""
from __future__ import annotations

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tables import selectors, services
from tables.api.parameters import Parameters
from tables.operations.look import Look


class PersonalView(APIView):
    """/api/tables/{id}/view/"""

    def get(self, request: Request, table_id: int) -> Response:
        """`{"widths": {column id: pixels}, "hidden": [column id, …]}`, of whoever asks."""
        Parameters(request, known=())
        table = selectors.get_table(request.user, table_id)
        return Response(_form(selectors.look_of(request.user, table, shape=selectors.table_shape(table))))

    def put(self, request: Request, table_id: int) -> Response:
        """Replaces all of it; columns by id or name."""
        Parameters(request, known=())
        return Response(_form(services.change_look(user=request.user, table_id=table_id, look=request.data)))


def _form(look: Look) -> dict[str, Any]:
    return {"widths": dict(look.widths), "hidden": sorted(look.hidden)}
