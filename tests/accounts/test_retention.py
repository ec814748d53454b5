"""Retention of idempotent responses, sessions, API tokens and request counts."""
from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db.models import Model
from django.utils import timezone

from accounts.models import ApiToken, RequestCount, StoredResponse
from accounts.rate_limits import Rates
from accounts.tokens import create_token
from tests.conftest import Api
from tests.retention_clock import tidy_after


def response(api: Api) -> None:
    body = {"name": "T", "columns": [{"name": "A", "type": "text"}]}
    api.client.post("/api/tables/", body, content_type="application/json", headers={"Idempotency-Key": "one"})


def session(api: Api) -> None:
    api.get("/api/me/")


def token(api: Api) -> None:
    create_token(user=api.user, name="Script", now=timezone.now(), days=5)


def count(api: Api) -> None:
    Rates().take({"ada": 100}, now=timezone.now())


KINDS: list[tuple[Callable[[Api], None], type[Model], timedelta]] = [
    (response, StoredResponse, timedelta(hours=24)),
    (session, Session, timedelta(seconds=settings.SESSION_COOKIE_AGE)),
    (token, ApiToken, timedelta(days=5)),
    (count, RequestCount, timedelta(hours=1)),
]
MARGIN = timedelta(minutes=3)


@pytest.mark.parametrize(("make", "kind", "retention"), KINDS, ids=[make.__name__ for make, _, _ in KINDS])
def test_record_is_deleted_after_its_retention(
    api: Api, make: Callable[[Api], None], kind: type[Model], retention: timedelta
) -> None:
    make(api)
    stored = kind._default_manager.count()
    tidy_after(seconds=(retention - MARGIN).total_seconds())
    assert (stored > 0, kind._default_manager.count()) == (True, stored)
    tidy_after(seconds=(retention + MARGIN).total_seconds())
    assert kind._default_manager.count() == 0


def test_active_session_is_not_deleted(api: Api, user: User) -> None:
    tidy_after(hours=1)
    assert api.get("/api/me/").status_code == 200
