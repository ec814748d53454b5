"""Ask the model about one row: one call, more after pauses, and one more if its answer was not accepted."""
from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from chat.agent.batches import BatchAnswer, BatchRequest
from chat.agent.client.server_features import WEB_SEARCH
from chat.agent.model import FAILURES, Model, ModelFailure, Stop
from chat.prompt import estimate_tokens
from fills.answers import Answer, read_answer
from fills.prompt import TOOL, continued, corrected, row_message
from fills.services import CallOutcome, RowToFill
from fills.sources import KnownSources
from shared.user_messages import declare

Json = dict[str, Any]
MAX_TOKENS = 4_000
# The provider pauses answers that take long. Then the model is asked to go on, this often.
MAX_PAUSES = 3
# Errors that will not go away, those of a lack of capacity, and those of a provider that is down.
LASTING, REFUSALS = frozenset({"provider_auth", "budget_exhausted"}), frozenset({"rate_limited", "provider_overloaded"})
DOWN = frozenset({"provider_unreachable", "timeout"})
NOT_ACCEPTED = declare("fill_answer_not_accepted", "The model did not answer in the right form: {reason}")
WEB_REFUSED = declare(
    "fill_web_refused", "The provider refuses searches of the web for this model or account. Use the cells only."
)
BATCH_FAILED = declare("fill_batch_failed", "The provider did not answer this row of the batch.")
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

    `may_call(tokens)` is asked before each further call, with the tokens of those before; without it, the row waits
    again. Cancelling closes the connection.
    """
    conversation = _Conversation(row, prompt=prompt)
    try:
        while conversation.answer is None:
            if conversation.calls and not await may_call(conversation.tokens):
                return CallOutcome(row, calls=conversation.calls, usage=conversation.usage)
            conversation.calls += 1
            stop = await _call(model, conversation=conversation, seconds=seconds)
            if not conversation.needs_another_call(stop, columns=columns):
                break
    except ModelFailure as failure:
        return _failed(row, failure, conversation=conversation)
    used: Json = {"calls": conversation.calls, "usage": conversation.usage}
    if conversation.answer is not None:
        return CallOutcome(row, answer=conversation.answer, **used)
    return CallOutcome(row, error=NOT_ACCEPTED(reason=conversation.refusal[:500]), **used)


def batch_request(row: RowToFill, *, prompt: Mapping[str, Any], custom_id: str) -> BatchRequest:
    """Return the first call about a row as one of a batch."""
    conversation = _Conversation(row, prompt=prompt)
    return BatchRequest(
        custom_id, prompt["system"], conversation.messages, prompt["tools"], conversation.tool_choice, MAX_TOKENS
    )


def batch_outcome(
    row: RowToFill, *, answer: BatchAnswer, prompt: Mapping[str, Any], columns: list[str], is_retried: bool
) -> CallOutcome:
    """Return the outcome for a row that was sent in a batch.

    An answer that is not accepted cannot be sent back: the row is then called for, as after an error, if `is_retried`.
    """
    conversation, problem = _Conversation(row, prompt=prompt), BATCH_FAILED()
    used: Json = {"calls": 0}
    if answer.stop is not None:
        conversation.needs_another_call(answer.stop, columns=columns)
        used = {"calls": 1, "usage": conversation.usage}
        if conversation.answer is not None:
            return CallOutcome(row, answer=conversation.answer, **used)
        problem = NOT_ACCEPTED(reason=conversation.refusal[:500])
    return CallOutcome(row, passes=problem, **used) if is_retried else CallOutcome(row, error=problem, **used)


class _Conversation:
    """The conversation about a row so far: its messages, tokens, known addresses, and the answer if there is one."""

    def __init__(self, row: RowToFill, *, prompt: Mapping[str, Any]) -> None:
        self.prompt = prompt
        self.messages = [row_message(row.cells, columns=row.columns, remark=row.remark)]
        self.usage: Json = {}
        self.calls = 0
        self.answer: Answer | None = None
        self.refusal = "it was not finished."
        self._row, self._pauses, self._is_corrected = row, 0, False
        self._uses_web = len(prompt["tools"]) > 1
        self._known = KnownSources() if self._uses_web else KnownSources.in_cells(row.cells)

    @property
    def tokens(self) -> int:
        """The tokens of all calls so far."""
        return int(self.usage["input_tokens"] + self.usage["output_tokens"])

    @property
    def tool_choice(self) -> Json:
        """The choice of tools: that of the answer, unless the model may search before."""
        may_search = self._uses_web and not self._is_corrected
        return {"type": "auto"} if may_search else {"type": "tool", "name": TOOL}

    def needs_another_call(self, stop: Stop, *, columns: list[str]) -> bool:
        """Add the end of a call, and return whether another one is needed and allowed."""
        self._add_usage(stop)
        if self._uses_web:
            self._known.add_returned(stop.blocks)
        if stop.stop_reason == "pause_turn" and self._pauses < MAX_PAUSES:
            self._pauses += 1
            self.messages = continued(self.messages, stop.blocks)
            return True
        answer = read_answer(stop, shape=self._row.shape, columns=columns)
        if isinstance(answer, Answer):
            self.answer = self._with_verified_sources(answer)
            return False
        self.refusal = answer.reason
        if self._is_corrected:
            return False
        self._is_corrected = True
        self.messages = corrected(self.messages, stop.blocks, reason=answer.reason)
        return True

    def _add_usage(self, stop: Stop) -> None:
        """Add the tokens of a call, estimated where the server does not report them."""
        sent = [self.prompt["system"], self.prompt["tools"], self.messages]
        counted = {
            "input_tokens": stop.usage.get("input_tokens") or estimate_tokens(sent),
            "output_tokens": stop.usage.get("output_tokens") or estimate_tokens(list(stop.blocks)),
            "cache_read_tokens": stop.usage.get("cache_read_tokens", 0),
        }
        for name, count in counted.items():
            self.usage[name] = self.usage.get(name, 0) + count

    def _with_verified_sources(self, answer: Answer) -> Answer:
        sources, left_out = self._known.verified(answer.sources)
        lacks_source = self._uses_web and bool(answer.values) and not sources
        return replace(answer, sources=sources, is_unverified=left_out or lacks_source)


async def _call(model: Model, *, conversation: _Conversation, seconds: float) -> Stop:
    stream = model.stream(
        system=conversation.prompt["system"],
        messages=conversation.messages,
        tools=conversation.prompt["tools"],
        tool_choice=conversation.tool_choice,
        max_tokens=MAX_TOKENS,
        seconds=seconds,
    )
    async with aclosing(stream) as events:
        async for event in events:
            if isinstance(event, Stop):
                return event
    raise ModelFailure("provider_unreachable", reason="the call ended without a stop")


def _failed(row: RowToFill, failure: ModelFailure, *, conversation: _Conversation) -> CallOutcome:
    code = failure.code
    outcome: Json = {"calls": conversation.calls, "usage": conversation.usage}
    if failure.refused_field == WEB_SEARCH:
        return CallOutcome(row, pauses=WEB_REFUSED(), **outcome)
    if code in LASTING:
        return CallOutcome(row, pauses=failure.message, **outcome)
    if code in REFUSALS:
        error = FAILURES[code]()
        return CallOutcome(row, refused=error, retry_after=failure.retry_after, **outcome)
    if code == "context_too_long":
        return CallOutcome(row, error=CONTENT_TOO_LONG(), **outcome)
    is_down = code in DOWN
    return CallOutcome(row, passes=failure.message, is_down=is_down, retry_after=failure.retry_after, **outcome)
