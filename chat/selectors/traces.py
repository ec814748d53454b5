"""Traces of turns with their texts, as JSON, and costs of turns."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from chat.models import Message, Trace, TraceText, Turn
from chat.prompt import estimate_tokens
from chat.provider import prices_of
from shared import strictjson

Json = dict[str, Any]

NO_LONGER_KEPT = "(no longer stored)"
MILLION = 1_000_000


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


def cost_of(usage: Json, *, model: str) -> str | None:
    """Return the cost of these tokens in US dollars ("0.031200"), None if the model has no prices."""
    prices = prices_of(model)
    if prices is None:
        return None
    cached = usage.get("cache_read_tokens", 0)
    total = (
        (usage.get("input_tokens", 0) - cached) * prices.input
        + cached * (prices.input if prices.cached is None else prices.cached)
        + usage.get("output_tokens", 0) * prices.output
    )
    return str((Decimal(total) / MILLION).quantize(Decimal("0.000001")))


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
    text = texts.get(section.get("text", ""), NO_LONGER_KEPT)
    if "block" in section:
        message = _value(texts.get(data.get("turn_message", "")))
        text = message["content"][section["block"]]["text"] if message else NO_LONGER_KEPT
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
