"""A forgotten password where mail goes out: a link to a confirmed address, and a new password with it."""
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

from accounts.mails import reset_link
from tests.background_worker import work
from tests.captured_queries import CapturedQueries
from tests.conftest import Api

pytestmark = pytest.mark.django_db(transaction=True)

PAGE, SIGN_IN = "/sign-in/forgotten/", "/sign-in/"
OLD, NEW = "correct horse battery", "another fine one"
ADA, NOBODY = "ada@example.org", "nobody@example.org"
LINK = re.compile(r"http://testserver(/\S+)")


@pytest.fixture(autouse=True)
def mail_goes_out(settings: Any) -> None:
    settings.SENDS_MAIL = True


@pytest.fixture
def ada() -> User:
    return person("ada")


def person(name: str, *, address: str = ADA) -> User:
    """Somebody with a confirmed address."""
    user = User.objects.create_user(name, address, OLD)
    EmailAddress.objects.create(user=user, email=address, verified=True, primary=True)
    return user


def ask(address: str, *, client: Client | None = None) -> Any:
    return (client or Client()).post(PAGE, {"email": address})


def sent_links() -> list[str]:
    """What all mails lead to, once the worker has sent them."""
    work()
    return [LINK.findall(str(each.body))[-1] for each in mail.outbox]


def sent_link(address: str = ADA) -> str:
    assert ask(address).status_code == 200
    return sent_links()[-1]


def opened(link: str, client: Client) -> Any:
    """The page that a link leads to: the link itself is not in its address any more."""
    return client.get(link, follow=True)


def choose(link: str, *, password: str = NEW, again: str = NEW) -> Any:
    client = Client()
    page = opened(link, client)
    if page.status_code != 200:
        return page
    return client.post(page.request["PATH_INFO"], {"password1": password, "password2": again})


def test_a_link_by_mail_leads_to_a_new_password(ada: User) -> None:
    client = Client()
    assert f'href="{PAGE}"' in client.get(SIGN_IN).content.decode()
    link = sent_link("Ada@example.ORG")
    assert [each.to for each in mail.outbox] == [[ADA]]
    page = opened(link, client)
    assert "For <b>ada</b>" in page.content.decode()
    assert link.split("-")[-1] not in page.request["PATH_INFO"]
    answer = client.post(page.request["PATH_INFO"], {"password1": NEW, "password2": NEW})
    assert (answer.status_code, answer.headers["Location"]) == (302, SIGN_IN)
    assert "You were signed out everywhere." in client.get(SIGN_IN).content.decode()
    assert [Client().login(username="ada", password=each) for each in (OLD, NEW)] == [False, True]
    work()
    assert [(each.to, each.subject) for each in mail.outbox][1:] == [([ADA], "Your password was changed")]


def test_known_and_unknown_addresses_are_answered_alike(ada: User) -> None:
    told, asked = [], []
    ask("first@example.org")
    for address in (ADA, NOBODY):
        with CapturedQueries() as statements:
            answer = ask(address)
        asked.append(len(statements))
        told.append((answer.status_code, answer.content.decode().replace(address, "…")))
    assert (told[0], asked[0]) == (told[1], asked[1])
    # Who has the address is found out where nobody can measure it.
    assert [each.args_kwargs["args"][0] for each in DBTaskResult.objects.order_by("enqueued_at")][1:] == [ADA, NOBODY]
    assert len(sent_links()) == 1


def test_a_new_password_ends_every_sign_in(ada: User) -> None:
    elsewhere = Api(ada)
    link = sent_link()
    assert elsewhere.get("/api/me/").status_code == 200
    ada.refresh_from_db()
    assert choose(sent_link()).status_code == 302
    assert elsewhere.get("/api/me/").status_code in (401, 403)
    assert not get_user(elsewhere.client).is_authenticated  # type: ignore[arg-type]  # it has what get_user asks for
    assert Client().get(link).status_code == 410
    assert not UserSession.objects.exists()


def test_a_link_of_another_user_signs_nobody_out(ada: User, other_api: Api) -> None:
    link = sent_link()
    page = opened(link, other_api.client)
    assert "For <b>ada</b>" in page.content.decode()
    assert other_api.get("/api/me/").status_code == 200
    assert other_api.client.post(page.request["PATH_INFO"], {"password1": NEW, "password2": NEW}).status_code == 302
    assert other_api.get("/api/me/").status_code == 401


