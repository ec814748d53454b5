"""Streams that wait for other streams of the user hold no database connection."""
from __future__ import annotations

import asyncio
from uuid import uuid4

import pytest
from asgiref.sync import async_to_sync
from asgiref.testing import ApplicationCommunicator
from django.contrib.auth.models import User
from django.utils import timezone

from accounts.models import RequestCount
from accounts.tokens import create_token
from chat.turns.database import in_database
from chat.turns.runtime import current_runtime
from chatproject.server.application import django_application

# More than the database connections.
WAITING = 20


def count_arrived() -> int:
    """Return how many requests were accepted; each has its own token, so the minute does not matter."""
    return RequestCount.objects.filter(key__startswith="token:").count()


def follow_request(secret: str) -> ApplicationCommunicator:
    """Return a client that follows a turn and has sent its whole request."""
    headers = [(b"host", b"testserver"), (b"authorization", f"Bearer {secret}".encode())]
    path = f"/api/chat/turns/{uuid4()}/stream/"
    scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": headers}
    return ApplicationCommunicator(django_application, scope)


@pytest.mark.django_db(transaction=True)
def test_ending_stream_gets_its_connection_while_many_wait(user: User) -> None:
    secrets = [create_token(user=user, name=f"{number}", now=timezone.now())[1] for number in range(WAITING)]

    @async_to_sync
    async def scene() -> list[int]:
        askers = [follow_request(secret) for secret in secrets]
        async with current_runtime().stream_slots.request(user):
            for asker in askers:
                await asker.send_input({"type": "http.request", "body": b""})
            while await in_database(count_arrived) < WAITING and not any(asker.future.done() for asker in askers):
                await asyncio.sleep(0)
        return [(await asker.receive_output(timeout=120))["status"] for asker in askers]

    # No such turn, or too many streams at once.
    assert set(scene()) <= {404, 429}
