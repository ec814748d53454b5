"""Garbage is collected less often during large work, and as usual afterwards, also after errors."""
from __future__ import annotations

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from shared.rare_gc import THRESHOLDS, with_rare_gc

Thresholds = tuple[int, int, int]


@pytest.fixture
def usual() -> Thresholds:
    return gc.get_threshold()


class Node:
    """An object that only the garbage collector can free."""

    def __init__(self) -> None:
        self.itself = self


@with_rare_gc
def thresholds() -> Thresholds:
    return gc.get_threshold()


@with_rare_gc
def fail() -> None:
    raise ValueError("as it happens")


def test_collection_is_rare_during_the_work(usual: Thresholds) -> None:
    assert (thresholds(), gc.get_threshold()) == (THRESHOLDS, usual)


def test_circular_garbage_is_collected_during_the_work() -> None:
    @with_rare_gc
    def work() -> bool:
        garbage = weakref.ref(Node())
        live = [[] for _ in range(THRESHOLDS[0] + 1)]  # type: ignore[var-annotated]
        return bool(live) and garbage() is None

    assert work()


def test_collection_is_as_usual_after_a_failure(usual: Thresholds) -> None:
    with pytest.raises(ValueError, match="as it happens"):
        fail()
    assert gc.get_threshold() == usual


def test_collection_is_as_usual_after_the_last_of_several_workers(usual: Thresholds) -> None:
    both = Barrier(2, timeout=120)

    @with_rare_gc
    def meet() -> Thresholds:
        both.wait()
        return gc.get_threshold()

    with ThreadPoolExecutor(2) as pool:
        futures = [pool.submit(meet), pool.submit(meet)]
        assert [one.result() for one in futures] == [THRESHOLDS, THRESHOLDS]
    assert gc.get_threshold() == usual
