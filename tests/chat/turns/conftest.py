"""The garbage of a test, in which unclosed streams are found."""
from __future__ import annotations

import gc
import types
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module")
def no_earlier_garbage() -> None:
    gc.collect()


@pytest.fixture
def garbage(no_earlier_garbage: None) -> Iterator[list[object]]:
    """Collect what only the garbage collector finds in a list, of the objects that the test creates."""
    gc.collect(0)
    # Freezing excludes modules, tests of this process and leftovers of earlier tests.
    gc.freeze()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    yield gc.garbage
    gc.set_debug(0)
    gc.enable()
    gc.garbage.clear()


def streams_in(garbage: list[object]) -> list[str]:
    """Return the project's streams, without those of the scripted model, whose server is in the same process."""
    gc.collect()
    found = [item for item in garbage if isinstance(item, types.AsyncGeneratorType)]
    return [stream.__qualname__ for stream in found if "/tests/" not in stream.ag_code.co_filename]
