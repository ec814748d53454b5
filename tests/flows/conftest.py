"""The world that walks of the whole address book happen in."""
from __future__ import annotations

import pytest

from tests.flows.world import World, make_world


@pytest.fixture
def world(db: None) -> World:
    return make_world()
