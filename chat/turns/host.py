"""What one event loop holds of the chat: its running turns, their writer, places for streams, the model's client."""
from __future__ import annotations

import asyncio
import contextvars
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID
from weakref import WeakKeyDictionary

from asgiref.sync import ThreadSensitiveContext
from django.utils import timezone

import strictjson
from chat.agent.clock import Clock, SystemClock
from chat.agent.failures import FAILURES
from chat.services import end_stale_turns, forget_lost_places, keep_alive, turns_to_cancel
from chat.stream import error_event
from chat.turns.database import in_database
from chat.turns.log import EventWriter, TurnLog
from chat.turns.places import StreamPlaces
from sockets.credentials import Credential, valid_credentials
from sockets.telling import tell_from_here

if TYPE_CHECKING:
    from chat.agent.client import AnthropicModel

log = logging.getLogger(__name__)

FLUSH_SECONDS = 0.1
CANCEL_POLL_SECONDS = 0.4
# How often the credentials of all running turns are checked, in one go.
ACCESS_POLL_SECONDS = 1.0
HEARTBEAT_SECONDS = 5.0
SWEEP_SECONDS = 10.0
BROKEN = error_event(code="internal", message=FAILURES["internal"](), retryable=True)

Json = dict[str, Any]


class RunningTurn:
    """A turn that runs here. `stop` asks it to end as cancelled, until it is `closing`; `say` gives an event.

    `credential` is how the request that began it was authenticated; a turn without one runs to its own end.
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

    def say(self, event: Json) -> None:
        """Adds an event to the log, to be stored with the next batch."""
        if not self.log.ended:
            # What tools and models say may hold what no database takes: one such event would hold up all others.
            text = self.log.append(strictjson.storable(event))
            self._writer.add(self.turn_id, seq=self.log.count, event=text)

    def stop(self) -> None:
        """Somebody pressed Stop: once is enough, more do no harm, and a turn that is just ending ends as it does."""
        if self._can_end and self.task is not None:
            self.stopped = True
            self.task.cancel()

    def end_access(self) -> None:
        """End the turn as failed, because its credential no longer holds."""
        if self._can_end and self.task is not None:
            self.access_ended = True
            self.task.cancel()

    def give_up(self) -> None:
        """Somebody took this process for dead and ended the turn; another may run in its place by now."""
        if self._can_end and self.task is not None:
            self.task.cancel()

    @property
    def _can_end(self) -> bool:
        """Whether the turn is not ending already."""
        return not (self.stopped or self.access_ended or self.closing)


@dataclass
class SharedClient:
    """A model's client, the configuration it was created from, and how many turns use it."""

    configuration: tuple[Any, ...]
    client: AnthropicModel
    turns: int = 0


