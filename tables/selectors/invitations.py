"""Invitations to tables: those of a table, those sent to a user, and the one behind a key."""
from __future__ import annotations

from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import F, QuerySet

from shared.user_messages import declare
from tables.exceptions import NotFound
from tables.models import Invitation, Member, Table
from tables.operations.tokens import token_hash

INVITATION_NOT_VALID = declare("invitation_not_valid", "This invitation is no longer valid.")

Kind = Invitation.Kind


def invitation_kinds() -> tuple[str, ...]:
    """Return the kinds that this installation can send: by mail only if it has a mail server."""
    return tuple(str(kind) for kind in Kind if kind != Kind.EMAIL or settings.SENDS_MAIL)


def invitations_of(table: Table) -> QuerySet[Invitation]:
    """Return the open invitations, oldest first, including declined and expired ones."""
    return table.invitations.filter(accepted_at=None).order_by("created_at", "id")


def invitations_to(user: Any, *, now: datetime) -> QuerySet[Invitation]:
    """Return the invitations this user can answer, newest first: not those declined or to tables they already have."""
    joined = Member.objects.filter(user_id=user.pk).values("table_id")
    found = _acceptable(now).filter(user_id=user.pk, declined_at=None).exclude(table_id__in=joined)
    return found.exclude(table__owner_id=user.pk).order_by("-created_at", "-id")


def invitations_by(user: Any) -> QuerySet[Invitation]:
    """Return the open invitations that this user has sent."""
    found = Invitation.objects.filter(invited_by=user, accepted_at=None, table__purging=False)
    return found.select_related("table").order_by("created_at", "id")


def acceptable_invitation(user: Any, *, key: str | int, now: datetime) -> Invitation:
    """Return the invitation to this user with this id, or to any user with this token. Raises NotFound."""
    found = _acceptable(now)
    found = found.filter(pk=key, user_id=user.pk) if isinstance(key, int) else found.filter(token_hash=token_hash(key))
    invitation = found.first()
    if invitation is None:
        raise NotFound(INVITATION_NOT_VALID())
    return invitation


def _acceptable(now: datetime) -> QuerySet[Invitation]:
    """Invitations of the present owner, whose account is active, to a table outside the trash."""
    found = Invitation.objects.filter(accepted_at=None, expires_at__gt=now, invited_by__is_active=True)
    found = found.filter(table__deleted_at=None, table__purging=False, table__owner_id=F("invited_by_id"))
    return found.select_related("table", "invited_by")
