"""E-mail addresses of users: adding with the password, confirmation by a mailed link, removal."""
from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core import mail, signing
from django.db import connection
from django.test import Client
from django_tasks_db.models import DBTaskResult

from accounts.mail.addresses import LINK_SECONDS, SALT, confirmed_address_of, unconfirmed_address_of
from tests.accounts.aged_links import age_link
from tests.background_worker import work
from tests.conftest import Api

pytestmark = pytest.mark.django_db(transaction=True)

PAGE, AGAIN, PROFILE = "/profile/address/", "/sign-in/again/", "/profile/"
PASSWORD = "correct horse battery"
ADA, OTHER = "ada@example.org", "ada@other.example"
LINK = re.compile(r"http://testserver(/\S+)")


@pytest.fixture(autouse=True)
def mail_enabled(settings: Any) -> None:
    settings.SENDS_MAIL = True


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("ada", password=PASSWORD)


@pytest.fixture
def page(ada: User) -> Client:
    client = Client()
    client.force_login(ada)
    return client


def send(page: Client, address: str, action: str = "add") -> Any:
    """Press a button of the page, after confirming the password."""
    answer = page.post(PAGE, {"email": address, f"action_{action}": "1"})
    if answer.status_code == 302 and answer.headers["Location"].startswith(AGAIN):
        return page.post(answer.headers["Location"], {"password": PASSWORD})
    return answer


def text_of(page: Client) -> str:
    return unescape(page.get(PAGE).content.decode())


def sent_link() -> str:
    """Return the link of the last mail, after the worker has sent it."""
    work()
    return LINK.findall(str(mail.outbox[-1].body))[-1]


def confirm(page: Client, address: str) -> str:
    """Add an address, open its link, and return the link."""
    assert send(page, address).status_code == 302
    link = sent_link()
    assert Client().post(link).status_code == 302
    return link


def addresses_of(user: User) -> tuple[str, str]:
    """Return the `email` of Django's user and the confirmed address."""
    user.refresh_from_db()
    return user.email, confirmed_address_of(user)


def test_address_is_confirmed_by_opening_its_link_and_the_form(page: Client, ada: User) -> None:
    assert send(page, f" {ADA.title()} ").headers["Location"] == PAGE
    assert f"A link was sent to {ADA}" in (shown := text_of(page))
    assert f"{ADA} is not confirmed yet" in shown
    assert f"{ADA} is not confirmed yet" in unescape(page.get(PROFILE).content.decode())
    link = sent_link()
    assert ([each.to for each in mail.outbox], "Hello ada," in mail.outbox[0].body) == ([[ADA]], True)
    stranger = Client()
    assert ADA in stranger.get(link).content.decode()
    stranger.head(link)
    assert addresses_of(ada) == ("", "")
    assert stranger.post(link).status_code == 302
    assert addresses_of(ada) == (ADA, ADA)
    assert "is not confirmed yet" not in text_of(page)


def test_link_is_not_stored(page: Client) -> None:
    send(page, ADA)
    token = sent_link().split("/")[-2]
    assert token not in str(list(DBTaskResult.objects.values()))


def test_link_works_once(page: Client, ada: User) -> None:
    link = confirm(page, ADA)
    confirm(page, OTHER)
    assert [Client().get(link).status_code, Client().post(link).status_code] == [410, 410]
    assert addresses_of(ada) == (OTHER, OTHER)


def test_second_of_two_concurrent_confirmations_is_refused(page: Client, ada: User) -> None:
    send(page, ADA)
    link = sent_link()
    eve = User.objects.create_user("eve", email=ADA)

    def first(execute: Any, sql: str, *rest: Any) -> Any:
        """Confirm the address for another user between the check of the request and its write."""
        if sql.startswith('UPDATE "account_emailaddress"') and not EmailAddress.objects.filter(user=eve).exists():
            EmailAddress.objects.create(user=eve, email=ADA.lower(), verified=True, primary=True)
        return execute(sql, *rest)

    with connection.execute_wrapper(first):
        assert Client().post(link).status_code == 410
    assert addresses_of(ada) == ("", "")


