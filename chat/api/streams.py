"""Describes the views of the stream, which know no REST framework."""
from __future__ import annotations

from drf_spectacular.utils import extend_schema

from chat import views
from chat.api.schemas import EVENTS, NEW_TURN
from rest.parameters import NO_IDEMPOTENCY_KEY, example, header, query
from rest.schemas import TEXT, UUID, WHOLE, answer, json_body
from rest.serializers import EmptyBody

EVENT_STREAM = {(200, views.EVENT_STREAM): EVENTS}

stream_turn = extend_schema(
    summary="Start a turn and stream it; a client_turn_id that was sent before joins its turn.",
    request=json_body(NEW_TURN),
    responses=EVENT_STREAM,
    parameters=[NO_IDEMPOTENCY_KEY],
    examples=[
        example({"message": "How many rows are open?", "context": {"current_page": "table_view", "table_id": 1}})
    ],
)(views.stream_turn)

join_turn = extend_schema(
    summary="The events of a turn after one of them, then live ones.",
    responses=EVENT_STREAM,
    parameters=[
        query("after", WHOLE, "The number of the last event that is known."),
        header("Last-Event-ID", TEXT, "The same, as browsers send it."),
    ],
)(views.join_turn)

cancel_turn = extend_schema(
    summary="Stop a running turn.",
    request=EmptyBody,
    responses={200: answer(id=UUID, state=TEXT)},
    parameters=[NO_IDEMPOTENCY_KEY],
)(views.cancel_turn)
