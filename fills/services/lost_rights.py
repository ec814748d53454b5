"""Fills whose user may not edit the table any more: they pause, and others who may edit it can take them over."""
from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from fills.models import Fill, StandingFill
from fills.selectors import editors_among, get_fill
from fills.services.announcements import end_fill
from fills.services.news import announce
from shared.user_messages import Message, declare
from tables.exceptions import Forbidden, NotFound
from tables.selectors import Table, get_table

RIGHT_LOST = declare("fill_right_lost", "{user} may no longer edit this table.")
IN_TRASH = declare("fill_table_in_trash", "The table was deleted. Resume after it is restored.")


def right_lost(fill: Fill) -> Message:
    """Return the reason of a fill whose user may not edit the table any more."""
    return RIGHT_LOST(user=fill.user.get_username())


def table_to_fill(fill: Fill) -> Table:
    """Return the table of a fill for its user. Raises Forbidden with the reason if the user may not edit it now."""
    try:
        return get_table(fill.user, fill.table_id, can="edit")
    except (NotFound, Forbidden):
        raise Forbidden(right_lost(fill) if fill.table.deleted_at is None else IN_TRASH()) from None


def access_changed(*, table_id: int, **_: Any) -> None:
    """Stop fills whose users may not edit the table any more: a receiver of `tables.signals.access_changed`."""
    now = timezone.now()
    with transaction.atomic():
        _pause_without_right(table_id, now=now)
        _give_to_owner(table_id)


def _pause_without_right(table_id: int, *, now: datetime) -> None:
    fills = Fill.objects.filter(table_id=table_id, state=Fill.State.RUNNING, table__deleted_at__isnull=True)
    running = list(fills.select_for_update(of=("self",)).select_related("user"))
    editors = editors_among((fill.user for fill in running), table_id=table_id)
    for fill in running:
        if fill.user_id not in editors:
            end_fill(fill, state=Fill.State.PAUSED, reason=right_lost(fill), now=now)
            announce(fill)


def _give_to_owner(table_id: int) -> None:
    """Give the fills of closed accounts, which are deleted later, to the owner of the table.

    These are neither active nor members. Nothing runs with the tokens of the owner unless the owner starts it.
    """
    fills = Fill.objects.filter(table_id=table_id, user__is_active=False).exclude(user=F("table__owner"))
    closed = fills.exclude(state=Fill.State.DRAFT, standing=None).exclude(table__members__user=F("user"))
    for fill in closed.select_for_update(of=("self",)).select_related("table__owner"):
        StandingFill.objects.filter(pk=fill.pk).update(trigger=StandingFill.Trigger.MANUAL, due_at=None)
        _set_user(fill, fill.table.owner)


def take_over_fill(*, user: Any, table_id: int, fill_id: UUID) -> Fill:
    """Make this user the one of a fill, whose tokens it uses from now on. A paused fill stays paused.

    Raises NotFound, and Forbidden if the user may not manage the fill.
    """
    with transaction.atomic():
        fill, _ = get_fill(user, table_id, fill_id=fill_id, can="manage", lock=True)
        if fill.user_id != user.pk:
            _set_user(fill, user)
    return fill


def _set_user(fill: Fill, user: Any) -> None:
    """Set the user of a locked fill, who gets no mail at its end."""
    fill.user, fill.notify = user, False
    if fill.reason and fill.reason.get("code") == RIGHT_LOST.code:
        fill.reason = None
    fill.save(update_fields=["user", "notify", "reason", "updated_at"])
    announce(fill)
