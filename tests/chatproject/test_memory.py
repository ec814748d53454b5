"""Large blocks of memory go back to the system when they are freed, in whatever thread."""

from __future__ import annotations

import subprocess
import sys

import pytest

# The second block of a size is taken from the heap of the thread, unless that is limited.
PROGRAM = """
from threading import Barrier, Thread
from chatproject.limits.memory import MB, limit_heaps, used_mb

def work():
    for _ in range(3):
        block = b"x" * (20 * MB)
        barrier.wait()
        del block
        barrier.wait()

{limit}
barrier, before = Barrier(5), used_mb()
threads = [Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
for _ in range(6):
    barrier.wait()
print(used_mb() - before)
"""


def growth(limit: str) -> int:
    """Return by how many MB a program has grown that has freed all it used."""
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(limit=limit)], check=True, capture_output=True, text=True, timeout=120
    )
    return int(ended.stdout)


@pytest.mark.slow
def test_large_blocks_are_returned_when_they_are_freed() -> None:
    assert growth("limit_heaps()") < 20 <= growth("")
