"""Sign-in by name and password: limits by name and client address, and names in several spellings."""
from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth import get_user
from django.contrib.auth.models import User
from django.test import Client, RequestFactory
from django.utils import timezone

from accounts.exceptions import TooMany
from accounts.rate_limits import (
    MAX_TRIES_PER_ADDRESS,
    MAX_TRIES_PER_NAME,
    MAX_TRIES_PER_NAME_AND_ADDRESS,
    count_password_attempt,
)
from accounts.sign_in.login_links import login_link
from chatproject.config import environment
from tests.conftest import Api

PAGE = "/sign-in/"
PASSWORD, WRONG = "correct horse battery", "wrong horse"
ME, OTHER = "192.0.2.1", "192.0.2.2"
NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.fixture
def maya(db: None) -> User:
    return User.objects.create_user("maya", "maya@example.org", PASSWORD, is_staff=True)


def enter(*, name: str = "maya", password: str = WRONG, page: str = PAGE, ip: str = ME, **headers: str) -> Any:
    """Send the form as a new browser from an IP address."""
    fields = {"login": name, "password": password, "next": "/profile/"}
    return Client(REMOTE_ADDR=ip, headers=headers).post(page, fields)


def is_limited(count: int, *, name: str = "maya", ip: str = ME, now: datetime = NOON, known: str = "") -> bool:
    """Attempt to sign in `count` times and return whether one more attempt is refused."""
    asks = RequestFactory(REMOTE_ADDR=ip, headers={"Cookie": f"known={known}"}).post(PAGE)
    for _ in range(count):
        count_password_attempt(asks, name=name, now=now)
    try:
        count_password_attempt(asks, name=name, now=now)
    except TooMany:
        return True
    return False


def exhaust(*, name: str = "maya", ip: str = ME) -> None:
    """Use up the attempts for this name and address, all in one minute that does not end during this test."""
    assert is_limited(MAX_TRIES_PER_NAME_AND_ADDRESS, name=name, ip=ip, now=timezone.now() + timedelta(hours=1))


def test_matching_name_and_password_sign_in(maya: User) -> None:
    client = Client()
    answer = client.post(PAGE, {"login": "maya", "password": PASSWORD, "next": "/profile/"})
    assert (answer.status_code, answer.headers["Location"]) == (302, "/profile/")
    assert get_user(client) == maya  # type: ignore[arg-type]  # the test client has what get_user asks for


@pytest.mark.parametrize("way", ["a password", "a link", "a new account"])
def test_sign_in_replaces_the_session_key(maya: User, way: str) -> None:
    client = Client()
    client.session.save()
    session_key = client.cookies["sessionid"].value
    if way == "a link":
        client.get(login_link(maya, origin=""))
    elif way == "a password":
        client.post(PAGE, {"login": "maya", "password": PASSWORD})
    else:
        client.post("/sign-up/", {"username": "eve", "password1": PASSWORD, "password2": PASSWORD})
    assert client.get("/api/me/").status_code == 200
    assert client.cookies["sessionid"].value != session_key
    assert Client(headers={"Cookie": f"sessionid={session_key}"}).get("/api/me/").status_code == 401


@pytest.mark.parametrize("name", ["maya", "nobody"])
def test_known_and_unknown_names_get_the_same_error(maya: User, name: str) -> None:
    answer = enter(name=name)
    assert (answer.status_code, "Incorrect username or password" in answer.content.decode()) == (422, True)


@pytest.mark.parametrize("name", ["may\x00a", "x" * 300, "", "\ud800"])
def test_invalid_name_is_refused(maya: User, name: str) -> None:
    assert enter(name=name.encode("utf-8", "surrogatepass").decode("utf-8", "replace")).status_code == 422


