"""Password resets by mail: a link to a confirmed address that sets a new password."""
from __future__ import annotations

import re
from datetime import datetime, timedelta
from html import unescape
from typing import Any

import pytest
from allauth.account.forms import EmailAwarePasswordResetTokenGenerator
from allauth.account.models import EmailAddress
from allauth.usersessions.models import UserSession
from django.contrib.auth import get_user
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django_tasks_db.models import DBTaskResult

from accounts.mail.messages import reset_link
from tests.background_worker import work
from tests.captured_queries import CapturedQueries
from tests.conftest import Api

pytestmark = pytest.mark.django_db(transaction=True)

PAGE, SIGN_IN = "/sign-in/forgotten/", "/sign-in/"
OLD, NEW = "correct horse battery", "another fine one"
ADA, UNKNOWN = "ada@example.org", "nobody@example.org"
LINK = re.compile(r"http://testserver(/\S+)")


@pytest.fixture(autouse=True)
def mail_enabled(settings: Any) -> None:
    settings.SENDS_MAIL = True


@pytest.fixture
def ada() -> User:
    return confirmed_user("ada")


def confirmed_user(name: str, *, address: str = ADA) -> User:
    """Create a user with a confirmed address."""
    user = User.objects.create_user(name, address, OLD)
    EmailAddress.objects.create(user=user, email=address, verified=True, primary=True)
    return user


def request_reset(address: str, *, client: Client | None = None) -> Any:
    return (client or Client()).post(PAGE, {"email": address})


def sent_links() -> list[str]:
    """Return the links of all mails, after the worker has sent them."""
    work()
    return [LINK.findall(str(each.body))[-1] for each in mail.outbox]


def sent_link(address: str = ADA) -> str:
    assert request_reset(address).status_code == 200
    return sent_links()[-1]


def open_link(link: str, client: Client) -> Any:
    """Return the page of a link, whose URL no longer contains the token."""
    return client.get(link, follow=True)


def set_password(link: str, *, password: str = NEW, repeated: str = NEW) -> Any:
    client = Client()
    page = open_link(link, client)
    if page.status_code != 200:
        return page
    return client.post(page.request["PATH_INFO"], {"password1": password, "password2": repeated})


def test_mailed_link_sets_a_new_password(ada: User) -> None:
    client = Client()
    assert f'href="{PAGE}"' in client.get(SIGN_IN).content.decode()
    link = sent_link("Ada@example.ORG")
    assert [each.to for each in mail.outbox] == [[ADA]]
    page = open_link(link, client)
    assert "For <b>ada</b>" in page.content.decode()
    assert link.split("-")[-1] not in page.request["PATH_INFO"]
    answer = client.post(page.request["PATH_INFO"], {"password1": NEW, "password2": NEW})
    assert (answer.status_code, answer.headers["Location"]) == (302, SIGN_IN)
    assert "You were signed out everywhere." in client.get(SIGN_IN).content.decode()
    assert [Client().login(username="ada", password=each) for each in (OLD, NEW)] == [False, True]
    work()
    assert [(each.to, each.subject) for each in mail.outbox][1:] == [([ADA], "Your password was changed")]


def test_known_and_unknown_addresses_get_the_same_response(ada: User) -> None:
    responses, query_counts = [], []
    request_reset("first@example.org")
    for address in (ADA, UNKNOWN):
        with CapturedQueries() as statements:
            answer = request_reset(address)
        query_counts.append(len(statements))
        responses.append((answer.status_code, answer.content.decode().replace(address, "…")))
    assert (responses[0], query_counts[0]) == (responses[1], query_counts[1])
    # The address is looked up in the worker, where a client cannot measure it.
    assert [each.args_kwargs["args"][0] for each in DBTaskResult.objects.order_by("enqueued_at")][1:] == [ADA, UNKNOWN]
    assert len(sent_links()) == 1


def test_new_password_ends_every_session(ada: User) -> None:
    other = Api(ada)
    link = sent_link()
    assert other.get("/api/me/").status_code == 200
    ada.refresh_from_db()
    assert set_password(sent_link()).status_code == 302
    assert other.get("/api/me/").status_code in (401, 403)
    assert not get_user(other.client).is_authenticated  # type: ignore[arg-type]  # it has what get_user asks for
    assert Client().get(link).status_code == 410
    assert not UserSession.objects.exists()


def test_link_of_another_user_keeps_the_session(ada: User, other_api: Api) -> None:
    link = sent_link()
    page = open_link(link, other_api.client)
    assert "For <b>ada</b>" in page.content.decode()
    assert other_api.get("/api/me/").status_code == 200
    assert other_api.client.post(page.request["PATH_INFO"], {"password1": NEW, "password2": NEW}).status_code == 302
    assert other_api.get("/api/me/").status_code == 401


