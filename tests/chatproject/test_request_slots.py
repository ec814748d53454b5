"""Request slots: limits of each client, the reserve, and the order of waiting requests."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Coroutine
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounts.exceptions import AccountsError, Busy, TooMany
from chatproject.limits.request_slots import SlotPool


def shares(*, slots: int = 8, reserve: int = 2, per_client: int = 3, max_waiting: int = 10) -> SlotPool:
    return SlotPool(slots=slots, reserve=reserve, per_client=per_client, max_waiting=max_waiting, seconds=3_600)


async def started(*requests: Coroutine[Any, Any, None]) -> list[asyncio.Task[None]]:
    """Start the requests in this order; return their tasks when each has a slot or waits."""
    tasks = [asyncio.ensure_future(request) for request in requests]
    await asyncio.sleep(0)
    return tasks


def admitted(tasks: list[asyncio.Task[None]]) -> list[bool]:
    return [task.done() for task in tasks]


async def end(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def test_slots_of_one_client_are_limited() -> None:
    async def scenario() -> None:
        slots = shares(per_client=3)
        tasks = await started(*(slots.acquire("ada") for _ in range(5)))
        assert admitted(tasks) == [True, True, True, False, False]
        slots.release("ada")
        await asyncio.sleep(0)
        assert admitted(tasks) == [True, True, True, True, False]
        await end(tasks)

    asyncio.run(scenario())


def test_the_reserve_is_for_clients_without_running_requests() -> None:
    async def scenario() -> None:
        slots = shares(slots=8, reserve=2, per_client=3)
        heavy = await started(*(slots.acquire(client) for client in ("eve", "mallory") for _ in range(4)))
        assert admitted(heavy) == [True, True, True, False] * 2
        light = await started(*(slots.acquire(client) for client in ("ada", "bob", "ada", "cleo")))
        assert admitted(light) == [True, True, False, False]
        slots.release("bob")
        await asyncio.sleep(0)
        assert admitted(light) == [True, True, False, True]
        await end([*heavy, *light])

    asyncio.run(scenario())


def test_too_many_waiting_requests_of_one_client_are_refused() -> None:
    async def scenario() -> None:
        slots = shares(per_client=1, max_waiting=2)
        tasks = await started(*(slots.acquire("ada") for _ in range(4)), slots.acquire("bob"))
        assert admitted(tasks) == [True, False, False, True, True]
        with pytest.raises(TooMany):
            tasks[3].result()
        await end(tasks)

    asyncio.run(scenario())


def test_cancelled_requests_leave_their_slot_to_the_next() -> None:
    async def scenario() -> None:
        slots = shares(per_client=1)
        tasks = await started(*(slots.acquire("ada") for _ in range(3)))
        tasks[1].cancel()
        slots.release("ada")
        await asyncio.wait(tasks[:2])
        await asyncio.sleep(0)
        assert (tasks[1].cancelled(), admitted(tasks)) == (True, [True, True, True])
        await end(tasks)

    asyncio.run(scenario())


def test_a_request_that_waited_too_long_is_refused() -> None:
    async def scenario() -> None:
        slots = SlotPool(slots=1, reserve=0, per_client=1, max_waiting=1, seconds=0)
        await slots.acquire("ada")
        with pytest.raises(TooMany):
            await slots.acquire("bob")
        slots.release("ada")
        await slots.acquire("bob")

    asyncio.run(scenario())


def test_a_client_with_many_waiting_requests_does_not_delay_the_first_of_another() -> None:
    async def scenario() -> None:
        slots = shares(slots=2, reserve=0, per_client=2)
        many = await started(*(slots.acquire("eve") for _ in range(10)))
        (first,) = await started(slots.acquire("ada"))
        slots.release("eve")
        slots.release("eve")
        await asyncio.sleep(0)
        assert (admitted([first]), sum(admitted(many))) == ([True], 3)
        await end([*many, first])

    asyncio.run(scenario())


@pytest.mark.parametrize(("client", "error"), [("ada", TooMany), ("bob", Busy)])
def test_the_error_of_a_large_request_names_what_it_waited_for(client: str, error: type[AccountsError]) -> None:
    async def scenario() -> None:
        slots = SlotPool(slots=8, reserve=0, per_client=1, max_waiting=1, seconds=0)
        await slots.acquire("ada", large=True)
        with pytest.raises(error):
            await slots.acquire(client, large=True)

    asyncio.run(scenario())


def test_a_request_found_to_be_large_does_not_overtake_waiting_ones() -> None:
    async def scenario() -> None:
        slots = shares(slots=2, reserve=0)
        await slots.acquire("ada", large=True)
        await slots.acquire("bob")
        waiting = await started(slots.acquire("cleo"), slots.acquire("dora", large=True))
        slots.release("ada", large=True)
        await asyncio.sleep(0)
        assert (admitted(waiting), slots.make_large()) == ([True, False], False)
        slots.release("cleo")
        await asyncio.sleep(0)
        assert admitted(waiting) == [True, True]

    asyncio.run(scenario())


def test_clients_with_many_large_requests_take_turns() -> None:
    async def scenario() -> None:
        slots = shares()
        many = await started(*(slots.acquire("eve", large=True) for _ in range(4)))
        (other,) = await started(slots.acquire("ada", large=True))
        assert admitted([*many, other]) == [True, False, False, False, False]
        slots.release("eve", large=True)
        await asyncio.sleep(0)
        slots.release("eve", large=True)
        await asyncio.sleep(0)
        assert admitted([*many, other]) == [True, True, False, False, True]
        await end([*many, other])

    asyncio.run(scenario())


@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans(), st.sampled_from("ARC")), max_size=40))
def test_free_slots_are_used_and_no_request_is_lost(steps: list[tuple[str, bool, str]]) -> None:
    async def scenario() -> None:
        slots = shares(slots=4, reserve=1, per_client=2)
        running: list[tuple[str, bool, asyncio.Task[None]]] = []
        for client, large, action in steps:
            if action == "A":
                running += [(client, large, task) for task in await started(slots.acquire(client, large=large))]
            elif action == "R" and (working := [each for each in running if each[2].done()]):
                running.remove(working[0])
                slots.release(working[0][0], large=working[0][1])
                await asyncio.sleep(0)
            elif action == "C" and (waiting := [each for each in running if not each[2].done()]):
                running.remove(waiting[0])
                await end([waiting[0][2]])
            working = [each for each in running if each[2].done()]
            assert len(working) <= 4
            assert sum(large for _, large, _ in working) <= 1
            own = Counter(each[0] for each in working)
            assert max(own.values(), default=0) <= 2
            for client, large, task in running:
                free = 4 if own[client] < 1 else 3
                may_start = own[client] < 2 and len(working) < free and not (large and any(e[1] for e in working))
                assert task.done() or not may_start
        while working := [each for each in running if each[2].done()]:
            running.remove(working[0])
            slots.release(working[0][0], large=working[0][1])
            await asyncio.sleep(0)
        assert running == []

    asyncio.run(scenario())
