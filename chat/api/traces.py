"""How a turn came about, for staff who look after the assistant."""
from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from chat.api.query import only
from chat.exceptions import Forbidden, NotFound
from chat.selectors import get_turn, may_see_traces, trace_view
from rest.schemas import a
from user_messages import declare

DIAGNOSTICS_FORBIDDEN = declare(
    "diagnostics_forbidden", "Diagnostics are for staff with the permission to see them."
)
NO_DIAGNOSTICS = declare(
    "no_diagnostics", "There are no diagnostics of this turn: it still runs, or they are no longer stored."
)


class TurnTrace(APIView):
    """/api/chat/turns/{id}/trace/"""

    @extend_schema(responses={200: a("Trace")})
    def get(self, request: Request, turn_id: str) -> Response:
        """How a turn came about, for staff with the permission to see it."""
        only(request)
        turn = get_turn(request.user, turn_id, or_tried=True)
        if not turn.conversation.sandbox and not may_see_traces(request.user):
            raise Forbidden(DIAGNOSTICS_FORBIDDEN())
        view = trace_view(turn)
        if view is None:
            raise NotFound(NO_DIAGNOSTICS())
        return Response(view)
