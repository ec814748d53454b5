"""A scripted model with the Message Batches API: batches are answered when a test lets them end."""
from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2

from tests.scripted_model import Json, Next, Reply, ScriptedModel

PATH = "/v1/messages/batches"
STATES = ("processing", "succeeded", "errored", "canceled", "expired")


@dataclass
class SentBatch:
    """A batch that has arrived. `ends` are the ends of its requests once it has ended."""

    id: str
    created_at: datetime
    requests: list[Json]
    is_cancelled: bool = False
    ends: list[str] = field(default_factory=list)

    def as_json(self) -> Json:
        """Return it as the API shows it."""
        counts = dict.fromkeys(STATES, 0)
        for end in self.ends or ["processing"] * len(self.requests):
            counts[end] += 1
        status = "ended" if self.ends else "canceling" if self.is_cancelled else "in_progress"
        return {
            "id": self.id, "type": "message_batch", "processing_status": status, "request_counts": counts,
            "created_at": self.created_at.isoformat(), "expires_at": (self.created_at + timedelta(days=1)).isoformat(),
            "ended_at": None, "archived_at": None, "cancel_initiated_at": None,
            "results_url": f"https://elsewhere.invalid{PATH}/{self.id}/results" if self.ends else None,
        }  # fmt: skip


class ScriptedBatches(ScriptedModel):
    """A scripted model whose replies also answer batches, the newest of which are listed first.

    `now` is the clock of the provider. `losses` are popped at each new batch: "before" loses the request, "after" the
    response, so that the caller cannot know whether there is a batch; a Reply is an error response.
    """

    def __init__(self, *replies: Next | Reply, now: Callable[[], datetime] | None = None, **options: Any) -> None:
        super().__init__(*replies, **options)
        self.batches: list[SentBatch] = []
        self.losses: list[str | Reply] = []
        self.now = now or (lambda: datetime.now(UTC))
        self._numbers = itertools.count(1)

    def finish(self, *ends: str) -> None:
        """End all open batches; the ends of their first requests are `ends`, the others succeed."""
        for batch in self.batches:
            if not batch.ends:
                rest = "canceled" if batch.is_cancelled else "succeeded"
                batch.ends = [*ends[: len(batch.requests)], *[rest] * (len(batch.requests) - len(ends))]

    def add_batch(self, requests: list[Json]) -> SentBatch:
        """Create a batch, as a request does."""
        batch = SentBatch(f"msgbatch_{next(self._numbers)}", self.now(), requests)
        self.batches.insert(0, batch)
        return batch

    def other(self, method: str, path: str, body: bytes) -> httpx2.Response | None:
        """Answer requests about batches."""
        if PATH not in path:
            return super().other(method, path, body)
        name, _, action = path.partition(PATH)[2].strip("/").partition("/")
        if method == "POST" and not name:
            return self._create(json.loads(body)["requests"])
        if not name:
            page = {"data": [batch.as_json() for batch in self.batches], "has_more": False}
            return httpx2.Response(200, json=page | {"first_id": None, "last_id": None})
        batch = next((each for each in self.batches if each.id == name), None)
        if batch is None:
            error = {"type": "not_found_error", "message": "no such batch"}
            return httpx2.Response(404, json={"type": "error", "error": error})
        if action == "cancel":
            batch.is_cancelled = True
        if action == "results":
            lines = [self._result(*each) for each in zip(batch.requests, batch.ends, strict=True)]
            return httpx2.Response(200, content=b"".join(json.dumps(line).encode() + b"\n" for line in lines[::-1]))
        return httpx2.Response(200, json=batch.as_json())

    def _create(self, requests: list[Json]) -> httpx2.Response:
        ids = [each["custom_id"] for each in requests]
        if len(set(ids)) < len(ids) or not all(0 < len(each) <= 64 for each in ids):
            self.problems.append("custom_id: must be unique, of up to 64 characters")
        loss = self.losses.pop(0) if self.losses else ""
        if isinstance(loss, Reply):
            return httpx2.Response(loss.status, json={"type": "error", "error": loss.error}, headers=loss.headers)
        if loss == "before":
            raise httpx2.ConnectError("the connection broke")
        batch = self.add_batch(requests)
        if loss == "after":
            raise httpx2.ReadError("the connection broke")
        return httpx2.Response(200, json=batch.as_json())

    def _result(self, request: Json, end: str) -> Json:
        result: Json = {"type": end}
        if end == "succeeded":
            # The rules of the API are those of calls that stream, apart from this field.
            reply = self.take({**request["params"], "stream": True})
            content = [
                {"id": f"toolu_{index}", **block} if block["type"] == "tool_use" else block
                for index, block in enumerate(reply.blocks)
            ]
            result["message"] = {
                "id": "msg_1", "type": "message", "role": "assistant", "model": "scripted", "content": content,
                "stop_reason": reply.stop_reason, "stop_sequence": None, "usage": {"output_tokens": 20, **reply.usage},
            }  # fmt: skip
        elif end == "errored":
            result["error"] = {"type": "error", "error": {"type": "api_error", "message": "no"}}
        return {"custom_id": request["custom_id"], "result": result}
