"""What accounts let go of: answers after a day, sessions and tokens when they have run out, counts of calls."""
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
from accounts.tokens import make_token
from tests.conftest import Api
from tests.retention_clock import tidy_after


def answer(api: Api) -> None:
    body = {"name": "T", "columns": [{"name": "A", "type": "text"}]}
    api.client.post("/api/tables/", body, content_type="application/json", headers={"Idempotency-Key": "one"})


def session(api: Api) -> None:
    api.get("/api/me/")


def token(api: Api) -> None:
    make_token(user=api.user, name="Script", now=timezone.now(), days=5)


def count(api: Api) -> None:
    Rates().take({"somebody": 100}, now=timezone.now())


KINDS: list[tuple[Callable[[Api], None], type[Model], timedelta]] = [
    (answer, StoredResponse, timedelta(hours=24)),
    (session, Session, timedelta(seconds=settings.SESSION_COOKIE_AGE)),
    (token, ApiToken, timedelta(days=5)),
    (count, RequestCount, timedelta(hours=1)),
]
MARGIN = timedelta(minutes=3)


@pytest.mark.parametrize(("make", "kind", "kept"), KINDS, ids=[make.__name__ for make, _, _ in KINDS])
def test_it_is_kept_as_long_as_it_serves_and_no_longer(
    api: Api, make: Callable[[Api], None], kind: type[Model], kept: timedelta
) -> None:
    make(api)
    stored = kind._default_manager.count()
    tidy_after(seconds=(kept - MARGIN).total_seconds())
    assert (stored > 0, kind._default_manager.count()) == (True, stored)
    tidy_after(seconds=(kept + MARGIN).total_seconds())
    assert kind._default_manager.count() == 0


def test_whoever_is_signed_in_stays_signed_in(api: Api, user: User) -> None:
    tidy_after(hours=1)
    assert api.get("/api/me/").status_code == 200
