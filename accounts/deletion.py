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
from accounts.idempotency import RETENTION
from accounts.mail.addresses import delete_addresses
from accounts.models import ApiToken, ClosedAccount, Profile, RequestCount, StoredResponse
from accounts.owned_data import owned_data
from accounts.rate_limits import WINDOW_SECONDS
from accounts.sessions.user_sessions import end_sessions
from accounts.sign_in.second_step import delete_second_steps
from accounts.sign_in.single_sign_on import delete_identities
from chat.services.retention import delete_user_conversations, has_conversations

COUNT_RETENTION = timedelta(hours=1)


def close_account(*, user: Any, choices: Mapping[str, str], now: datetime) -> None:
    """End sessions and tokens, have all apps delete or transfer what the user owns, and anonymize the user.

    `choices` are passed to `OwnedData.close`. Raises Invalid ("last_administrator") and its errors.
    """
    with transaction.atomic():
        # Administrators are locked in a fixed order, so that of two who delete their accounts at the same time, the
        # second finds that no other is left.
        administrators = list(User.objects.select_for_update().filter(is_superuser=True, is_active=True).order_by("pk"))
        user = User.objects.select_for_update().get(pk=user.pk)
        if user.is_superuser and len(administrators) == 1:
            detail = _("You are the only administrator. Make another user an administrator first.")
            raise Invalid(detail, code="last_administrator")
        for data in owned_data():
            data.close(user=user, choices=choices, now=now)
        ApiToken.objects.filter(user=user).delete()
        Profile.objects.filter(user=user).delete()
        delete_addresses(user=user)
        delete_second_steps(user=user)
        delete_identities(user=user)
        for data in owned_data():
            data.address_removed(user=user)
        end_sessions(user=user)
        user.username = f"left-{user.pk}-{secrets.token_hex(4)}"
        user.email = user.first_name = user.last_name = ""
        user.is_active = user.is_staff = user.is_superuser = False
        user.set_unusable_password()
        user.save()
        ClosedAccount.objects.create(user=user, closed_at=now)


def delete_closed_accounts(*, now: datetime) -> Iterator[int]:
    """Delete closed accounts: a few conversations at a time, and the user once nothing else is left."""
    for user_id in ClosedAccount.objects.filter(closed_at__lte=now).order_by("pk").values_list("pk", flat=True):
        yield from delete_user_conversations(user_id=user_id)
        if not (has_conversations(user_id) or any(data.remains(user_id) for data in owned_data())):
            User.objects.filter(pk=user_id).delete()
            yield 1


def old_sessions(*, now: datetime) -> QuerySet[Session]:
    """Return expired sessions."""
    return Session.objects.filter(expire_date__lte=now)


def ended_sessions(*, now: datetime) -> QuerySet[UserSession]:
    """Return records of sessions that no longer exist."""
    return UserSession.objects.filter(~Exists(Session.objects.filter(pk=OuterRef("session_key"))))


def old_responses(*, now: datetime) -> QuerySet[StoredResponse]:
    """Return responses to requests with an `Idempotency-Key` older than 24 hours."""
    return StoredResponse.objects.filter(created_at__lte=now - RETENTION)


def old_counts(*, now: datetime) -> QuerySet[RequestCount]:
    """Return counts of calls in past minutes."""
    return RequestCount.objects.filter(minute__lt=int((now - COUNT_RETENTION).timestamp()) // WINDOW_SECONDS)


def old_tokens(*, now: datetime) -> QuerySet[ApiToken]:
    """Return expired tokens."""
    return ApiToken.objects.filter(expires_at__lte=now)
