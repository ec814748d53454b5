"""A minimal view that streams a model's answer: it calls the SDK and passes on the text."""
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
    """Return the client of the process."""
    if not clients:
        limits = anthropic.DefaultAsyncHttpxClient(base_url=settings.ANTHROPIC_BASE_URL)
        clients.append(
            anthropic.AsyncAnthropic(
                api_key="bench", base_url=settings.ANTHROPIC_BASE_URL, max_retries=0, http_client=limits
            )
        )
    return clients[0]


async def events() -> AsyncIterator[bytes]:
    """Yield the answer, one event per delta."""
    stream = await client().messages.create(
        model="bench", max_tokens=1_000, stream=True, messages=[{"role": "user", "content": WORDS}]
    )
    number = 0
    async for event in stream:
        if event.type == "content_block_delta" and event.delta.type == "text_delta":
            number += 1
            data = json.dumps({"type": "text_delta", "text": event.delta.text})
            yield f"id: {number}\nevent: text_delta\ndata: {data}\n\n".encode()
    yield f'id: {number + 1}\nevent: complete\ndata: {{"type": "complete"}}\n\n'.encode()


async def stream(request: HttpRequest) -> StreamingHttpResponse:
    """Stream the answer."""
    return StreamingHttpResponse(events(), content_type="text/event-stream")


urlpatterns = [path("api/chat/stream/", stream)]