def test_void_link_offers_a_new_one() -> None:
    assert f'href="{PAGE}"' in Client().get("/sign-in/reset/1-x/").content.decode()


def test_link_works_once(ada: User) -> None:
    first, second = sent_link(), sent_link()
    assert set_password(first).status_code == 302
    new = {"password": "a third one", "repeated": "a third one"}
    assert [set_password(link, **new).status_code for link in (first, second)] == [410, 410]
    assert Client().login(username="ada", password=NEW)


@pytest.mark.parametrize("how", ["signing in", "another address", "no access"])
def test_link_is_void_after_any_change(ada: User, how: str) -> None:
    link = sent_link()
    if how == "signing in":
        Client().login(username="ada", password=OLD)
    elif how == "another address":
        User.objects.update(email=UNKNOWN)
    else:
        User.objects.update(is_active=False)
    assert open_link(link, Client()).status_code == 410
    assert User.objects.get().check_password(OLD)


class AgedTokenGenerator(EmailAwarePasswordResetTokenGenerator):
    """Creates tokens that are `seconds` old."""

    seconds = 0

    def _now(self) -> datetime:
        return datetime.now() - timedelta(seconds=self.seconds)  # noqa: DTZ005  the clock of links


@pytest.mark.parametrize(("seconds", "status"), [(30 * 60 + 1, 410), (29 * 60, 302)])
def test_link_is_void_after_half_an_hour(ada: User, seconds: int, status: int) -> None:
    generator = AgedTokenGenerator()
    generator.seconds = seconds
    link = reset_link(ada, origin="")
    current = link.rstrip("/").partition("-")[2].partition("-")[2]
    assert set_password(link.replace(current, generator.make_token(ada))).status_code == status


@pytest.mark.parametrize("token", ["1-nonsense", "1-a:b:c", "zzzzzzzzzzzzz-x", "1-%00", "1-set-password"])
def test_forged_link_is_void(ada: User, token: str) -> None:
    assert open_link(f"/sign-in/reset/{token}/", Client()).status_code == 410


def test_invalid_new_password_is_refused_and_the_link_stays_valid(ada: User) -> None:
    link = sent_link()
    for password, repeated in (("12345678", "12345678"), (NEW, "something else")):
        answer = set_password(link, password=password, repeated=repeated)
        assert (answer.status_code, 'role="alert"' in answer.content.decode()) == (422, True)
    assert set_password(link).status_code == 302


@pytest.mark.parametrize("how", ["not confirmed", "written by an administrator", "replaced", "no access"])
def test_unconfirmed_address_gets_no_mail(ada: User, how: str) -> None:
    if how == "not confirmed":
        EmailAddress.objects.update(verified=False)
    elif how == "written by an administrator":
        EmailAddress.objects.all().delete()
    elif how == "replaced":
        User.objects.update(email=UNKNOWN)
    else:
        User.objects.update(is_active=False)
    for address in (ADA, UNKNOWN):
        assert request_reset(address).status_code == 200
    assert sent_links() == []


@pytest.mark.parametrize("address", ["", "ada", "a b@example.org", "ada\x00@example.org", "ada@x.org\nBcc: b@x.org"])
def test_invalid_address_is_refused(address: str) -> None:
    answer = request_reset(address)
    page = unescape(answer.content.decode())
    assert (answer.status_code, "Enter an address like ada@example.org." in page) == (422, True)
    assert not DBTaskResult.objects.exists()


@pytest.mark.parametrize("address", [ADA, UNKNOWN])
def test_mails_are_limited_per_hour(ada: User, address: str) -> None:
    answers = [request_reset(address) for _ in range(6)]
    assert [answer.status_code for answer in answers] == [200] * 5 + [429]
    assert "Too many attempts" in answers[5].content.decode()
    assert request_reset(f"other.{address}").status_code == 200


def test_mail_is_in_the_language_of_the_user(ada: User) -> None:
    Api(ada).patch("/api/me/", {"language": "de"})
    request_reset(ADA)
    work()
    assert (mail.outbox[0].subject, "Guten Tag ada," in mail.outbox[0].body) == ("Passwort zurücksetzen", True)


def test_sign_in_page_names_the_administrator_without_mail(ada: User, settings: Any) -> None:
    settings.SENDS_MAIL = False
    page = Client().get(SIGN_IN).content.decode()
    assert (PAGE in page, "Ask your administrator for a one-time link." in page) == (False, True)
    assert [Client().get(PAGE).status_code, request_reset(ADA).status_code] == [404, 404]
