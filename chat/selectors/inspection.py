"""Inspection by administrators: messages of conversations with payloads, ratings and costs, and traces of turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from chat.models import Conversation, Feedback, Message, Payload, Trace, TraceText, Turn
from chat.prompt import estimate_tokens
from chat.selectors.usage import cost_of
from shared import strictjson

Json = dict[str, Any]

PAGE_SIZE = 25
NO_LONGER_STORED = "(no longer stored)"


@dataclass(frozen=True)
class InspectedMessage:
    """A message with its payloads and ratings, whether its trace is still stored, and its cost in US dollars."""

    message: Message
    payloads: Sequence[Payload] = ()
    thumbs: Sequence[Feedback] = ()
    traced: bool = False
    cost: str | None = None


@dataclass(frozen=True)
class InspectedConversation:
    """A page of a conversation's messages from all branches, in the order of creation."""

    messages: Sequence[InspectedMessage] = field(default_factory=list)
    page: int = 1
    pages: int = 1


def inspect_conversation(conversation: Conversation, *, page: int = 1) -> InspectedConversation:
    """Return a page of 25 messages, in five queries."""
    count = Message.objects.filter(conversation=conversation).count()
    pages = max(1, -(-count // PAGE_SIZE))
    page = min(max(1, page), pages)
    found = Message.objects.filter(conversation=conversation).select_related("turn").defer("exchange", "search_text")
    # Imported messages can have equal times; then the user's message is first.
    shown = list(found.order_by("created_at", "-role", "pk")[(page - 1) * PAGE_SIZE : page * PAGE_SIZE])
    ids = [message.pk for message in shown]
    payloads = _by_message(Payload.objects.filter(message__in=ids).order_by("created_at"))
    thumbs = _by_message(Feedback.objects.filter(message__in=ids).select_related("user").order_by("pk"))
    turns = {message.turn_id for message in shown if message.role == Message.Role.ASSISTANT}
    traced = set(Trace.objects.filter(pk__in=turns).values_list("pk", flat=True))
    messages = [
        InspectedMessage(
            message,
            payloads.get(message.pk, []),
            thumbs.get(message.pk, []),
            message.role == Message.Role.ASSISTANT and message.turn_id in traced,
            cost_of(message.turn.usage, model=message.turn.model) if message.turn is not None else None,
        )
        for message in shown
    ]
    return InspectedConversation(messages, page, pages)


def _by_message(found: Any) -> dict[Any, list[Any]]:
    by_message: dict[Any, list[Any]] = {}
    for row in found:
        by_message.setdefault(row.message_id, []).append(row)
    return by_message


def trace_view(turn: Turn) -> Json | None:
    """Return the trace of a turn, None if it is not stored.

    - `sections`: `{"number","title","text","bytes","tokens"}`, with an estimate of the tokens.
    - `messages`: the distinct messages that were sent.
    - `calls`: `{"kind","messages","answer","stop_reason","usage","retries","began_ms","first_token_ms","ended_ms"}`,
      with indexes of messages, and milliseconds since the start of the turn.
    - `tools`: the tool history of the turn's message, each item with `began_ms`.
    - `dropped`: sentences; `cost`: US dollars as text, if prices are set.
    """
    trace = Trace.objects.filter(turn=turn).first()
    if trace is None:
        return None
    data = trace.data
    texts = _texts(_named(data))
    stretches = {name: strictjson.loads(texts[name]) for name in _stretches(data) if name in texts}
    texts |= _texts({name for names in stretches.values() for name in names})
    messages, calls = _messages(data, stretches=stretches, texts=texts)
    view: Json = {
        "turn_id": str(turn.pk),
        "state": turn.state,
        "error": {"code": turn.error_code, "message": turn.error_message} if turn.error_code else None,
        "started_at": turn.started_at.isoformat(),
        **{name: data.get(name) for name in ("page", "model", "ended_ms", "stop_reason")},
        "usage": turn.usage,
        "sections": [_section(section, data=data, texts=texts) for section in data.get("sections", ())],
        "turns_left_out": data.get("turns_left_out", 0),
        "declared_tools": _value(texts.get(data.get("declared_tools", ""), "[]")),
        "messages": messages,
        "calls": calls,
        "tools": _tools(turn, times=data.get("tools", ())),
        "dropped": data.get("dropped", []),
    }
    cost = cost_of(turn.usage, model=turn.model)
    return {**view, "cost": cost} if cost is not None else view


def may_view_traces(user: Any) -> bool:
    """Return whether the user is staff with the permission to view traces."""
    return bool(user.is_active and user.is_staff and user.has_perm("chat.view_trace"))


def _texts(named: set[str]) -> dict[str, str]:
    return dict(TraceText.objects.filter(pk__among=named).values_list("pk", "text"))


def _stretches(data: Json) -> set[str]:
    """Return the hashes of the lists of hashes in a trace. Older traces have none and name all messages directly."""
    return {name for call in data.get("calls", ()) for name in call.get("stretches", ())}


def _named(data: Json) -> set[str]:
    """Return the hashes of all texts that a trace names directly."""
    named = {data.get("turn_message"), data.get("declared_tools"), *_stretches(data)}
    named |= {section.get("text") for section in data.get("sections", ())}
    for call in data.get("calls", ()):
        named |= {*call["then"], call["answer"]}
    return {name for name in named if name}


def _messages(
    data: Json, *, stretches: dict[str, list[str]], texts: dict[str, str]
) -> tuple[list[Any], list[Json]]:
    """Return the distinct messages that were sent, and the calls with the indexes of their messages."""
    indexes: dict[str, int] = {}
    calls: list[Json] = []
    before: list[str] = []
    for call in data.get("calls", ()):
        # A list that is no longer stored is represented by its own hash, like a deleted message.
        past = [name for stretch in call.get("stretches", ()) for name in stretches.get(stretch, [stretch])]
        before = [*before[: call["same"]], *past, *call["then"]]
        sent = [indexes.setdefault(name, len(indexes)) for name in before]
        facts = {name: value for name, value in call.items() if name not in ("same", "stretches", "then")}
        calls.append({**facts, "messages": sent, "answer": _value(texts.get(call["answer"]))})
    return [_value(texts.get(name)) for name in indexes], calls


def _section(section: Json, *, data: Json, texts: dict[str, str]) -> Json:
    text = texts.get(section.get("text", ""), NO_LONGER_STORED)
    if "block" in section:
        message = _value(texts.get(data.get("turn_message", "")))
        text = message["content"][section["block"]]["text"] if message else NO_LONGER_STORED
    facts = {"number": section["number"], "title": section["title"], "text": text}
    return {**facts, "bytes": len(text.encode()), "tokens": estimate_tokens(text)}


def _tools(turn: Turn, *, times: Any) -> list[Json]:
    """Return the tool history of the turn's message, each item with its start time in milliseconds."""
    answers = Message.objects.filter(turn=turn, role=Message.Role.ASSISTANT)
    history = answers.values_list("tool_history", flat=True).first()
    began = {entry["index"]: entry["began_ms"] for entry in times}
    return [{**entry, "began_ms": began.get(index)} for index, entry in enumerate(history or ())]


def _value(text: str | None) -> Any:
    return None if text is None else strictjson.loads(text)
