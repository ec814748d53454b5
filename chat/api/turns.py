"""Endpoints of turns: state, diagnostics, and the OpenAPI descriptions of the stream views."""

from __future__ import annotations

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from chat import views
from chat.api.query import check_parameters
from chat.api.representations import turn_json
from chat.api.schemas import CANCELLED, EXAMPLE_MESSAGE, NEW_TURN
from chat.exceptions import Forbidden, NotFound
from chat.selectors import get_turn, may_view_traces, retry_after_of, trace_view
from chat.services import end_stale_turns
from shared.rest.openapi import (
    IDEMPOTENCY_KEY,
    INTEGER,
    NO_IDEMPOTENCY_KEY,
    TEXT,
    example,
    header,
    json_body,
    query,
    ref,
)
from shared.rest.serializers import EmptyBody
from shared.user_messages import declare
from shared.user_messages.request_language import reader_language
from shared.websockets import event_stream

DIAGNOSTICS_FORBIDDEN = declare("diagnostics_forbidden", "You need permission to view diagnostics.")
NO_DIAGNOSTICS = declare(
    "no_diagnostics", "No diagnostics for this turn: it is still running, or they are no longer stored."
)
EVENT_STREAM = {(200, event_stream.EVENT_STREAM): ref("TurnEvent")}


class TurnDetail(APIView):
    """/api/chat/turns/{id}/"""

    @extend_schema(responses={200: ref("Turn")})
    def get(self, request: Request, turn_id: str) -> Response:
        """Get the state of a turn."""
        check_parameters(request)
        end_stale_turns(user=request.user, now=timezone.now())
        turn = get_turn(request.user, turn_id)
        with reader_language(request):
            return Response(turn_json(turn, retry_after=retry_after_of(turn)))


class TurnTrace(APIView):
    """/api/chat/turns/{id}/trace/"""

    @extend_schema(responses={200: ref("Trace")})
    def get(self, request: Request, turn_id: str) -> Response:
        """Get the diagnostics of a turn, for staff with the permission to view them."""
        check_parameters(request)
        turn = get_turn(request.user, turn_id, include_trials=True)
        if not turn.conversation.sandbox and not may_view_traces(request.user):
            raise Forbidden(DIAGNOSTICS_FORBIDDEN())
        view = trace_view(turn)
        if view is None:
            raise NotFound(NO_DIAGNOSTICS())
        return Response(view)


# The stream views do not use REST framework, so they are described here.
stream_turn = extend_schema(
    summary="Start a turn and stream its events, or join the turn of a client_turn_id or Idempotency-Key sent before.",
    description="An Idempotency-Key stands for the client_turn_id of a body without one. It is a 422 with another "
    "message, context or conversation.",
    request=json_body(NEW_TURN),
    responses=EVENT_STREAM,
    parameters=[IDEMPOTENCY_KEY],
    examples=[example({"message": EXAMPLE_MESSAGE, "context": {}})],
)(views.stream_turn)

join_turn = extend_schema(
    summary="Stream the events of a turn after one of them, then live ones.",
    responses=EVENT_STREAM,
    parameters=[
        query("after", INTEGER, "The number of the last event that was received."),
        header("Last-Event-ID", TEXT, "The same, as browsers send it."),
    ],
)(views.join_turn)

cancel_turn = extend_schema(
    summary="Stop a running turn.",
    request=EmptyBody,
    responses={200: CANCELLED},
    parameters=[NO_IDEMPOTENCY_KEY],
)(views.cancel_turn)
