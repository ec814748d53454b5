"""Run whole turns with a scripted model, and check their events against the grammar of the stream."""
from __future__ import annotations

import json
from typing import Any

from asgiref.sync import async_to_sync
from django.contrib.auth.models import User

from chat.agent.clock import Clock, SystemClock
from chat.models import Message, Turn
from chat.services import TurnRequest
from chat.turns.event_stream import EventStream
from chat.turns.model_clients import use_transport
from chat.turns.runtime import TurnRuntime
from chat.turns.start import start_turn_task
from tests.chat.stored_conversations import turn_request
from tests.scripted_model import ScriptedModel
from tests.stream_grammar import StreamGrammar, broken_rules

PROPOSAL = 'Two groups.\n\nNOTE_PROPOSAL: {"names": ["north", "south"]}'

Json = dict[str, Any]


def events_of(pieces: list[bytes]) -> list[Json]:
    """Return the events of a stream; streams read from their start are checked against the grammar."""
    lines = b"".join(pieces).decode().split("\n")  # not splitlines, because U+0085 and similar end no line here
    events = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]
    grammar = StreamGrammar()
    for event in events if "id: 1" in lines else []:
        grammar.take(event)
    assert grammar.problems == []
    return events


def run_turn(
    user: User, script: ScriptedModel | None, request: TurnRequest | None = None, *, clock: Clock | None = None
) -> tuple[Turn, list[Json]]:
    """Run a turn to its end, with the demo model where there is no script; return it and its events."""

    @async_to_sync
    async def scene() -> tuple[Turn, list[bytes]]:
        runtime = TurnRuntime(clock=clock or SystemClock())
        turn = await start_turn_task(runtime, user=user, request=request or turn_request())
        return turn, [piece async for piece in EventStream(runtime=runtime, turn_id=turn.pk, after=0, user_id=user.pk)]

    with use_transport(script.transport() if script else None):
        turn, pieces = scene()
    turn.refresh_from_db()
    events = events_of(pieces)
    assert broken_rules(events) == []
    return turn, events


def answer_of(turn: Turn) -> Message:
    return Message.objects.get(turn=turn, role="assistant")


def text_of(events: list[Json]) -> str:
    return "".join(event["text"] for event in events if event["type"] == "text_delta")


def next_request(turn: Turn, message: str = "And now?", **fields: Any) -> TurnRequest:
    return turn_request(message, conversation_id=str(turn.conversation_id), **fields)
