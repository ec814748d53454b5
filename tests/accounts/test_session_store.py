"""Whose a session is, is read with it; what counts is what the session itself says, and what the person is now."""
from __future__ import annotations

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import Profile
from tests.conftest import Api

ME = "/api/me/"
OF_WHO_ASKS = ("django_session", "auth_user", "accounts_profile")


def who(api: Api) -> str:
    """The name of the person as whom this browser is signed in; "" if as nobody."""
    answer = api.get(ME)
    return str(answer.json()["username"]) if answer.status_code == 200 else ""


def test_session_person_and_their_time_zone_take_one_statement(api: Api, user: User) -> None:
    Profile.objects.create(user=user, time_zone="Asia/Tokyo")
    with CaptureQueriesContext(connection) as asked:
        api.get("/api/tables/")

    read = [query["sql"] for query in asked if all(name in query["sql"] for name in OF_WHO_ASKS)]
    others = [query["sql"] for query in asked if "django_session" in query["sql"] and query["sql"] not in read]
    assert (len(read), others) == (1, [])


def test_a_session_of_which_is_not_noted_whose_it_is_is_theirs_all_the_same(api: Api, user: User) -> None:
    UserSession.objects.all().delete()
    assert who(api) == user.username


def test_a_note_that_names_somebody_else_makes_nobody_somebody_else(api: Api, user: User, other_user: User) -> None:
    UserSession.objects.update(user=other_user)
    assert who(api) == user.username


def test_who_is_shut_out_or_has_another_password_is_signed_in_no_more(api: Api, user: User) -> None:
    assert who(api) == user.username
    User.objects.filter(pk=user.pk).update(is_active=False)
    assert who(api) == ""
    User.objects.filter(pk=user.pk).update(is_active=True)
    assert who(api) == user.username

    user.set_password("another horse battery")
    user.save()

    assert who(api) == ""


def test_a_session_that_is_over_is_nobodys(api: Api, user: User) -> None:
    Session.objects.update(expire_date=timezone.now())
    assert who(api) == ""


@pytest.mark.parametrize("said", ["aaaaaaaaaa\\000", "\\377aaaaaaaaaa", "a" * 5_000, "../../../etc", "a"])
@pytest.mark.parametrize("path", ["/tables/", "/api/tables/", "/sign-in/"])
def test_a_cookie_that_can_be_no_session_is_nobodys(db: None, path: str, said: str) -> None:
    # In quotes a browser writes some characters as numbers: \000 is one that PostgreSQL takes in no question.
    answer = Client(headers={"Cookie": f'sessionid="{said}"'}).get(path)
    assert answer.status_code == {"/tables/": 302, "/api/tables/": 401, "/sign-in/": 200}[path]
