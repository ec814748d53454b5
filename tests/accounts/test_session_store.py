"""The user of a session is read together with it; the content of the session and the user's current state decide."""
from __future__ import annotations

from typing import Any

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import Profile
from shared.websockets.credentials import user_of_session
from tests.conftest import Api

ME = "/api/me/"
AUTH_TABLES = ("django_session", "auth_user", "accounts_profile")


def user_name(api: Api) -> str:
    """Return the name of the signed-in user, or "" for an anonymous client."""
    answer = api.get(ME)
    return str(answer.json()["username"]) if answer.status_code == 200 else ""


def test_session_user_and_time_zone_take_one_query(api: Api, user: User) -> None:
    Profile.objects.create(user=user, time_zone="Asia/Tokyo")
    with CaptureQueriesContext(connection) as queries:
        api.get("/api/tables/")

    read = [query["sql"] for query in queries if all(name in query["sql"] for name in AUTH_TABLES)]
    others = [query["sql"] for query in queries if "django_session" in query["sql"] and query["sql"] not in read]
    assert (len(read), others) == (1, [])


def test_session_without_a_recorded_user_is_valid(api: Api, user: User) -> None:
    UserSession.objects.all().delete()
    assert user_name(api) == user.username


def test_recorded_user_that_differs_from_the_session_is_ignored(api: Api, user: User, other_user: User) -> None:
    UserSession.objects.update(user=other_user)
    assert user_name(api) == user.username


def test_deactivated_user_or_new_password_ends_the_session(api: Api, user: User) -> None:
    assert user_name(api) == user.username
    User.objects.filter(pk=user.pk).update(is_active=False)
    assert user_name(api) == ""
    User.objects.filter(pk=user.pk).update(is_active=True)
    assert user_name(api) == user.username

    user.set_password("another horse battery")
    user.save()

    assert user_name(api) == ""


def test_expired_session_is_anonymous(api: Api, user: User) -> None:
    Session.objects.update(expire_date=timezone.now())
    assert user_name(api) == ""


@pytest.mark.parametrize("cookie", ["aaaaaaaaaa\\000", "\\377aaaaaaaaaa", "a" * 5_000, "../../../etc", "a"])
@pytest.mark.parametrize("path", ["/tables/", "/api/tables/", "/sign-in/"])
def test_invalid_session_cookie_is_anonymous(db: None, path: str, cookie: str) -> None:
    # A quoted cookie holds octal escapes: \000 is a null character, which PostgreSQL refuses in parameters.
    answer = Client(headers={"Cookie": f'sessionid="{cookie}"'}).get(path)
    assert answer.status_code == {"/tables/": 302, "/api/tables/": 401, "/sign-in/": 200}[path]


def test_sessions_remain_valid_when_the_secret_key_changes(api: Api, user: User, settings: Any) -> None:
    session_key = api.client.session.session_key
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "the next key", [settings.SECRET_KEY]
    # A socket reads the session as well.
    assert user_of_session(session_key) == user
    assert user_name(api) == user.username
    settings.SECRET_KEY_FALLBACKS = []
    assert (user_name(api), api.client.session.session_key) == (user.username, session_key)
    settings.SECRET_KEY = "a key without the previous one"
    assert user_name(api) == ""