def test_redirect_to_another_site_is_ignored(maya: User, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["testserver", "other.example"]
    settings.CSRF_TRUSTED_ORIGINS = ["https://trusted.example"]
    for page in ("https://elsewhere.example/", "http://other.example/", "https://trusted.example/"):
        answer = Client().post(PAGE, {"login": "maya", "password": PASSWORD, "next": page})
        assert answer.headers["Location"] == "/tables/"
    encrypted = Client().post(PAGE, {"login": "maya", "password": PASSWORD, "next": "http://testserver/"}, secure=True)
    assert encrypted.headers["Location"] == "/tables/"


def test_after_too_many_attempts_the_right_password_is_refused_until_the_minute_ends(maya: User) -> None:
    exhaust()
    answer = enter(password=PASSWORD)
    assert (answer.status_code, "Too many attempts" in answer.content.decode()) == (429, True)
    assert 0 < int(answer.headers["Retry-After"]) <= 60
    assert [enter(password=PASSWORD, ip=OTHER).status_code, enter(name="nobody").status_code] == [302, 422]


def test_admin_uses_the_same_sign_in_page(maya: User) -> None:
    client = Client()
    page = client.get("/admin/tables/").headers["Location"]
    assert client.get(page).headers["Location"] == "/sign-in/?next=/admin/tables/"
    client.force_login(User.objects.create_user("eve"))
    assert client.get("/admin/login/").status_code == 403
    client.force_login(maya)
    assert client.get("/admin/login/").headers["Location"] == "/admin/"
    assert client.post("/admin/password_change/").headers["Location"] == "/profile/password/"


def test_confirmed_address_signs_in_like_the_name(maya: User) -> None:
    address = EmailAddress.objects.create(user=maya, email="maya@example.org", verified=False, primary=True)
    assert enter(name="maya@example.org", password=PASSWORD).status_code == 422
    EmailAddress.objects.filter(pk=address.pk).update(verified=True)
    assert enter(name="Maya@Example.org", password=PASSWORD).status_code == 302
    # A name from before the rule against addresses also signs in, and does not replace the owner of the address.
    User.objects.create_user("maya@example.org", password="another fine one")
    for password in (PASSWORD, "another fine one"):
        assert enter(name="maya@example.org", password=password).status_code == 302


def test_attempts_by_address_are_not_counted_for_the_name(maya: User) -> None:
    EmailAddress.objects.create(user=maya, email="maya@example.org", verified=True, primary=True)
    statuses = [enter(name="maya@example.org").status_code for _ in range(MAX_TRIES_PER_NAME_AND_ADDRESS + 1)]
    assert statuses.count(422) >= MAX_TRIES_PER_NAME_AND_ADDRESS
    assert enter(name="maya").status_code == 422


def test_known_and_unknown_addresses_have_the_same_limit(maya: User) -> None:
    EmailAddress.objects.create(user=maya, email="maya@example.org", verified=True, primary=True)
    for address in ("maya@example.org", "none@example.org"):
        exhaust(name=address.upper())
        assert [enter(name=each).status_code for each in (address, address.title())] == [429, 429]


@pytest.mark.parametrize("name", ["mu\u0308ller", "ｍüller"])
def test_names_are_compared_by_their_normalized_form(db: None, name: str) -> None:
    User.objects.create_user("müller", password=PASSWORD)
    assert enter(name=name, password=PASSWORD).status_code == 302


def test_get_requests_do_not_count_as_attempts(maya: User) -> None:
    # One request more than the limit per minute.
    for page, most in ((PAGE, 60), ("/sign-up/", 10)):
        assert {Client(REMOTE_ADDR=ME).head(page).status_code for _ in range(most + 1)} == {200}
    assert enter(password=PASSWORD).status_code == 302


@pytest.mark.parametrize("path", ["/sign-in/again/?next=/profile/", "/profile/delete/"])
def test_attempts_of_signed_in_users_are_limited(maya: User, path: str) -> None:
    api = Api(maya)
    exhaust(ip="127.0.0.1")
    answer = api.client.post(path, {"password": PASSWORD, "name": "maya"})
    assert (answer.status_code, "Too many attempts" in answer.content.decode()) == (429, True)


def test_attempts_of_the_old_password_are_limited(maya: User) -> None:
    api = Api(maya)
    new = {"password1": "another fine one", "password2": "another fine one"}
    guesses = [api.client.post("/profile/password/", {"oldpassword": f"{WRONG} {n}", **new}) for n in range(6)]
    assert [answer.status_code for answer in guesses] == [422] * 5 + [429]
    assert ("Too many attempts" in guesses[5].content.decode(), guesses[5].headers["Retry-After"]) == (True, "60")


def test_attempts_for_a_name_are_limited_across_addresses(db: None) -> None:
    ip_count = MAX_TRIES_PER_NAME // MAX_TRIES_PER_NAME_AND_ADDRESS
    count = MAX_TRIES_PER_NAME_AND_ADDRESS - 1
    assert [is_limited(count, ip=f"192.0.2.{number}") for number in range(ip_count)] == [False] * ip_count
    assert is_limited(0, ip=OTHER.replace(".2.", ".3."))
    assert not is_limited(0, name="grace", ip=OTHER)
    assert not is_limited(0, ip=ME, now=NOON + timedelta(minutes=1))


def test_attempts_of_others_do_not_lock_a_known_browser(maya: User) -> None:
    right = {"login": "maya", "password": PASSWORD}
    known = Client(REMOTE_ADDR=ME)
    known.post(PAGE, right)
    del known.cookies["sessionid"]
    # All of them in one minute that does not end during this test.
    later = timezone.now() + timedelta(hours=1)
    for number in range(MAX_TRIES_PER_NAME // MAX_TRIES_PER_NAME_AND_ADDRESS):
        assert is_limited(MAX_TRIES_PER_NAME_AND_ADDRESS, ip=f"198.51.100.{number}", now=later)
    assert enter(password=PASSWORD).status_code == 429
    assert known.post(PAGE, right).status_code == 302


def test_known_browser_has_the_same_limit_and_is_known_for_one_name(maya: User) -> None:
    client = Client()
    client.post(PAGE, {"login": "maya", "password": PASSWORD})
    known = client.cookies["known"]
    assert (known["httponly"], known["samesite"], "maya" in known.value) == (True, "Lax", False)
    exhaust()
    assert [is_limited(count, known=known.value) for count in (MAX_TRIES_PER_NAME_AND_ADDRESS - 1, 0)] == [False, True]
    assert is_limited(MAX_TRIES_PER_NAME_AND_ADDRESS, name="grace", known=known.value)
    for forged in (f"{known.value}x", f"x{known.value}", "x", "é:a:b"):
        assert enter(password=PASSWORD, Cookie=f"known={forged}").status_code == 429


@pytest.mark.parametrize("way", ["a link", "a new account"])
def test_every_kind_of_sign_in_makes_a_browser_known(maya: User, way: str) -> None:
    client = Client()
    if way == "a link":
        client.get(login_link(maya, origin=""))
    else:
        client.post("/sign-up/", {"username": "grace", "password1": PASSWORD, "password2": PASSWORD})
    assert "known" in client.cookies


def test_names_attempted_from_one_address_are_limited(db: None) -> None:
    assert not any(is_limited(0, name=f"name {number}") for number in range(MAX_TRIES_PER_ADDRESS))
    assert is_limited(0, name="one more")
    assert not is_limited(0, name="one more", ip=OTHER)


def test_addresses_of_one_ipv6_network_count_as_one(maya: User) -> None:
    exhaust(ip="2001:db8::1")
    assert enter(password=PASSWORD, ip="2001:db8::ffff:0:0:2").status_code == 429
    assert enter(password=PASSWORD, ip="2001:db8:0:1::1").status_code == 302


def test_forwarded_address_is_used_only_from_a_trusted_proxy(maya: User, settings: Any) -> None:
    exhaust(ip=OTHER)
    headers = {"X-Forwarded-For": f"{ME}, {OTHER}"}
    assert enter(password=PASSWORD, ip="10.0.0.7", **headers).status_code == 302
    settings.TRUSTED_PROXIES = networks("10.0.0.0/8, 192.0.2.9")
    assert enter(password=PASSWORD, ip="10.0.0.7", **headers).status_code == 429
    through_two = {"X-Forwarded-For": f"{ME}, {OTHER}, 192.0.2.9"}
    assert enter(password=PASSWORD, ip="10.0.0.7", **through_two).status_code == 429
    assert enter(password=PASSWORD, ip="192.0.2.8", **headers).status_code == 302


@pytest.mark.parametrize("value", ["", "unknown", "a, b", "192.0.2.1:80", "10.0.0.1, 10.0.0.2"])
def test_invalid_forwarded_address_is_ignored(maya: User, settings: Any, value: str) -> None:
    settings.TRUSTED_PROXIES = networks("10.0.0.0/8")
    assert enter(password=PASSWORD, ip="10.0.0.7", **{"X-Forwarded-For": value}).status_code == 302


def networks(value: str) -> Any:
    """Return the networks as the settings parse them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRUSTED_PROXIES", value)
        return environment.networks("TRUSTED_PROXIES")


def test_invalid_trusted_proxies_stop_the_server_from_starting() -> None:
    with pytest.raises(environment.ImproperlyConfigured, match="TRUSTED_PROXIES"):
        networks("proxy.example")
