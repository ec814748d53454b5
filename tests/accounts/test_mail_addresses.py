"""An e-mail address of one's own: given with the password, counted once the link in a mail was opened."""
from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client

from accounts.guessing import MAILS
from accounts.mail_addresses import LINK_SECONDS, SALT
from accounts.models import MailAddress
from tests.accounts.old_links import made_earlier
from tests.working import work

pytestmark = pytest.mark.django_db(transaction=True)

PROFILE = "/profile/"
PASSWORD = "correct horse battery"
ADA, OTHER = "Ada@Example.org", "ada@other.example"
LINK = re.compile(r"http://testserver(/\S+)")


@pytest.fixture(autouse=True)
def mail_goes_out(settings: Any) -> None:
    settings.SENDS_MAIL = True


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("ada", password=PASSWORD)


@pytest.fixture
def page(ada: User) -> Client:
    client = Client()
    client.force_login(ada)
    return client


def give(page: Client, address: str, *, password: str = PASSWORD) -> Any:
    return page.post(PROFILE, {"do": "set_address", "address": address, "password": password})


def words(page: Client) -> str:
    return unescape(page.get(PROFILE).content.decode())


def sent_link() -> str:
    """What the last mail leads to, once the worker has sent it."""
    work()
    return LINK.findall(str(mail.outbox[-1].body))[-1]


def confirmed(page: Client, address: str) -> str:
    """Gives an address and opens its link; gives that link."""
    assert give(page, address).status_code == 302
    link = sent_link()
    assert Client().post(link).status_code == 302
    return link


def counts(user: User) -> tuple[str, str]:
    """The address that stands with the person, and the one that counts."""
    user.refresh_from_db()
    known = MailAddress.objects.filter(user=user).first()
    return user.email, known.key if known else ""


def test_an_address_counts_once_its_link_was_opened_and_that_was_said(page: Client, ada: User) -> None:
    assert give(page, f" {ADA} ").status_code == 302
    assert f"A mail is on its way to {ADA}" in (shown := words(page))
    assert f"{ADA} waits for the link" in shown
    link = sent_link()
    assert ([each.to for each in mail.outbox], "Hello ada," in mail.outbox[0].body) == ([[ADA]], True)
    stranger = Client()
    assert ADA in stranger.get(link).content.decode()
    stranger.head(link)
    assert counts(ada) == ("", "")
    assert stranger.post(link).headers["Location"] == PROFILE
    assert counts(ada) == (ADA, ADA.lower())
    assert "waits for the link" not in words(page)


def test_a_link_works_once(page: Client, ada: User) -> None:
    link = confirmed(page, ADA)
    confirmed(page, OTHER)
    assert [Client().get(link).status_code, Client().post(link).status_code] == [410, 410]
    assert counts(ada) == (OTHER, OTHER)


def test_the_address_before_goes_on_counting_and_is_told_when_it_ends(page: Client, ada: User) -> None:
    confirmed(page, ADA)
    give(page, OTHER)
    link = sent_link()
    assert counts(ada) == (ADA, ADA.lower())
    Client().post(link)
    work()
    assert (mail.outbox[-1].to, "this one is no longer used" in mail.outbox[-1].body) == ([ADA], True)


def test_the_wrong_password_gives_no_address(page: Client, ada: User) -> None:
    answer = give(page, ADA, password="wrong horse")
    assert (answer.status_code, "This is not your password." in answer.content.decode()) == (422, True)
    work()
    assert (mail.outbox, MailAddress.objects.count()) == ([], 0)


def test_who_has_no_password_needs_none(page: Client, ada: User) -> None:
    ada.set_unusable_password()
    ada.save()
    page.force_login(ada)
    assert 'id="address-password"' not in words(page)
    confirmed(page, ADA)
    assert counts(ada)[1] == ADA.lower()


@pytest.mark.parametrize("address", ["ada", "ada@", "a b@example.org", "a\nb@example.org", f"{'x' * 250}@example.org"])
def test_what_is_no_address_is_refused(page: Client, ada: User, address: str) -> None:
    answer = give(page, address)
    assert (answer.status_code, "An address like ada@example.org." in answer.content.decode()) == (422, True)
    assert MailAddress.objects.count() == 0


def test_an_address_is_given_up_with_one_that_still_waits(page: Client, ada: User) -> None:
    confirmed(page, ADA)
    give(page, OTHER)
    link = sent_link()
    give(page, "")
    assert "Your address is removed." in words(page)
    assert (counts(ada), Client().post(link).status_code) == (("", ""), 410)


def test_a_link_is_void_once_another_address_is_wanted_or_the_password_has_changed(page: Client, ada: User) -> None:
    give(page, ADA)
    first = sent_link()
    give(page, OTHER)
    second = sent_link()
    assert Client().post(first).status_code == 410
    ada.set_password("another fine one")
    ada.save()
    assert Client().post(second).status_code == 410
    assert counts(ada) == ("", "")


def test_a_link_is_void_after_an_hour_and_for_who_may_not_come_in(page: Client, ada: User) -> None:
    give(page, ADA)
    link = sent_link()
    User.objects.update(is_active=False)
    assert Client().post(link).status_code == 410
    User.objects.update(is_active=True)
    old, fresh = (made_earlier(link, salt=SALT, seconds=seconds) for seconds in (LINK_SECONDS + 1, LINK_SECONDS - 60))
    assert [Client().post(each).status_code for each in (old, fresh)] == [410, 302]


@pytest.mark.parametrize("token", ["nonsense", "a:b:c", "%00"])
def test_a_forged_link_is_void(token: str) -> None:
    assert Client().get(f"/profile/address/{token}/").status_code == 410


def test_what_an_administrator_writes_does_not_count(page: Client, ada: User) -> None:
    confirmed(page, ADA)
    User.objects.update(email=OTHER)
    shown = words(page)
    assert f'value="{OTHER}"' not in shown
    assert "You have none" in shown


def test_only_so_many_mails_go_to_one_address_in_an_hour(page: Client) -> None:
    answers = [give(page, ADA).status_code for _ in range(MAILS + 1)]
    # An hour may begin in between: then they are counted anew.
    answers += [give(page, ADA).status_code for _ in range(MAILS)] if answers[-1] != 429 else []
    assert answers[-1] == 429


def test_who_deletes_the_account_leaves_no_address(page: Client, ada: User) -> None:
    confirmed(page, ADA)
    page.post("/profile/delete/", {"name": "ada", "password": PASSWORD})
    assert counts(ada) == ("", "")


def test_where_no_mail_goes_out_nothing_is_asked_for(page: Client, settings: Any) -> None:
    settings.SENDS_MAIL = False
    assert "E-mail address" not in words(page)
    assert give(page, ADA).status_code == 404
    assert MailAddress.objects.count() == 0
