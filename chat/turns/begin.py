"""Begins a turn: checks, stores it, and sets it running on its own; the connection only follows it from then on."""
from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from django.utils import timezone

from chat.overrides import current_catalogue
from chat.services import TurnRequest, start_turn
from chat.stream import opening_event
from chat.turns.assemble import Prepared, prepare
from chat.turns.database import in_database
from chat.turns.host import Host
from chat.turns.runner import run_turn
from chat.turns.snapshot import Snapshot, look_at_page

if TYPE_CHECKING:
    from chat.models import Turn

log = logging.getLogger(__name__)

READING = "Reading the page…"


async def begin_turn(
    host: Host, *, user: Any, request: TurnRequest, take: Callable[..., None] | None = None
) -> Turn:
    """The turn that now runs, or the one this `client_turn_id` began before.

    `take(most=…)` goes along with storing it: it takes one of the person's places for streams.

    Raises what the page's context builder raises for an object that is not this person's, and what start_turn raises.
    """
    return await begin_stored(host, partial(_store, user=user, request=request, take=take))


async def begin_stored(host: Host, store: Callable[[], tuple[Snapshot, bool]]) -> Turn:
    """The turn that `store` has stored; it runs from now on, unless it ran before. Raises what `store` raises."""
    storing = asyncio.ensure_future(in_database(_stored, store))
    try:
        await asyncio.shield(storing)
    finally:
        # The client may have left in this very moment: a turn that is stored must run all the same.
        if not storing.done():
            await asyncio.wait({storing})
        if not storing.cancelled() and storing.exception() is None:
            snapshot, created, prepared = storing.result()
            if created:
                _launch(host, snapshot=snapshot, prepared=prepared)
    return storing.result()[0].turn


def _stored(store: Callable[[], tuple[Snapshot, bool]]) -> tuple[Snapshot, bool, Prepared | None]:
    """What `store` gives, and all that a turn reads which begins now, while the database is at hand."""
    snapshot, created = store()
    if not created:
        return snapshot, created, None
    try:
        return snapshot, created, prepare(snapshot)
    except Exception:
        # It is stored, so it has to end as a turn: it tries by itself, and tells its listeners what comes of that.
        log.exception("turn %s could not be prepared", snapshot.turn.pk)
        return snapshot, created, None


def _launch(host: Host, *, snapshot: Snapshot, prepared: Prepared | None) -> None:
    turn = snapshot.turn
    running = host.launch(turn.pk, partial(run_turn, host=host, snapshot=snapshot, prepared=prepared))
    running.say(opening_event(READING, turn_id=str(turn.pk), conversation_id=str(turn.conversation_id)))


def _store(*, user: Any, request: TurnRequest, take: Callable[..., None] | None) -> tuple[Snapshot, bool]:
    # The page first: what is not this person's is a 404 before there is any turn.
    catalogue = current_catalogue()
    page = look_at_page(user=user, request=request, catalogue=catalogue)
    shown = page.reach.config.context_builder is not None
    turn, created = start_turn(
        user=user,
        request=replace(request, shown=shown),
        now=timezone.now(),
        turns_a_minute=catalogue.engine.turns_a_minute,
        take=take and partial(take, most=catalogue.engine.streams_a_user),
    )
    return Snapshot(turn=turn, page=page), created
