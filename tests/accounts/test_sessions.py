"""Sessions of a user, and their ends: new passwords, the list of sessions, signing out."""
from __future__ import annotations

from typing import Any

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from accounts.deletion import ended_sessions
from accounts.sign_in.login_links import login_link
from shared.websockets.credentials import Credential, valid_credentials
from tests.captured_queries import CapturedQueries
from tests.conftest import Api

PAGE = "/profile/sessions/"
PASSWORD = "correct horse battery"
NEW = {"password1": "another fine one", "password2": "another fine one"}
FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:146.0) Gecko/20100101 Firefox/146.0"


def signed_in(user: User) -> Api:
    """Return the client of another browser in which the user is signed in."""
    return Api(User.objects.get(pk=user.pk))


def end(api: Api, session: Any = "all") -> Any:
    return api.client.post(PAGE, {"session": session})


def change_password(api: Api, old: str = PASSWORD) -> Any:
    return api.client.post("/profile/password/", {"oldpassword": old, **NEW})


@pytest.fixture
def ada(user: User) -> User:
    user.set_password(PASSWORD)
    user.save()
    return user


def test_user_signed_in_with_a_link_sets_a_password(user: User) -> None:
    user.set_unusable_password()
    user.save()
    api = signed_in(user)
    assert api.get("/profile/password/").headers["Location"] == "/profile/password/set/"
    assert api.client.post("/profile/password/set/", NEW).headers["Location"] == "/profile/"
    assert Client().login(username="ada", password=NEW["password1"])
    assert "Your password was set." in api.get("/profile/").content.decode()


def test_password_change_requires_the_old_password(ada: User) -> None:
    api = signed_in(ada)
    assert [change_password(api, old=old).status_code for old in ("", "guess")] == [422, 422]
    assert Client().login(username="ada", password=PASSWORD)
    assert change_password(api).status_code == 302
    assert Client().login(username="ada", password=NEW["password1"])


def test_new_password_ends_every_other_session(ada: User) -> None:
    current, other = signed_in(ada), signed_in(ada)
    change_password(current)
    assert (current.get("/api/me/").status_code, other.get("/api/me/").status_code) == (200, 401)
    assert UserSession.objects.count() == 1
    # The current session is still among those that can be ended.
    end(signed_in(ada))
    assert current.get("/api/me/").status_code == 401


def test_sign_in_takes_the_same_queries_for_any_number_of_sessions(ada: User) -> None:
    query_counts = []
    for number in (1, 9):
        for _ in range(number):
            signed_in(ada)
        with CapturedQueries() as statements:
            assert Client().post("/sign-in/", {"login": "ada", "password": PASSWORD}).status_code == 302
        query_counts.append(len(statements))
    assert query_counts[0] == query_counts[1]


def test_new_password_in_the_admin_ends_every_other_session(ada: User, other_api: Api) -> None:
    User.objects.update(is_staff=True, is_superuser=True)
    current, other = signed_in(ada), signed_in(ada)
    page = f"/admin/auth/user/{ada.pk}/password/"
    assert current.client.post(page, NEW).status_code == 302
    assert [each.get("/api/me/").status_code for each in (current, other, other_api)] == [200, 401, 200]
    assert UserSession.objects.filter(session_key=current.client.session.session_key).exists()
    # With a new password of another user, all of their sessions end and the administrator's go on.
    assert other_api.client.post(page, NEW).status_code == 302
    assert [each.get("/api/me/").status_code for each in (current, other_api)] == [401, 200]


def test_turns_of_the_current_session_go_on_after_a_new_password(ada: User) -> None:
    current, other = signed_in(ada), signed_in(ada)
    before = {each: Credential(ada.pk, session_key=str(each.client.session.session_key)) for each in (current, other)}
    change_password(current)
    assert valid_credentials(before.values()) == {before[current]}
    end(current)
    assert valid_credentials(before.values()) == set()


def test_turns_of_the_current_session_go_on_after_signing_in_again(api: Api, user: User, other_user: User) -> None:
    before = Credential(user.pk, session_key=str(api.client.session.session_key))
    api.client.get(login_link(user, origin=""))
    assert valid_credentials([before]) == {before}
    api.client.get(login_link(other_user, origin=""))
    assert valid_credentials([before]) == set()


def test_sessions_are_listed_with_their_browsers(ada: User) -> None:
    current = Client(REMOTE_ADDR="192.0.2.1", headers={"User-Agent": FIREFOX})
    current.post("/sign-in/", {"login": "ada", "password": PASSWORD})
    signed_in(ada)
    page = current.get(PAGE).content.decode()
    assert [words in page for words in ("Firefox, Windows", "This browser", "192.0.2.1", "A browser")] == [True] * 4
    assert page.count('name="session"') == 2


def test_ending_one_session_closes_its_connections(ada: User) -> None:
    current, other = signed_in(ada), signed_in(ada)
    key = str(other.client.session.session_key)
    other_open = Credential(ada.pk, session_key=key)
    assert end(current, UserSession.objects.get(session_key=key).pk).headers["Location"] == PAGE
    assert (current.get("/api/me/").status_code, other.get("/api/me/").status_code) == (200, 401)
    assert valid_credentials([other_open]) == set()


@pytest.mark.parametrize("chosen", ["ended", "of another user", "0", "9" * 40])
def test_ended_sessions_and_those_of_others_get_the_same_response(ada: User, other_api: Api, chosen: str) -> None:
    current, other = signed_in(ada), signed_in(ada)
    owner = other_api if chosen == "of another user" else other
    number = UserSession.objects.get(session_key=owner.client.session.session_key).pk
    if chosen == "ended":
        end(current, number)
        current.get(PAGE)
    answer = end(current, chosen if chosen.isdecimal() else number)
    assert (answer.status_code, answer.headers.get("Location")) == (302, PAGE)
    assert "Browser signed out." in current.get(PAGE).content.decode()
    assert [each.get("/api/me/").status_code for each in (current, other_api)] == [200, 200]


@pytest.mark.parametrize("chosen", ["x", "", "-1", "\u0663"])
def test_invalid_session_id_is_not_found(api: Api, chosen: str) -> None:
    assert end(api, chosen).status_code == 404


def test_signing_out_everywhere_ends_only_sessions_of_this_user(
    api: Api, user: User, other_api: Api
) -> None:
    others = [signed_in(user) for _ in range(2)]
    assert "3 browsers" in api.get("/profile/").content.decode()
    assert end(api).headers["Location"] == "/sign-in/"
    assert [each.get("/api/me/").status_code for each in (api, *others, other_api)] == [401, 401, 401, 200]
    assert UserSession.objects.count() == 1


def test_signing_out_ends_only_the_current_session(api: Api, user: User) -> None:
    others = signed_in(user)
    assert "Sign out?" in api.get("/sign-out/").content.decode()
    api.client.post("/sign-out/")
    assert (others.get("/api/me/").status_code, UserSession.objects.count()) == (200, 1)


def test_session_records_are_deleted_with_their_sessions(api: Api, other_api: Api) -> None:
    Session.objects.filter(pk=api.client.session.session_key).delete()
    ended = ended_sessions(now=timezone.now())
    assert [each.session_key for each in ended] == [api.client.cookies["sessionid"].value]
