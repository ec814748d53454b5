"""Single sign-on with an identity provider, with an existing account or a new one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth import get_user
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.core import mail
from django.core.exceptions import ImproperlyConfigured
from django.db import IntegrityError, connection
from django.test import Client, RequestFactory
from django.utils import timezone

from accounts.mail.addresses import confirmed_address_of
from accounts.rate_limits import MAX_SINGLE_SIGN_ON_STARTS, count_single_sign_on
from chatproject.config import environment
from tests.accounts.identity_provider import CLIENT, SECRET, Provider, identity_provider
from tests.background_worker import work

pytestmark = pytest.mark.django_db

START = "/sign-in/with/oidc/"
ADA = {"sub": "ada-1", "preferred_username": "ada", "email": "ada@example.org", "email_verified": True}


@pytest.fixture
def provider(settings: Any) -> Iterator[Provider]:
    with identity_provider() as running:
        running.user = dict(ADA)
        use_provider(running, settings)
        yield running


def use_provider(provider: Provider, settings: Any) -> None:
    settings.OIDC_NAME = "Example"
    settings.SOCIALACCOUNT_PROVIDERS = environment.identity_provider(
        issuer=provider.address, client_id=CLIENT, client_secret=SECRET, name="Example"
    )


def sign_in(provider: Provider, client: Client | None = None, *, to: str = "") -> Any:
    """Sign in at the provider and return to the callback."""
    client = client or Client()
    url = client.get(START, {"next": to} if to else {}).headers["Location"]
    assert url.startswith(f"{provider.address}/authorize?")
    return client.get(provider.visit(url))


def user_name(client: Client) -> str:
    return get_user(client).get_username()  # type: ignore[arg-type]  # the test client has what get_user asks for


def text_of(client: Client) -> str:
    return unescape(client.get("/sign-in/").content.decode())


def test_new_user_gets_an_account_and_keeps_it(provider: Provider) -> None:
    first, second = Client(), Client()
    assert "Sign in with Example" in text_of(first)
    assert sign_in(provider, first, to="/profile/").headers["Location"] == "/profile/"
    assert sign_in(provider, second).headers["Location"] == "/tables/"
    assert [user_name(first), user_name(second), User.objects.count()] == ["ada", "ada", 1]
    ada = User.objects.get()
    assert (ada.has_usable_password(), confirmed_address_of(ada)) == (False, "ada@example.org")


def test_user_with_the_same_confirmed_address_keeps_the_account(provider: Provider) -> None:
    known = User.objects.create_user("lovelace", "ada@example.org", "correct horse battery")
    EmailAddress.objects.create(user=known, email="ada@example.org", verified=True, primary=True)
    client = Client()
    sign_in(provider, client)
    assert (user_name(client), User.objects.count()) == ("lovelace", 1)
    known.refresh_from_db()
    assert known.check_password("correct horse battery")


@pytest.mark.parametrize(
    ("claim", "name"), [(True, "lovelace"), ("true", "lovelace"), (False, "ada"), ("false", "ada"), (1, "ada")]
)
def test_only_true_confirms_an_address(provider: Provider, claim: object, name: str) -> None:
    known = User.objects.create_user("lovelace", "ada@example.org")
    EmailAddress.objects.create(user=known, email="ada@example.org", verified=True, primary=True)
    provider.user["email_verified"] = claim
    client = Client()
    sign_in(provider, client)
    assert user_name(client) == name


@pytest.mark.parametrize(("claim", "address"), [("true", "ada@example.org"), ("false", ""), (False, "")])
def test_unconfirmed_address_of_a_new_user_is_not_stored(provider: Provider, claim: object, address: str) -> None:
    provider.user["email_verified"] = claim
    sign_in(provider)
    ada = User.objects.get()
    stored = [*EmailAddress.objects.values_list("email", "verified")]
    assert (ada.email, confirmed_address_of(ada), stored) == (address, address, [(address, True)] if address else [])


@pytest.mark.django_db(transaction=True)
def test_user_gets_a_mail_when_single_sign_on_is_added(provider: Provider, settings: Any) -> None:
    settings.SENDS_MAIL = True
    known = User.objects.create_user("lovelace", "ada@example.org")
    EmailAddress.objects.create(user=known, email="ada@example.org", verified=True, primary=True)
    sign_in(provider)
    work()
    (notice,) = mail.outbox
    assert (notice.to, notice.subject) == (["ada@example.org"], "Single sign-on was added")


@pytest.mark.parametrize("here_confirmed", [True, False])
def test_address_must_be_confirmed_on_both_sides(provider: Provider, here_confirmed: bool) -> None:
    other = User.objects.create_user("eve", "ada@example.org")
    EmailAddress.objects.create(user=other, email="ada@example.org", verified=here_confirmed, primary=True)
    provider.user["email_verified"] = not here_confirmed
    client = Client()
    sign_in(provider, client)
    assert user_name(client) == "ada"
    assert confirmed_address_of(User.objects.get(username="ada")) == ("" if here_confirmed else "ada@example.org")


def test_replaced_address_does_not_sign_in(provider: Provider) -> None:
    other = User.objects.create_user("eve", "another@example.org")
    EmailAddress.objects.create(user=other, email="ada@example.org", verified=True, primary=True)
    client = Client()
    sign_in(provider, client)
    assert user_name(client) == "ada"
    assert User.objects.get(username="ada").email == ""


def test_names_are_normalized(provider: Provider) -> None:
    provider.user["preferred_username"] = "\uff41\uff44\uff41"
    client = Client()
    sign_in(provider, client)
    assert user_name(client) == "ada"


def test_taken_or_misleading_name_is_replaced(provider: Provider) -> None:
    User.objects.create_user("ada")
    for number, name in enumerate(("ada", "\u0430da", "..", "a b", "ada@corp.example")):
        provider.user = {"sub": str(number), "preferred_username": name}
        client = Client()
        sign_in(provider, client)
        assert user_name(client) not in ("", "ada", name)


def test_new_user_is_refused_without_sign_up(provider: Provider, settings: Any) -> None:
    settings.OIDC_SIGNUP = False
    client = Client()
    assert sign_in(provider, client).headers["Location"] == "/sign-in/"
    assert "You have no account here." in text_of(client)
    assert User.objects.count() == 0


def test_deactivated_user_is_refused(provider: Provider) -> None:
    sign_in(provider)
    User.objects.update(is_active=False)
    client = Client()
    assert sign_in(provider, client).headers["Location"] == "/sign-in/closed/"
    page = client.get("/sign-in/closed/").content.decode()
    assert (user_name(client), "This account is closed" in page) == ("", True)


@pytest.mark.parametrize(
    "how",
    [
        "/token",
        "/user",
        "/.well-known/openid-configuration",
        "audience",
        "subject",
        "code",
        "another subject",
        "long",
        "no ID token",
    ],
)
def test_invalid_answer_of_the_provider_shows_an_error(provider: Provider, how: str) -> None:
    client = Client()
    back = provider.visit(client.get(START).headers["Location"])
    if how == "audience":
        provider.audience = "another program"
    elif how == "subject":
        provider.user = {"name": "Ada"}
    elif how == "another subject":
        provider.claims = {"sub": "eve-1"}
    elif how == "no ID token":
        provider.sends_id_token = False
    elif how == "long":
        provider.user = {"sub": "a" * 200}
    elif how == "code":
        provider.challenges.clear()
    else:
        provider.broken = how
    assert client.get(back).headers["Location"] == "/sign-in/"
    assert ("Sign-in with Example failed." in text_of(client), user_name(client)) == (True, "")


def test_unreachable_provider_shows_an_error(provider: Provider) -> None:
    provider.shutdown()
    provider.server_close()
    client = Client()
    assert client.get(START).headers["Location"] == "/sign-in/"
    assert "failed" in text_of(client)


def test_callback_without_state_is_refused(provider: Provider) -> None:
    back = provider.visit(Client().get(START).headers["Location"])
    client = Client()
    assert client.get(back).headers["Location"] == "/sign-in/"
    assert user_name(client) == ""


def test_same_subject_of_another_issuer_is_another_user(provider: Provider, settings: Any) -> None:
    provider.user = {"sub": "1", "preferred_username": "ada"}
    sign_in(provider)
    with identity_provider() as other:
        other.user = {"sub": "1", "preferred_username": "eve"}
        use_provider(other, settings)
        client = Client()
        sign_in(other, client)
    assert user_name(client) == "eve"


@pytest.mark.parametrize("path", [START, f"{START}callback/"])
def test_signed_in_user_stays_signed_in(provider: Provider, path: str) -> None:
    client = Client()
    sign_in(provider, client)
    answer = client.get(path, {"next": "/profile/", "code": "code0", "state": "any"})
    assert (answer.headers["Location"], user_name(client)) == ("/profile/", "ada")


def test_query_parameters_are_not_passed_to_the_provider(provider: Provider) -> None:
    plain, more = (
        parse_qs(urlsplit(Client().get(START, query).headers["Location"]).query)
        for query in ({}, {"scope": "offline_access", "auth_params": "prompt=none&login_hint=eve", "action": "x"})
    )
    assert (more.keys(), more["scope"]) == (plain.keys(), plain["scope"])


def test_starts_are_limited_and_their_sessions_expire_soon(provider: Provider) -> None:
    client = Client()
    assert client.get(START).status_code == 302
    # All in one minute that does not end during this test.
    now = timezone.now() + timedelta(hours=1)
    for _ in range(MAX_SINGLE_SIGN_ON_STARTS):
        count_single_sign_on(RequestFactory().get(START), now=now)
    refused = Client().get(START)
    assert (refused.status_code, 0 < int(refused.headers["Retry-After"]) <= 60) == (429, True)
    (session,) = Session.objects.all()
    assert session.expire_date < now


def test_session_after_single_sign_on_has_its_full_lifetime(provider: Provider) -> None:
    client = Client()
    sign_in(provider, client)
    assert Session.objects.get(pk=client.session.session_key).expire_date > timezone.now() + timedelta(days=1)


@contextmanager
def failing_insert(table: str) -> Iterator[None]:
    """Fail inserts into the table, as if another request had inserted the same row."""

    def refuse(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        if sql.startswith(f'INSERT INTO "{table}"'):
            raise IntegrityError("UNIQUE constraint failed")
        return execute(sql, *rest)

    with connection.execute_wrapper(refuse):
        yield


def test_second_of_two_concurrent_first_sign_ins_creates_no_user(provider: Provider) -> None:
    client = Client()
    with failing_insert("socialaccount_socialaccount"):
        assert sign_in(provider, client).headers["Location"] == "/sign-in/"
    assert (User.objects.count(), "failed" in text_of(client)) == (0, True)


def test_accounts_cannot_be_connected_by_a_link(provider: Provider) -> None:
    assert Client().get(START, {"process": "connect"}).status_code == 404


def test_redirect_to_another_site_is_ignored(provider: Provider) -> None:
    assert sign_in(provider, to="https://elsewhere.example/").headers["Location"] == "/tables/"


def test_pages_do_not_exist_without_a_provider() -> None:
    assert [Client().get(START).status_code, Client().get(f"{START}callback/").status_code] == [404, 404]


@pytest.mark.parametrize(
    "env",
    [{"issuer": ""}, {"client_id": ""}, {"client_secret": ""}, {"issuer": "http://id.example.org"}],
    ids=str,
)
def test_invalid_settings_are_refused(env: dict[str, str]) -> None:
    values = {"issuer": "https://id.example.org", "client_id": "a", "client_secret": "b", "name": "c", **env}
    with pytest.raises(ImproperlyConfigured, match="OIDC_ISSUER"):
        environment.identity_provider(**values)
