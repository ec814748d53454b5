"""Endpoint of server actions, which the assistant suggests as buttons."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from chat.api.query import check_parameters, json_object, read_with_body
from chat.api.schemas import ACTION, ACTION_RESULT
from chat.turns.server_actions import check_action_data, read_action_fields, run_server_action
from shared.rest.openapi import example, json_body

ACTION_EXAMPLE = example({"context": {}, "data": {}})


class Action(APIView):
    """/api/chat/actions/{action}/"""

    @extend_schema(request=json_body(ACTION), responses={200: ACTION_RESULT}, examples=[ACTION_EXAMPLE])
    def post(self, request: Request, action: str) -> Response:
        """Run a server action of the page, which the assistant suggests as a button."""
        _, body, _ = read_with_body(
            lambda: check_parameters(request),
            lambda: json_object(request),
            lambda: read_action_fields(request.data) if isinstance(request.data, dict) else None,
            check=lambda: _check_data(request, action=action),
        )
        return Response(run_server_action(user=request.user, action=action, body=body))


def _check_data(request: Request, *, action: str) -> None:
    if isinstance(request.data, dict):
        check_action_data(user=request.user, action=action, body=request.data)
