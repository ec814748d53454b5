"""Begins a turn: checks, stores it, and sets it running on its own; the connection only follows it from then on."""
from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from django.utils import timezone

from chat.overrides import Known, Outdated
from chat.overrides import kept as kept_catalogue
from chat.services import Started, TurnRequest, start_turn
from chat.stream import opening_event
from chat.turns.assemble import Prepared, prepare
from chat.turns.database import in_database
from chat.turns.host import Host
from chat.turns.places import Taking
from chat.turns.runner import run_turn
from chat.turns.snapshot import Page, Snapshot, look_at_page, model_for
from sockets.credentials import Credential
from statements import Question
from user_messages import declare

if TYPE_CHECKING:
    from chat.models import Turn

log = logging.getLogger(__name__)

READING = declare("reading_the_page", "Reading the page…")


async def begin_turn(
    host: Host,
    *,
    user: Any,
    request: TurnRequest,
    taking: Taking | None = None,
    credential: Credential | None = None,
) -> Turn:
    """The turn that now runs, or the one this `client_turn_id` began before; `taking` is a place for its stream.

    It runs as long as `credential` holds, or without one as long as the user is active.

    Raises what the page's context builder raises for an object that is not this person's, and what start_turn raises.
    """
    store = partial(_store, user=user, request=request, taking=taking)
    return await begin_stored(host, store, credential=credential or Credential(user.pk))


async def begin_stored(host: Host, store: Callable[[], tuple[Page, Started]], *, credential: Credential) -> Turn:
    """The turn that `store` has stored; it runs from now on, unless it ran before. Raises what `store` raises."""
    storing = asyncio.ensure_future(in_database(_stored, store))
    try:
        await asyncio.shield(storing)
    finally:
        # The client may have left in this very moment: a turn that is stored must run all the same.
        if not storing.done():
            await asyncio.wait({storing})
        if not storing.cancelled() and storing.exception() is None:
            snapshot, made, prepared = storing.result()
            if made:
                _launch(host, snapshot=snapshot, prepared=prepared, credential=credential)
    return storing.result()[0].turn


def _stored(store: Callable[[], tuple[Page, Started]]) -> tuple[Snapshot, bool, Prepared | None]:
    """What `store` gives, and all that a turn reads which begins now, while the database is at hand."""
    page, started = store()
    snapshot = Snapshot(turn=started.turn, page=page)
    if started.found is None:
        return snapshot, False, None
    try:
        return snapshot, True, prepare(snapshot, found=started.found)
    except Exception:
        # It is stored, so it has to end as a turn: it tries by itself, and tells its listeners what comes of that.
        log.exception("turn %s could not be prepared", snapshot.turn.pk)
        return snapshot, True, None


def _launch(host: Host, *, snapshot: Snapshot, prepared: Prepared | None, credential: Credential) -> None:
    turn = snapshot.turn
    work = partial(run_turn, host=host, snapshot=snapshot, prepared=prepared)
    running = host.launch(turn.pk, work, credential=credential)
    running.say(opening_event(READING(), turn_id=str(turn.pk), conversation_id=str(turn.conversation_id)))


def _store(*, user: Any, request: TurnRequest, taking: Taking | None) -> tuple[Page, Started]:
    known = kept_catalogue.lately()
    try:
        return _store_by(known, user=user, request=request, taking=taking)
    except Exception as error:
        # What came of a configuration that is no longer in force says nothing.
        current = kept_catalogue.now()
        if current.row == known.row and not isinstance(error, Outdated):
            raise
    return _store_by(current, user=user, request=request, taking=taking, checked=True)


def _store_by(
    known: Known, *, user: Any, request: TurnRequest, taking: Taking | None, checked: bool = False
) -> tuple[Page, Started]:
    """Stores it; raises Outdated when that is no longer the configuration, unless that is `checked`."""
    # The page first: what is not this person's is a 404 before there is any turn.
    page = look_at_page(user=user, request=request, catalogue=known.catalogue)
    shown, engine = page.reach.config.context_builder is not None, known.catalogue.engine
    along: list[Question[Any]] = [] if checked else [known.still_holds()]
    if taking is not None:
        along.append(taking.taking(most=engine.streams_a_user))
    return page, start_turn(
        user=user,
        request=replace(request, shown=shown, model=model_for(page, chosen=request.model)),
        now=timezone.now(),
        turns_a_minute=engine.turns_a_minute,
        along=along,
    )