def test_previous_address_is_valid_until_the_new_one_is_confirmed(page: Client, ada: User) -> None:
    confirm(page, ADA)
    send(page, OTHER)
    link = sent_link()
    assert addresses_of(ada) == (ADA, ADA.lower())
    Client().post(link)
    work()
    assert (mail.outbox[-1].to, "This one is no longer used" in mail.outbox[-1].body) == ([ADA], True)


def test_wrong_password_adds_no_address(page: Client, ada: User) -> None:
    later = page.post(PAGE, {"email": ADA, "action_add": "1"}).headers["Location"]
    answer = page.post(later, {"password": "wrong horse"})
    assert (answer.status_code, "Incorrect password." in answer.content.decode()) == (422, True)
    work()
    assert (mail.outbox, EmailAddress.objects.count()) == ([], 0)


def test_user_without_password_needs_none(page: Client, ada: User) -> None:
    ada.set_unusable_password()
    ada.save()
    page.force_login(ada)
    assert page.post(PAGE, {"email": ADA, "action_add": "1"}).headers["Location"] == PAGE
    Client().post(sent_link())
    assert addresses_of(ada)[1] == ADA


def test_address_of_another_user_is_refused_without_an_error(page: Client, ada: User) -> None:
    other = User.objects.create_user("grace", OTHER)
    EmailAddress.objects.create(user=other, email=OTHER, verified=True, primary=True)
    assert send(page, OTHER).headers["Location"] == PAGE
    page.post(sent_link())
    assert addresses_of(ada) == ("", "")
    assert f"{OTHER} cannot be used for this account." in unescape(page.get(PROFILE).content.decode())
    # The address of a deactivated user is free again.
    User.objects.filter(pk=other.pk).update(is_active=False)
    page.post(sent_link())
    assert (addresses_of(ada), addresses_of(other)[1]) == ((OTHER, OTHER), "")


@pytest.mark.parametrize("address", ["ada", "ada@", "a b@example.org", "a\nb@example.org", f"{'x' * 250}@example.org"])
def test_invalid_address_is_refused(page: Client, ada: User, address: str) -> None:
    answer = send(page, address)
    assert (answer.status_code, "Enter an address like ada@example.org." in answer.content.decode()) == (422, True)
    assert EmailAddress.objects.count() == 0


def test_confirmed_and_pending_addresses_can_be_removed(page: Client, ada: User) -> None:
    confirm(page, ADA)
    send(page, OTHER)
    link = sent_link()
    send(page, OTHER, "remove")
    assert (addresses_of(ada), Client().post(link).status_code) == ((ADA, ADA), 410)
    send(page, ADA, "remove")
    assert f"{ADA} was removed." in text_of(page)
    assert addresses_of(ada) == ("", "")
    work()
    # A notice goes to the confirmed address only; the pending one may belong to another person.
    assert [each.to for each in mail.outbox if each.subject == "Your address was removed"] == [[ADA]]


def test_pending_address_cannot_be_used(page: Client, ada: User) -> None:
    send(page, ADA)
    assert page.post(PAGE, {"email": ADA, "action_primary": "1"}).status_code == 404
    assert addresses_of(ada) == ("", "")


def test_link_of_another_user_keeps_the_session(page: Client, other_user: User) -> None:
    send(page, ADA)
    link, reader = sent_link(), Api(other_user)
    for ask in (reader.client.get, reader.client.head):
        assert ask(link).status_code == 200
    assert reader.get("/api/me/").status_code == 200


def test_request_stored_during_password_confirmation_has_no_cookies(page: Client) -> None:
    page.post(PAGE, {"email": ADA, "action_add": "1"})
    assert "sessionid" not in str(dict(page.session.items()))


def test_link_is_void_after_another_address_or_a_new_password(page: Client, ada: User) -> None:
    send(page, ADA)
    first = sent_link()
    send(page, OTHER)
    second = sent_link()
    assert Client().post(first).status_code == 410
    ada.set_password("another fine one")
    ada.save()
    assert Client().post(second).status_code == 410
    assert addresses_of(ada) == ("", "")


