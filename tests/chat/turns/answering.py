"""Runs whole turns against a scripted model and holds their events to the grammar of the stream."""
from __future__ import annotations

import json
from typing import Any

from asgiref.sync import async_to_sync
from django.contrib.auth.models import User

from chat.agent.clock import SystemClock
from chat.models import Message, Turn
from chat.services import TurnRequest
from chat.turns.begin import begin_turn
from chat.turns.host import Host
from chat.turns.seams import use_transport
from chat.turns.tail import EventStream
from tests.chat.kept import wish
from tests.scripted import ScriptedModel

PROPOSAL = 'Two groups.\n\nNOTE_PROPOSAL: {"names": ["north", "south"]}'

Json = dict[str, Any]


def events_of(pieces: list[bytes]) -> list[Json]:
    lines = b"".join(pieces).decode().split("\n")  # not splitlines: U+0085 and its like end no line here
    return [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]


def answered(user: User, script: ScriptedModel, request: TurnRequest | None = None) -> tuple[Turn, list[Json]]:
    """Runs a turn to its end; it and its events."""

    @async_to_sync
    async def scene() -> tuple[Turn, list[bytes]]:
        host = Host(clock=SystemClock())
        turn = await begin_turn(host, user=user, request=request or wish())
        return turn, [piece async for piece in EventStream(host=host, turn_id=turn.pk, after=0, user_id=user.pk)]

    with use_transport(script.transport()):
        turn, pieces = scene()
    turn.refresh_from_db()
    events = events_of(pieces)
    assert broken_rules(events) == []
    return turn, events


def broken_rules(events: list[Json]) -> list[str]:
    """What breaks the grammar of the stream: a status first, one final event last, tools in their order."""
    kinds = [event["type"] for event in events]
    broken = [] if kinds[0] == "status" else ["the first event is no status"]
    finals = [kind for kind in kinds if kind in {"complete", "error", "cancelled"}]
    if len(finals) != 1 or kinds[-1] != finals[0]:
        broken.append(f"final events: {finals}")
    open_tools: set[str] = set()
    indices: list[int] = []
    for number, event in enumerate(events):
        if event["type"] == "tool_start":
            open_tools.add(event["tool_use_id"])
        elif event["type"] in {"tool_progress", "tool_complete"} and event["tool_use_id"] not in open_tools:
            broken.append(f"event {number}: {event['type']} of a tool that is not open")
        if event["type"] == "tool_complete":
            open_tools.discard(event["tool_use_id"])
            indices.append(event["index"])
            if events[number + 1] != {"type": "text_delta", "text": f"[[tool:{event['index']}]]"}:
                broken.append(f"event {number}: no card follows")
    if indices != list(range(len(indices))):
        broken.append(f"tools completed as {indices}")
    return broken


def answer_of(turn: Turn) -> Message:
    return Message.objects.get(turn=turn, role="assistant")


def said(events: list[Json]) -> str:
    return "".join(event["text"] for event in events if event["type"] == "text_delta")


def going_on(turn: Turn, message: str = "And now?", **fields: Any) -> TurnRequest:
    return wish(message, conversation_id=str(turn.conversation_id), **fields)
