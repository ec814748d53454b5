"""Fixtures with the objects and clients that the tests of all endpoints use."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.flows.isolation_world import World, make_world, rolled_back


@pytest.fixture(scope="module")
def settled_world(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    """Create one world for all tests of a file; its changes are rolled back after each test."""
    with django_db_blocker.unblock(), rolled_back():
        world = make_world()
        world.stored = world.snapshot()
        yield world


@pytest.fixture
def world(settled_world: World, db: None) -> Iterator[World]:
    """The same world in a transaction of the test, with its sessions restored."""
    cookies = {actor: client.cookies.copy() for actor, client in settled_world.actors.items()}
    yield settled_world
    for actor, client in settled_world.actors.items():
        client.cookies = cookies[actor]
