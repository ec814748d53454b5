"""Running turns, event writer, stream slots and model clients of one event loop, and their shutdown."""
from __future__ import annotations

import asyncio
import contextvars
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID
from weakref import WeakKeyDictionary

from asgiref.sync import ThreadSensitiveContext
from django.utils import timezone

from chat.agent.clock import Clock, SystemClock
from chat.agent.model import FAILURES
from chat.services import end_stale_turns, refresh_heartbeats, release_stale_stream_slots, turns_to_cancel
from chat.stream import error_event
from chat.turns.database import in_database
from chat.turns.event_log import EventWriter, TurnLog
from chat.turns.stream_slots import StreamSlots
from shared import strictjson
from shared.websockets.broadcast import broadcast_from_running_loop
from shared.websockets.credentials import Credential, valid_credentials

if TYPE_CHECKING:
    from chat.agent.client.anthropic_model import AnthropicModel

log = logging.getLogger(__name__)

FLUSH_SECONDS = 0.1
CANCEL_POLL_SECONDS = 0.4
# Interval of the checks of the credentials of all running turns, which share their queries.
ACCESS_POLL_SECONDS = 1.0
HEARTBEAT_SECONDS = 5.0
SWEEP_SECONDS = 10.0
# Time limit for storing the ends of interrupted turns at shutdown.
STORE_SECONDS = 10.0
INTERNAL_ERROR_EVENT = error_event(code="internal", message=FAILURES["internal"](), retryable=True)

Json = dict[str, Any]


class RunningTurn:
    """A turn that runs in this process.

    `credential` is that of the request that started it; a turn without one is not checked. While it is `closing`, it
    can no longer be cancelled.
    """

    def __init__(self, turn_id: UUID, *, writer: EventWriter, credential: Credential | None = None) -> None:
        self.turn_id = turn_id
        self.credential = credential
        self.log = TurnLog(turn_id)
        self.stopped = False
        self.access_ended = False
        self.closing = False
        self.task: asyncio.Task[None] | None = None
        self._writer = writer

    def send(self, event: Json) -> None:
        """Append an event to the log; it is stored with the next batch."""
        if not self.log.ended:
            # Texts of tools and models may contain characters that the database refuses, and with them a whole batch.
            text = self.log.append(strictjson.replace_unstorable(event))
            self._writer.add(self.turn_id, seq=self.log.count, event=text)

    def stop(self) -> None:
        """Cancel the turn on the user's request. Has no effect on a turn that is ending."""
        if self._can_be_ended and self.task is not None:
            self.stopped = True
            self.task.cancel()

    def end_access(self) -> None:
        """End the turn as failed, because its credential no longer holds."""
        if self._can_be_ended and self.task is not None:
            self.access_ended = True
            self.task.cancel()

    def abandon(self) -> None:
        """Cancel without recording an end: another process has already closed this turn as stale."""
        if self._can_be_ended and self.task is not None:
            self.task.cancel()

    @property
    def _can_be_ended(self) -> bool:
        """Whether the turn is not ending already."""
        return not (self.stopped or self.access_ended or self.closing)


@dataclass
class SharedClient:
    """A model's client, the configuration it was created from, and how many turns use it."""

    configuration: tuple[Any, ...]
    client: AnthropicModel
    turns: int = 0


