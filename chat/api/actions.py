"""Endpoint of server actions, which the assistant suggests as buttons."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from chat.api.query import check_parameters, json_object
from chat.api.schemas import ACTION, ACTION_RESULT
from chat.turns.server_actions import run_server_action
from shared.rest.openapi import example, json_body

ACTION_EXAMPLE = example({"context": {}, "data": {}})


class Action(APIView):
    """/api/chat/actions/{action}/"""

    @extend_schema(request=json_body(ACTION), responses={200: ACTION_RESULT}, examples=[ACTION_EXAMPLE])
    def post(self, request: Request, action: str) -> Response:
        """Run a server action of the page, which the assistant suggests as a button."""
        check_parameters(request)
        return Response(run_server_action(user=request.user, action=action, body=json_object(request)))