class Host:
    """The turns of one event loop. They are detached from connections: a client that leaves ends only its stream."""

    def __init__(self, *, clock: Clock) -> None:
        self.clock = clock
        self.writer = EventWriter(stored=self._stored)
        self.running: dict[UUID, RunningTurn] = {}
        self.places = StreamPlaces()
        # By the name of the model.
        self.clients: dict[str, SharedClient] = {}
        # Told to end: see `leaving.py`.
        self.leaving = False
        self.hurried = asyncio.Event()
        self._keeper: asyncio.Task[None] | None = None
        self._sweeper: asyncio.Task[None] | None = None

    def watch_over(self) -> None:
        """From now on, as long as the loop runs, looks after what other processes left behind, and says it is there."""
        if self._sweeper is None or self._sweeper.done():
            self._sweeper = asyncio.get_running_loop().create_task(
                self._sweep(), name="sweeper of turns", context=contextvars.Context()
            )

    @property
    def watches(self) -> bool:
        """Whether something is still looked after."""
        return any(task is not None and not task.done() for task in (self._sweeper, self._keeper))

    async def look_away(self) -> None:
        """Looks after nothing any more, until there is something anew; what was being done has been done by then."""
        watching = {task for task in (self._sweeper, self._keeper) if task is not None}
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
        """Runs `work` for the turn in a task of its own, as long as the credential holds."""
        turn = RunningTurn(turn_id, writer=self.writer, credential=credential)
        self.running[turn_id] = turn
        # A context of its own: the request that began it must not take its thread or its variables away. Days are
        # those of the person all the same.
        own = contextvars.Context()
        own.run(timezone.activate, timezone.get_current_timezone())
        own.run(tell_from_here)
        turn.task = asyncio.get_running_loop().create_task(
            self._run(turn, work=work), name=f"turn {turn_id}", context=own
        )
        if self._keeper is None or self._keeper.done():
            self._keeper = asyncio.get_running_loop().create_task(
                self._keep(), name="keeper of turns", context=contextvars.Context()
            )
        return turn

    async def _run(self, turn: RunningTurn, *, work: Callable[[RunningTurn], Awaitable[None]]) -> None:
        try:
            async with ThreadSensitiveContext():
                await work(turn)
        except Exception:
            log.exception("turn %s broke", turn.turn_id)
        finally:
            self.running.pop(turn.turn_id, None)
            # Whoever listens must not wait for ever, even if the work forgot to say that it is over.
            turn.log.append(BROKEN)

    async def _keep(self) -> None:
        """While turns run: stores their events, says that they live, looks for wishes to cancel."""
        async with ThreadSensitiveContext():
            heartbeat = cancel_poll = access_poll = self.clock.monotonic()
            while self.running:
                await self.clock.sleep(FLUSH_SECONDS)
                try:
                    await self.writer.flush()
                    now = self.clock.monotonic()
                    if now - cancel_poll >= CANCEL_POLL_SECONDS:
                        cancel_poll = now
                        await self._cancel_wished()
                    if now - access_poll >= ACCESS_POLL_SECONDS:
                        access_poll = now
                        await self._end_without_access()
                    if now - heartbeat >= HEARTBEAT_SECONDS:
                        heartbeat = now
                        await self._say_alive()
                except Exception:
                    log.exception("could not look after the running turns")

    async def _say_alive(self) -> None:
        mine = list(self.running)
        living = await in_database(keep_alive, mine, now=timezone.now())
        for turn_id in mine:
            turn = self.running.get(turn_id)
            if turn is not None and turn_id not in living:
                turn.give_up()

    def _stored(self, turn_id: UUID, first: int, last: int) -> None:
        turn = self.running.get(turn_id)
        if turn is not None:
            turn.log.stored(first, last)

    async def _sweep(self) -> None:
        """Ends what died with its process, whether anybody looks at it or not."""
        async with ThreadSensitiveContext():
            while True:
                try:
                    await self.places.keep()
                    await in_database(forget_lost_places, now=timezone.now())
                    await in_database(end_stale_turns, now=timezone.now())
                except Exception:
                    log.exception("could not look after turns that were left behind")
                await self.clock.sleep(SWEEP_SECONDS)

    async def _end_without_access(self) -> None:
        turns = [(turn, turn.credential) for turn in self.running.values()]
        valid = await in_database(valid_credentials, {credential for _, credential in turns if credential})
        for turn, credential in turns:
            if credential and credential not in valid:
                turn.end_access()

    async def _cancel_wished(self) -> None:
        for turn_id in await in_database(turns_to_cancel, list(self.running)):
            turn = self.running.get(turn_id)
            if turn is not None:
                turn.stop()


_hosts: WeakKeyDictionary[asyncio.AbstractEventLoop, Host] = WeakKeyDictionary()


def current_host() -> Host:
    """The host of the running event loop: one a process when it serves, one a loop in tests."""
    loop = asyncio.get_running_loop()
    if loop not in _hosts:
        _hosts[loop] = Host(clock=SystemClock())
    return _hosts[loop]


def hosts() -> list[tuple[asyncio.AbstractEventLoop, Host]]:
    """Those of all event loops of this process that still run."""
    return [(loop, host) for loop, host in list(_hosts.items()) if loop.is_running()]
