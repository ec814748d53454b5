"""What accounts let go of, each as what has had its time."""
from __future__ import annotations

from datetime import datetime, timedelta

from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.db.models import Exists, OuterRef, QuerySet

from accounts.idempotency import KEPT_FOR
from accounts.models import ApiToken, CallCount, KeptAnswer
from accounts.rate_limits import SECONDS

COUNTS_KEPT = timedelta(hours=1)


def old_sessions(*, now: datetime) -> QuerySet[Session]:
    """Sessions that have run out."""
    return Session.objects.filter(expire_date__lte=now)


def ended_sessions(*, now: datetime) -> QuerySet[UserSession]:
    """What is stored of sessions that do not exist any more."""
    return UserSession.objects.filter(~Exists(Session.objects.filter(pk=OuterRef("session_key"))))


def old_answers(*, now: datetime) -> QuerySet[KeptAnswer]:
    """Answers to requests with an `Idempotency-Key`, after 24 hours."""
    return KeptAnswer.objects.filter(created_at__lte=now - KEPT_FOR)


def old_counts(*, now: datetime) -> QuerySet[CallCount]:
    """Counts of calls in minutes that are long over."""
    return CallCount.objects.filter(minute__lt=int((now - COUNTS_KEPT).timestamp()) // SECONDS)


def old_tokens(*, now: datetime) -> QuerySet[ApiToken]:
    """Tokens that have run out: they open nothing and are shown to nobody."""
    return ApiToken.objects.filter(expires_at__lte=now)
