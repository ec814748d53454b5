"""The collector rests while large work is done, and works again afterwards, whatever became of it."""
from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from tables.services.pipeline.gc_pause import without_gc


@without_gc
def is_collecting() -> bool:
    return gc.isenabled()


@without_gc
def fail() -> None:
    raise ValueError("as it happens")


def test_the_collector_rests_during_the_work_alone() -> None:
    assert (is_collecting(), gc.isenabled()) == (False, True)


def test_the_collector_works_again_after_a_failure() -> None:
    with pytest.raises(ValueError, match="as it happens"):
        fail()
    assert gc.isenabled()


def test_the_last_of_several_workers_turns_it_on() -> None:
    both = Barrier(2, timeout=120)

    @without_gc
    def meet() -> bool:
        both.wait()
        return gc.isenabled()

    with ThreadPoolExecutor(2) as pool:
        told = [pool.submit(meet), pool.submit(meet)]
        assert [one.result() for one in told] == [False, False]
    assert gc.isenabled()
