"""What tests of the chat may ask for."""
from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.chat.entries import note_entries


@pytest.fixture
def notes() -> Iterator[None]:
    """The page of notes with its tools and payload types."""
    with note_entries():
        yield
