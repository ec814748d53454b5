"""Deletion of accounts, at once by their users and completely by the clean-up, and of expired data."""
from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from allauth.usersessions.models import UserSession
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext as _

from accounts.exceptions import Invalid
from accounts.idempotency import KEPT_FOR
from accounts.mail.addresses import forget_addresses
from accounts.models import ApiToken, ClosedAccount, Profile, RequestCount, StoredResponse
from accounts.rate_limits import SECONDS
from accounts.sessions.user_sessions import end_sessions
from accounts.sign_in.second_step import forget_second_steps
from accounts.sign_in.single_sign_on import forget_identities
from chat.services.retention import delete_user_conversations, has_conversations
from tables.selectors import owns_tables
from tables.services import release_invitations, transfer_or_delete_tables


def close_account(*, user: Any, heirs: Mapping[int, str], now: datetime) -> None:
    """End sessions and tokens, transfer tables to `heirs` (see `transfer_or_delete_tables`), and anonymize the user.

    Raises Invalid ("last_administrator"), and what `transfer_or_delete_tables` raises.
    """
    with transaction.atomic():
        # Lock administrators in one order, so that two who delete their accounts at once do not both find the other.
        administrators = list(User.objects.select_for_update().filter(is_superuser=True, is_active=True).order_by("pk"))
        person = User.objects.select_for_update().get(pk=user.pk)
        if person.is_superuser and len(administrators) == 1:
            detail = _("You are the only administrator. Make another user an administrator first.")
            raise Invalid(detail, code="last_administrator")
        transfer_or_delete_tables(user=person, heirs=heirs, now=now)
        ApiToken.objects.filter(user=person).delete()
        Profile.objects.filter(user=person).delete()
        forget_addresses(user=person)
        forget_second_steps(user=person)
        forget_identities(user=person)
        release_invitations(user=person)
        end_sessions(user=person)
        person.username = f"left-{person.pk}-{secrets.token_hex(4)}"
        person.email = person.first_name = person.last_name = ""
        person.is_active = person.is_staff = person.is_superuser = False
        person.set_unusable_password()
        person.save()
        ClosedAccount.objects.create(user=person, closed_at=now)


def clear_accounts(*, now: datetime) -> Iterator[int]:
    """Delete closed accounts: a few conversations at a time, and the user once nothing else is left."""
    for user_id in ClosedAccount.objects.filter(closed_at__lte=now).order_by("pk").values_list("pk", flat=True):
        yield from delete_user_conversations(user_id=user_id)
        if not (owns_tables(user_id) or has_conversations(user_id)):
            User.objects.filter(pk=user_id).delete()
            yield 1


COUNTS_KEPT = timedelta(hours=1)


def old_sessions(*, now: datetime) -> QuerySet[Session]:
    """Return expired sessions."""
    return Session.objects.filter(expire_date__lte=now)


def ended_sessions(*, now: datetime) -> QuerySet[UserSession]:
    """Return records of sessions that no longer exist."""
    return UserSession.objects.filter(~Exists(Session.objects.filter(pk=OuterRef("session_key"))))


def old_answers(*, now: datetime) -> QuerySet[StoredResponse]:
    """Return responses to requests with an `Idempotency-Key` older than 24 hours."""
    return StoredResponse.objects.filter(created_at__lte=now - KEPT_FOR)


def old_counts(*, now: datetime) -> QuerySet[RequestCount]:
    """Return counts of calls in past minutes."""
    return RequestCount.objects.filter(minute__lt=int((now - COUNTS_KEPT).timestamp()) // SECONDS)


def old_tokens(*, now: datetime) -> QuerySet[ApiToken]:
    """Return expired tokens."""
    return ApiToken.objects.filter(expires_at__lte=now)
