"""Slots for requests: no client takes them all, and those who wait get them in order."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from accounts.exceptions import TooMany
from chatproject.shares import Shares


def shares(*, slots: int = 8, reserve: int = 2, per_client: int = 3, max_waiting: int = 10) -> Shares:
    return Shares(slots=slots, reserve=reserve, per_client=per_client, max_waiting=max_waiting, seconds=3_600)


async def started(*requests: Coroutine[Any, Any, None]) -> list[asyncio.Task[None]]:
    """Start the requests in this order and return their tasks when each has a slot or waits."""
    tasks = [asyncio.ensure_future(request) for request in requests]
    await asyncio.sleep(0)
    return tasks


def admitted(tasks: list[asyncio.Task[None]]) -> list[bool]:
    return [task.done() for task in tasks]


async def end(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def test_a_client_has_so_many_slots_and_no_more() -> None:
    async def scenario() -> None:
        slots = shares(per_client=3)
        tasks = await started(*(slots.acquire("ada") for _ in range(5)))
        assert admitted(tasks) == [True, True, True, False, False]
        slots.release("ada")
        await asyncio.sleep(0)
        assert admitted(tasks) == [True, True, True, True, False]
        await end(tasks)

    asyncio.run(scenario())


def test_the_reserve_is_for_clients_that_have_nothing_running() -> None:
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


def test_requests_that_give_up_waiting_leave_their_place_to_the_next() -> None:
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
        slots = Shares(slots=1, reserve=0, per_client=1, max_waiting=1, seconds=0)
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
