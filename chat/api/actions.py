"""Server actions: buttons that the assistant suggests and the server carries out."""
from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from chat.api.query import body_of, only
from chat.turns.act import act


class Action(APIView):
    """POST `{"context", "data"?, "conversation_id"?}`: runs a registered action, and answers what came of it."""

    def post(self, request: Request, action: str) -> Response:
        only(request)
        return Response(act(user=request.user, action=action, body=body_of(request)))
