"""Querysets of expired data of accounts, for the clean-up."""
from __future__ import annotations

from datetime import datetime, timedelta

from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.db.models import Exists, OuterRef, QuerySet

from accounts.idempotency import KEPT_FOR
from accounts.models import ApiToken, RequestCount, StoredResponse
from accounts.rate_limits import SECONDS

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