def test_link_is_void_after_an_hour_and_for_inactive_users(page: Client, ada: User) -> None:
    send(page, ADA)
    link = sent_link()
    User.objects.update(is_active=False)
    assert Client().post(link).status_code == 410
    User.objects.update(is_active=True)
    old, fresh = (age_link(link, salt=SALT, seconds=seconds) for seconds in (LINK_SECONDS + 1, LINK_SECONDS - 60))
    assert [Client().post(each).status_code for each in (old, fresh)] == [410, 302]


# The last one is in the format of earlier versions, with the id of a user.
EARLIER = signing.dumps({"user": 1, "address": ADA, "seen": ""}, salt="accounts.mail_addresses")


@pytest.mark.parametrize("token", ["nonsense", "a:b:c", "%00", EARLIER])
def test_forged_link_is_void(token: str) -> None:
    assert Client().get(f"/profile/address/{token}/").status_code == 410


def test_task_of_an_earlier_version_sends_nothing(page: Client, ada: User) -> None:
    send(page, ADA)
    # Its argument was the id of a user.
    DBTaskResult.objects.update(task_path="accounts.tasks.send_address_link")
    work()
    assert mail.outbox == []


def test_address_written_in_the_admin_is_not_confirmed(page: Client, ada: User, admin_client: Client) -> None:
    confirm(page, ADA)
    path = f"/admin/auth/user/{ada.pk}/change/"
    initial = admin_client.get(path).context["adminform"].form.initial
    form = {name: value for name, value in initial.items() if isinstance(value, str)}
    admin_client.post(path, {**form, "is_active": "on", "email": OTHER})
    assert addresses_of(ada) == (OTHER, "")
    assert f"{OTHER} is not confirmed yet" not in text_of(page)
    assert not EmailAddress.objects.exists()


def test_mails_to_one_address_are_limited_per_hour(page: Client, ada: User) -> None:
    for _ in range(5):
        assert send(page, ADA).status_code == 302
        EmailAddress.objects.all().delete()
    answer = send(page, ADA)
    assert (answer.status_code, answer.headers["Retry-After"], unconfirmed_address_of(ada)) == (429, "3600", "")
    EmailAddress.objects.create(user=ada, email=ADA)
    send(page, ADA, "send")
    assert "Too many requests. Try again in an hour." in text_of(page)


def test_added_addresses_are_limited_per_hour(page: Client, other_api: Api, settings: Any) -> None:
    by_hour = settings.ACCOUNT_RATE_LIMITS["manage_email"].removeprefix("10/m/user,")
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "manage_email": by_hour}
    assert [page.post(PAGE).status_code for _ in range(21)] == [302] * 20 + [429]
    answers = [other_api.client.post(PAGE) for _ in range(11)]
    assert [each.status_code for each in answers] == [302] * 10 + [429]
    assert (answers[10].headers["Retry-After"], "Wait a while" in answers[10].content.decode()) == ("3600", True)


def test_mail_to_an_unconfirmed_address_contains_no_link_from_a_name(page: Client, ada: User) -> None:
    User.objects.update(username="visit.evil.example")
    send(page, ADA)
    work()
    assert ("Hello,\n" in mail.outbox[0].body, "evil" in mail.outbox[0].body) == (True, False)


def test_account_deletion_deletes_addresses(page: Client, ada: User) -> None:
    confirm(page, ADA)
    page.post("/profile/delete/", {"name": "ada", "password": PASSWORD})
    assert addresses_of(ada) == ("", "")


def test_page_does_not_exist_without_mail(page: Client, settings: Any) -> None:
    settings.SENDS_MAIL = False
    assert "E-mail address" not in page.get(PROFILE).content.decode()
    assert [page.get(PAGE).status_code, send(page, ADA).status_code] == [404, 404]
    assert EmailAddress.objects.count() == 0
