"""Ask the model about one row: one call, and one more if its answer was not accepted."""
from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from typing import Any

from chat.agent.model import FAILURES, Model, ModelFailure, Stop
from chat.prompt import estimate_tokens
from fills.answers import Answer, Refused, read_answer
from fills.prompt import TOOL, correction, row_message
from fills.services import CallOutcome, RowToFill
from shared import strictjson
from shared.user_messages import declare

Json = dict[str, Any]
MAX_TOKENS = 4_000
# Errors that will not go away, and those of a lack of capacity.
LASTING, REFUSALS = frozenset({"provider_auth", "budget_exhausted"}), frozenset({"rate_limited", "provider_overloaded"})
NOT_ACCEPTED = declare("fill_answer_not_accepted", "The model did not answer in the right form: {reason}")
CONTENT_TOO_LONG = declare("fill_row_too_long", "The cells of this row are too long for the model.")


async def fill_row(
    row: RowToFill,
    *,
    model: Model,
    prompt: Mapping[str, Any],
    columns: list[str],
    seconds: float,
    may_call: Callable[[int], Awaitable[bool]],
) -> CallOutcome:
    """Return the outcome for a row. A call takes up to `seconds`.

    `may_call(tokens)` is asked before the second call, with the tokens of the first. Cancelling closes the connection.
    """
    messages = [row_message(row.cells, columns=row.columns, remark=row.remark)]
    usage: Json = {}
    calls = 0
    try:
        for attempt in range(2):
            calls += 1
            stop = await _call(model, prompt=prompt, messages=messages, seconds=seconds)
            _add(usage, stop, prompt=prompt, messages=messages)
            answer = read_answer(stop, shape=row.shape, columns=columns)
            if isinstance(answer, Answer):
                return CallOutcome(row, answer=_with_known_sources(answer, row), calls=calls, usage=usage)
            if attempt or not await may_call(usage["input_tokens"] + usage["output_tokens"]):
                break
            messages += correction(stop.blocks, reason=answer.reason)
    except ModelFailure as failure:
        return _failed(row, failure, calls=calls, usage=usage)
    assert isinstance(answer, Refused)
    return CallOutcome(row, error=NOT_ACCEPTED(reason=answer.reason[:500]), calls=calls, usage=usage)


async def _call(model: Model, *, prompt: Mapping[str, Any], messages: list[Json], seconds: float) -> Stop:
    stream = model.stream(
        system=prompt["system"],
        messages=messages,
        tools=prompt["tools"],
        tool_choice={"type": "tool", "name": TOOL},
        max_tokens=MAX_TOKENS,
        seconds=seconds,
    )
    async with aclosing(stream) as events:
        async for event in events:
            if isinstance(event, Stop):
                return event
    raise ModelFailure("provider_unreachable", reason="the call ended without a stop")


def _add(usage: Json, stop: Stop, *, prompt: Mapping[str, Any], messages: list[Json]) -> None:
    """Add the tokens of a call, estimated where the server does not report them."""
    sent = stop.usage.get("input_tokens") or estimate_tokens([prompt["system"], prompt["tools"], messages])
    received = stop.usage.get("output_tokens") or estimate_tokens(list(stop.blocks))
    counted = {"input_tokens": sent, "output_tokens": received}
    counted["cache_read_tokens"] = stop.usage.get("cache_read_tokens", 0)
    for name, count in counted.items():
        usage[name] = usage.get(name, 0) + count


def _with_known_sources(answer: Answer, row: RowToFill) -> Answer:
    """Return the answer with only those sources whose address is in the cells: the model has seen no other."""
    known = strictjson.dumps(row.cells)
    sources = tuple(each for each in answer.sources if each["url"] and strictjson.dumps(each["url"])[1:-1] in known)
    return Answer(answer.values, answer.confidence, answer.note, sources)


def _failed(row: RowToFill, failure: ModelFailure, *, calls: int, usage: Json) -> CallOutcome:
    code = failure.code
    outcome: Json = {"calls": calls, "usage": usage}
    if code in LASTING:
        return CallOutcome(row, pauses=failure.message, **outcome)
    if code in REFUSALS:
        error = FAILURES[code]()
        return CallOutcome(row, refused=error, retry_after=failure.retry_after, **outcome)
    if code == "context_too_long":
        return CallOutcome(row, error=CONTENT_TOO_LONG(), **outcome)
    return CallOutcome(row, passes=failure.message, **outcome)