class TurnRuntime:
    """The turns of one event loop. A client that disconnects ends only its stream, not the turn."""

    def __init__(self, *, clock: Clock) -> None:
        self.clock = clock
        self.writer = EventWriter(stored=self._stored)
        self.running: dict[UUID, RunningTurn] = {}
        self.stream_slots = StreamSlots()
        # By the name of the model.
        self.clients: dict[str, SharedClient] = {}
        # See `shut_down`.
        self.shutting_down = False
        self.abort_drain = asyncio.Event()
        self._supervisor: asyncio.Task[None] | None = None
        self._sweeper: asyncio.Task[None] | None = None

    def start_background_tasks(self) -> None:
        """Start the sweeper, which ends stale turns of other processes and refreshes this one's stream slots."""
        if self._sweeper is None or self._sweeper.done():
            self._sweeper = asyncio.get_running_loop().create_task(
                self._sweep(), name="sweeper of turns", context=contextvars.Context()
            )

    @property
    def has_background_tasks(self) -> bool:
        """Whether the sweeper or the supervisor runs."""
        return any(task is not None and not task.done() for task in (self._sweeper, self._supervisor))

    async def stop_background_tasks(self) -> None:
        """Cancel the sweeper and the supervisor, and wait for their current work."""
        watching = {task for task in (self._sweeper, self._supervisor) if task is not None}
        for task in watching:
            task.cancel()
        if watching:
            await asyncio.wait(watching)

    def launch(
        self,
        turn_id: UUID,
        work: Callable[[RunningTurn], Awaitable[None]],
        *,
        credential: Credential | None = None,
    ) -> RunningTurn:
        """Run `work` for the turn in its own task while the credential is valid."""
        turn = RunningTurn(turn_id, writer=self.writer, credential=credential)
        self.running[turn_id] = turn
        # A new context, because the turn outlives the thread and variables of the request; only the user's time zone
        # is copied.
        context = contextvars.Context()
        context.run(timezone.activate, timezone.get_current_timezone())
        context.run(broadcast_from_running_loop)
        turn.task = asyncio.get_running_loop().create_task(
            self._run(turn, work=work), name=f"turn {turn_id}", context=context
        )
        if self._supervisor is None or self._supervisor.done():
            self._supervisor = asyncio.get_running_loop().create_task(
                self._supervise(), name="supervisor of turns", context=contextvars.Context()
            )
        return turn

    async def _run(self, turn: RunningTurn, *, work: Callable[[RunningTurn], Awaitable[None]]) -> None:
        try:
            async with ThreadSensitiveContext():
                await work(turn)
        except Exception:
            log.exception("turn %s crashed", turn.turn_id)
        finally:
            self.running.pop(turn.turn_id, None)
            # Clients must not wait forever if the work has not appended a final event.
            turn.log.append(INTERNAL_ERROR_EVENT)

    async def _supervise(self) -> None:
        """While turns run: store their events, refresh their heartbeats, check cancellation requests and access."""
        async with ThreadSensitiveContext():
            heartbeat = cancel_poll = access_poll = self.clock.monotonic()
            while self.running:
                await self.clock.sleep(FLUSH_SECONDS)
                try:
                    await self.writer.flush()
                    now = self.clock.monotonic()
                    if now - cancel_poll >= CANCEL_POLL_SECONDS:
                        cancel_poll = now
                        await self._cancel_requested()
                    if now - access_poll >= ACCESS_POLL_SECONDS:
                        access_poll = now
                        await self._end_without_access()
                    if now - heartbeat >= HEARTBEAT_SECONDS:
                        heartbeat = now
                        await self._refresh_heartbeats()
                except Exception:
                    log.exception("could not check the running turns")

    async def _refresh_heartbeats(self) -> None:
        mine = list(self.running)
        living = await in_database(refresh_heartbeats, mine, now=timezone.now())
        for turn_id in mine:
            turn = self.running.get(turn_id)
            if turn is not None and turn_id not in living:
                turn.abandon()

    def _stored(self, turn_id: UUID, first: int, last: int) -> None:
        turn = self.running.get(turn_id)
        if turn is not None:
            turn.log.stored(first, last)

    async def _sweep(self) -> None:
        """End turns and release stream slots of processes that were killed."""
        async with ThreadSensitiveContext():
            while True:
                try:
                    await self.stream_slots.refresh()
                    await in_database(release_stale_stream_slots, now=timezone.now())
                    await in_database(end_stale_turns, now=timezone.now())
                except Exception:
                    log.exception("could not end stale turns")
                await self.clock.sleep(SWEEP_SECONDS)

    async def _end_without_access(self) -> None:
        turns = [(turn, turn.credential) for turn in self.running.values()]
        valid = await in_database(valid_credentials, {credential for _, credential in turns if credential})
        for turn, credential in turns:
            if credential and credential not in valid:
                turn.end_access()

    async def _cancel_requested(self) -> None:
        for turn_id in await in_database(turns_to_cancel, list(self.running)):
            turn = self.running.get(turn_id)
            if turn is not None:
                turn.stop()


_runtimes: WeakKeyDictionary[asyncio.AbstractEventLoop, TurnRuntime] = WeakKeyDictionary()


def current_runtime() -> TurnRuntime:
    """Return the runtime of the running event loop; a server process has one."""
    loop = asyncio.get_running_loop()
    if loop not in _runtimes:
        _runtimes[loop] = TurnRuntime(clock=SystemClock())
    return _runtimes[loop]


def runtimes() -> list[tuple[asyncio.AbstractEventLoop, TurnRuntime]]:
    """Return the runtimes of all running event loops of this process."""
    return [(loop, runtime) for loop, runtime in list(_runtimes.items()) if loop.is_running()]


async def shut_down(runtime: TurnRuntime, *, within: float) -> None:
    """Return when no turn runs in this process and all events are stored.

    Turns that run for longer than `within` seconds, or when `runtime.abort_drain` is set, end as interrupted: their
    text is stored, and users can repeat them. Streams of turns of other processes end at once, and their clients
    connect again to another process.
    """
    runtime.shutting_down = True
    turns_ended = asyncio.ensure_future(_wait_for_turns(runtime))
    aborted = asyncio.ensure_future(runtime.abort_drain.wait())
    try:
        with suppress(TimeoutError):
            async with runtime.clock.timeout(within):
                await asyncio.wait({turns_ended, aborted}, return_when=asyncio.FIRST_COMPLETED)
        for turn in list(runtime.running.values()):
            turn.abandon()
        with suppress(TimeoutError):
            async with runtime.clock.timeout(STORE_SECONDS):
                await asyncio.shield(turns_ended)
    finally:
        turns_ended.cancel()
        aborted.cancel()
    await runtime.writer.flush()


async def _wait_for_turns(runtime: TurnRuntime) -> None:
    while tasks := [turn.task for turn in runtime.running.values() if turn.task is not None]:
        await asyncio.wait(tasks)
