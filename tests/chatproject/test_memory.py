"""Large blocks of memory are returned to the system when they are freed in any thread."""

from __future__ import annotations

import subprocess
import sys

import pytest

# The second block of a size is allocated on the heap of the thread, unless heaps are limited.
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
    """Return the growth in MB of a program that has freed all blocks it used."""
    process = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(limit=limit)], check=True, capture_output=True, text=True, timeout=120
    )
    return int(process.stdout)


@pytest.mark.slow
def test_large_blocks_are_returned_when_they_are_freed() -> None:
    assert growth("limit_heaps()") < 20 <= growth("")
