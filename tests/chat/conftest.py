"""Fixtures of the chat's tests."""
from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User

from chat.turns.model_clients import use_transport
from tests.chat.entries import note_entries
from tests.chat.stream_client import Browser
from tests.scripted_model import ScriptedModel


@pytest.fixture
def notes() -> Iterator[None]:
    """The page of notes with its tools and payload types."""
    with note_entries():
        yield


@pytest.fixture
def browser(live_server_url: str, user: User) -> Browser:
    """The user's browser at a real Daphne."""
    return Browser(live_server_url, user)


@pytest.fixture
def script() -> Iterator[ScriptedModel]:
    """The model of every turn; replies are added by the test."""
    script = ScriptedModel()
    with use_transport(script.transport()):
        yield script