def test_a_void_link_leads_to_a_new_one() -> None:
    assert f'href="{PAGE}"' in Client().get("/sign-in/reset/1-x/").content.decode()


def test_a_link_works_once(ada: User) -> None:
    first, second = sent_link(), sent_link()
    assert choose(first).status_code == 302
    assert [choose(each, password="a third one", again="a third one").status_code for each in (first, second)] == [
        410, 410,
    ]  # fmt: skip
    assert Client().login(username="ada", password=NEW)


@pytest.mark.parametrize("how", ["signing in", "another address", "no access"])
def test_a_link_is_void_once_anything_has_changed(ada: User, how: str) -> None:
    link = sent_link()
    if how == "signing in":
        Client().login(username="ada", password=OLD)
    elif how == "another address":
        User.objects.update(email=NOBODY)
    else:
        User.objects.update(is_active=False)
    assert opened(link, Client()).status_code == 410
    assert User.objects.get().check_password(OLD)


class Earlier(EmailAwarePasswordResetTokenGenerator):
    """Makes links so many seconds ago."""

    seconds = 0

    def _now(self) -> datetime:
        return datetime.now() - timedelta(seconds=self.seconds)  # noqa: DTZ005  the clock of links


@pytest.mark.parametrize(("seconds", "status"), [(30 * 60 + 1, 410), (29 * 60, 302)])
def test_a_link_is_void_after_half_an_hour(ada: User, seconds: int, status: int) -> None:
    generator = Earlier()
    generator.seconds = seconds
    link = reset_link(ada, origin="")
    current = link.rstrip("/").partition("-")[2].partition("-")[2]
    assert choose(link.replace(current, generator.make_token(ada))).status_code == status


@pytest.mark.parametrize("token", ["1-nonsense", "1-a:b:c", "zzzzzzzzzzzzz-x", "1-%00", "1-set-password"])
def test_a_forged_link_is_void(ada: User, token: str) -> None:
    assert opened(f"/sign-in/reset/{token}/", Client()).status_code == 410


def test_a_password_that_is_too_easy_or_typed_wrong_is_refused_and_the_link_goes_on(ada: User) -> None:
    link = sent_link()
    for password, again in (("12345678", "12345678"), (NEW, "something else")):
        answer = choose(link, password=password, again=again)
        assert (answer.status_code, 'role="alert"' in answer.content.decode()) == (422, True)
    assert choose(link).status_code == 302


@pytest.mark.parametrize("how", ["not confirmed", "written by an administrator", "replaced", "no access"])
def test_nothing_goes_to_an_address_that_does_not_count(ada: User, how: str) -> None:
    if how == "not confirmed":
        EmailAddress.objects.update(verified=False)
    elif how == "written by an administrator":
        EmailAddress.objects.all().delete()
    elif how == "replaced":
        User.objects.update(email=NOBODY)
    else:
        User.objects.update(is_active=False)
    for address in (ADA, NOBODY):
        assert ask(address).status_code == 200
    assert sent_links() == []


@pytest.mark.parametrize("address", ["", "ada", "a b@example.org", "ada\x00@example.org", "ada@x.org\nBcc: b@x.org"])
def test_what_is_no_address_is_refused(address: str) -> None:
    answer = ask(address)
    page = unescape(answer.content.decode())
    assert (answer.status_code, "Enter an address like ada@example.org." in page) == (422, True)
    assert not DBTaskResult.objects.exists()


@pytest.mark.parametrize("address", [ADA, NOBODY])
def test_after_some_mails_in_an_hour_no_more_go_out(ada: User, address: str) -> None:
    answers = [ask(address) for _ in range(6)]
    assert [answer.status_code for answer in answers] == [200] * 5 + [429]
    assert "Too many attempts" in answers[5].content.decode()
    assert ask(f"other.{address}").status_code == 200


def test_a_mail_is_in_the_language_that_the_person_chose(ada: User) -> None:
    Api(ada).patch("/api/me/", {"language": "de"})
    ask(ADA)
    work()
    assert (mail.outbox[0].subject, "Guten Tag ada," in mail.outbox[0].body) == ("Ein neues Passwort", True)


def test_where_no_mail_goes_out_the_sign_in_page_says_whom_to_ask(ada: User, settings: Any) -> None:
    settings.SENDS_MAIL = False
    page = Client().get(SIGN_IN).content.decode()
    assert (PAGE in page, "Ask your administrator for a one-time link." in page) == (False, True)
    assert [Client().get(PAGE).status_code, ask(ADA).status_code] == [404, 404]
