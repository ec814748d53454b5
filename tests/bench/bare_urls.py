"""The least a view can do that streams a model's answer: calls the SDK, passes on what it says."""
from __future__ import annotations

import json
from collections.abc import AsyncIterator

import anthropic
from django.conf import settings
from django.http import HttpRequest, StreamingHttpResponse
from django.urls import path

WORDS = "Hello"
clients: list[anthropic.AsyncAnthropic] = []


def client() -> anthropic.AsyncAnthropic:
    """One for the process."""
    if not clients:
        limits = anthropic.DefaultAsyncHttpxClient(base_url=settings.ANTHROPIC_BASE_URL)
        clients.append(
            anthropic.AsyncAnthropic(
                api_key="bench", base_url=settings.ANTHROPIC_BASE_URL, max_retries=0, http_client=limits
            )
        )
    return clients[0]


async def said() -> AsyncIterator[bytes]:
    """The answer, an event a delta."""
    stream = await client().messages.create(
        model="bench", max_tokens=1_000, stream=True, messages=[{"role": "user", "content": WORDS}]
    )
    number = 0
    async for event in stream:
        if event.type == "content_block_delta" and event.delta.type == "text_delta":
            number += 1
            data = json.dumps({"type": "text_delta", "text": event.delta.text})
            yield f"id: {number}\ndata: {data}\n\n".encode()
    yield f'id: {number + 1}\ndata: {{"type": "complete"}}\n\n'.encode()


async def stream(request: HttpRequest) -> StreamingHttpResponse:
    """Streams the answer."""
    return StreamingHttpResponse(said(), content_type="text/event-stream")


urlpatterns = [path("api/chat/stream/", stream)]
