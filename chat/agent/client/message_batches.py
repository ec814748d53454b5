"""Batches of calls with the Anthropic SDK: the Message Batches API."""
from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import anthropic
from anthropic._decoders.jsonl import AsyncJSONLDecoder
from anthropic.types.messages import MessageBatch, MessageBatchIndividualResponse

from chat.agent.batches import BatchAnswer, BatchRequest, BatchState
from chat.agent.client.accumulator import Accumulator
from chat.agent.client.failures import failure_of
from chat.agent.client.server_features import adapt_request, request_body
from shared import strictjson

Json = dict[str, Any]
PATH = "/v1/messages/batches"
# A piece of many megabytes is sent at once.
SEND_SECONDS = 300.0
LISTED = 100


class MessageBatches:
    """The batches of the server of an SDK client; see `chat.agent.batches.Batches`.

    Answers are read from the client's own server, whatever address a batch names: the key is sent there.
    """

    def __init__(
        self, sdk: anthropic.AsyncAnthropic, *, model: str, secrets: Sequence[str], lacks: Collection[str]
    ) -> None:
        self._sdk, self._model, self._secrets, self._lacks = sdk, model, secrets, lacks

    async def create(self, requests: Sequence[BatchRequest]) -> BatchState:
        """See `Batches.create`."""
        sent = [{"custom_id": each.custom_id, "params": self._params(each)} for each in requests]
        with self._failures():
            content = strictjson.dumps({"requests": sent}).encode()
            options: Any = {"timeout": SEND_SECONDS}
            batch = await self._sdk.post(PATH, content=content, cast_to=MessageBatch, options=options)
            return _state(batch)

    async def read(self, batch_id: str) -> BatchState | None:
        """See `Batches.read`."""
        with self._failures():
            try:
                return _state(await self._sdk.messages.batches.retrieve(batch_id))
            except anthropic.NotFoundError:
                return None

    async def cancel(self, batch_id: str) -> None:
        """See `Batches.cancel`."""
        with self._failures():
            try:
                await self._sdk.messages.batches.cancel(batch_id)
            except (anthropic.NotFoundError, anthropic.BadRequestError, anthropic.ConflictError):
                return  # it has ended

    async def created_between(self, first: datetime, last: datetime) -> list[BatchState]:
        """See `Batches.created_between`. The newest are listed first."""
        found = []
        with self._failures():
            async for batch in self._sdk.messages.batches.list(limit=LISTED):
                if batch.created_at < first:
                    break
                if batch.created_at <= last:
                    found.append(_state(batch))
        return found

    async def answers(self, batch_id: str) -> AsyncGenerator[BatchAnswer, None]:
        """See `Batches.answers`."""
        with self._failures():
            lines = await self._sdk.get(
                f"{PATH}/{batch_id}/results",
                cast_to=AsyncJSONLDecoder[MessageBatchIndividualResponse],
                options={"headers": {"Accept": "application/binary"}},
                stream=True,
            )
            try:
                async for line in lines:
                    yield _answer(line)
            finally:
                await lines.close()

    def _params(self, request: BatchRequest) -> Json:
        body = request_body(
            model=self._model, system=request.system, messages=request.messages, tools=request.tools,
            tool_choice=request.tool_choice, max_tokens=request.max_tokens,
        )  # fmt: skip
        return adapt_request(body, lacks=self._lacks)

    @contextmanager
    def _failures(self) -> Iterator[None]:
        """Raise ModelFailure for any exception of the SDK."""
        try:
            yield
        except Exception as error:
            raise failure_of(error, started=True, secrets=self._secrets) from None


def _state(batch: MessageBatch) -> BatchState:
    counts = batch.request_counts
    size = counts.processing + counts.succeeded + counts.errored + counts.canceled + counts.expired
    return BatchState(batch.id, batch.processing_status == "ended", size, batch.created_at)


def _answer(line: MessageBatchIndividualResponse) -> BatchAnswer:
    result = line.result
    if result.type != "succeeded":
        return BatchAnswer(line.custom_id, result.type)
    accumulator = Accumulator(keeps_server_tools=True)
    accumulator.add_message(result.message)
    return BatchAnswer(line.custom_id, "succeeded", accumulator.result())
