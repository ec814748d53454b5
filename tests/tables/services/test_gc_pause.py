"""Garbage collection is paused during large work and resumed afterwards, also after errors."""
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


def test_collection_is_paused_during_the_work() -> None:
    assert (is_collecting(), gc.isenabled()) == (False, True)


def test_collection_resumes_after_a_failure() -> None:
    with pytest.raises(ValueError, match="as it happens"):
        fail()
    assert gc.isenabled()


def test_collection_resumes_after_the_last_of_several_workers() -> None:
    both = Barrier(2, timeout=120)

    @without_gc
    def meet() -> bool:
        both.wait()
        return gc.isenabled()

    with ThreadPoolExecutor(2) as pool:
        futures = [pool.submit(meet), pool.submit(meet)]
        assert [one.result() for one in futures] == [False, False]
    assert gc.isenabled()
