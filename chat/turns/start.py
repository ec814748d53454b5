"""Start a turn: check the request, store the turn and run it as a task that outlives the request."""
from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from django.utils import timezone

from chat.selectors.configuration.catalogue import CachedCatalogue, Outdated, catalogue_cache
from chat.services import StartedTurn, TurnRequest, start_turn
from chat.stream import opening_event
from chat.turns.answering.runner import run_turn
from chat.turns.database import in_database
from chat.turns.files import file_references
from chat.turns.page import Page, Snapshot, load_page, model_for, tab_of
from chat.turns.prompt.assembly import PreparedTurn, prepare_turn
from chat.turns.runtime import TurnRuntime
from chat.turns.stream_slots import SlotRequest
from shared.db import Query
from shared.user_messages import declare
from shared.websockets.credentials import Credential

if TYPE_CHECKING:
    from chat.models import Turn

log = logging.getLogger(__name__)

READING = declare("reading_the_page", "Reading the page…")


async def start_turn_task(
    runtime: TurnRuntime,
    *,
    user: Any,
    request: TurnRequest,
    slot_request: SlotRequest | None = None,
    credential: Credential | None = None,
) -> Turn:
    """Return the started turn, or the one that was started with this `client_turn_id` before.

    `slot_request` is stored in the same transaction. The turn runs while `credential` is valid, or without one while
    the user is active. Raises the errors of `start_turn`, and those of the page's context builder for an object of
    another user.
    """
    store = partial(_store, user=user, request=request, slot_request=slot_request)
    return await start_stored_turn(runtime, store, credential=credential or Credential(user.pk))


async def start_stored_turn(
    runtime: TurnRuntime, store: Callable[[], tuple[Page, StartedTurn]], *, credential: Credential
) -> Turn:
    """Return the turn that `store` stores, and run it unless it existed before. Raises the errors of `store`."""
    storing = asyncio.ensure_future(in_database(_stored, store))
    try:
        await asyncio.shield(storing)
    finally:
        # The client may have disconnected at this moment. A stored turn must run nevertheless.
        if not storing.done():
            await asyncio.wait({storing})
        if not storing.cancelled() and storing.exception() is None:
            snapshot, created, prepared = storing.result()
            if created:
                _launch(runtime, snapshot=snapshot, prepared=prepared, credential=credential)
    return storing.result()[0].turn


def _stored(store: Callable[[], tuple[Page, StartedTurn]]) -> tuple[Snapshot, bool, PreparedTurn | None]:
    """Call `store` and, for a new turn, read everything the turn needs in the same database work."""
    page, started = store()
    snapshot = Snapshot(turn=started.turn, page=page)
    if started.found is None:
        return snapshot, False, None
    try:
        return snapshot, True, prepare_turn(snapshot, turn_start=started.found)
    except Exception:
        # The turn is stored, so it must end regularly: preparation is repeated in its task, which reports a failure.
        log.exception("could not prepare turn %s", snapshot.turn.pk)
        return snapshot, True, None


def _launch(runtime: TurnRuntime, *, snapshot: Snapshot, prepared: PreparedTurn | None, credential: Credential) -> None:
    turn = snapshot.turn
    work = partial(run_turn, runtime=runtime, snapshot=snapshot, prepared=prepared)
    running = runtime.launch(turn.pk, work, credential=credential)
    running.send(opening_event(READING(), turn_id=str(turn.pk), conversation_id=str(turn.conversation_id)))


def _store(*, user: Any, request: TurnRequest, slot_request: SlotRequest | None) -> tuple[Page, StartedTurn]:
    cached = catalogue_cache.cached()
    try:
        return _store_by(cached, user=user, request=request, slot_request=slot_request)
    except Exception as error:
        # Ignore the result of an outdated configuration.
        current = catalogue_cache.current()
        if current.row == cached.row and not isinstance(error, Outdated):
            raise
    return _store_by(current, user=user, request=request, slot_request=slot_request, checked=True)


def _store_by(
    cached: CachedCatalogue, *, user: Any, request: TurnRequest, slot_request: SlotRequest | None, checked: bool = False
) -> tuple[Page, StartedTurn]:
    """Store the turn. Raises Outdated when the configuration has changed, unless it is `checked`."""
    # The page is loaded first, so that an object of another user is a 404 and no turn is stored.
    page = load_page(user=user, request=request, catalogue=cached.catalogue)
    shown, engine = page.entries.config.context_builder is not None, cached.catalogue.engine
    extra_queries: list[Query[Any]] = [] if checked else [cached.outdated_query()]
    if slot_request is not None:
        extra_queries.append(slot_request.query(limit=engine.streams_a_user))
    return page, start_turn(
        user=user,
        request=replace(
            request,
            file_references=file_references(page, request.files),
            shown=shown,
            model=model_for(page, chosen=request.model),
            tab=tab_of(page, context=request.context),
            configuration=page.catalogue.version,
        ),
        now=timezone.now(),
        turns_a_minute=engine.turns_a_minute,
        extra_queries=extra_queries,
    )
