"""The world that walks of the whole address book happen in."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.flows.isolation_world import World, make_world, taken_back


@pytest.fixture(scope="module")
def settled_world(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    """One world for all tests of a file; whatever they do in it is taken back after each."""
    with django_db_blocker.unblock(), taken_back():
        yield make_world()


@pytest.fixture
def world(settled_world: World, db: None) -> Iterator[World]:
    """The same with a transaction of the test's own; nobody stays signed out, either."""
    kept = {who: client.cookies.copy() for who, client in settled_world.actors.items()}
    yield settled_world
    for who, client in settled_world.actors.items():
        client.cookies = kept[who]
