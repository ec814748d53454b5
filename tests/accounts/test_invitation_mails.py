"""Invitations by e-mail: the mails, the list of the recipient, and limits."""
from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core import mail
from django.db import connection
from django.test import Client
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from accounts.mail.addresses import address_link
from accounts.rate_limits import MAX_INVITATIONS, MAX_INVITATIONS_TO_ADDRESS, count_invitation, count_mailed_invitation
from tables import services
from tables.exceptions import TooMany
from tables.models import Invitation
from tests.background_worker import work
from tests.conftest import Api
from tests.tables.shared_table import invite_by_link, invite_user, make_table

pytestmark = pytest.mark.django_db(transaction=True)

ADDRESS = "Grace@Example.org"
LINK = re.compile(r"http://testserver(/\S+)")


@pytest.fixture(autouse=True)
def mail_enabled(settings: Any) -> None:
    settings.SENDS_MAIL = True


@pytest.fixture
def table(api: Api) -> str:
    return make_table(api)


def invite(api: Api, table: str, address: str = ADDRESS) -> Any:
    return api.post(f"{table}members/", {"kind": "email", "name": address, "role": "editor"})


def received(api: Api) -> list[str]:
    return [each["table"] for each in api.get("/api/tables/invitations/").json()["invitations"]]


def confirm(user: User, address: str = ADDRESS) -> None:
    EmailAddress.objects.filter(user=user, email=address.lower()).delete()
    waiting = EmailAddress.objects.create(user=user, email=address.lower())
    assert Client().post(address_link(waiting, origin="")).status_code == 302


def test_mailed_link_is_accepted_by_its_first_user(api: Api, other_api: Api, table: str) -> None:
    answer = invite(api, table)
    assert (answer.status_code, "url" in answer.json(), answer.json()["name"]) == (202, False, ADDRESS.lower())
    work()
    (sent,) = mail.outbox
    assert (sent.to, sent.subject) == ([ADDRESS.lower()], "ada invites you to a table")
    assert "the table “Jobs” at http://testserver, as an editor." in sent.body
    link = LINK.findall(sent.body)[-1]
    assert "ada invites you to “Jobs” as an editor" in other_api.get(link).content.decode()
    assert other_api.client.post(link, {"do": "accept"}).status_code == 302
    assert other_api.get(table).json()["role"] == "editor"


def test_token_is_not_stored(api: Api, table: str) -> None:
    invite(api, table)
    work()
    token = LINK.findall(mail.outbox[0].body)[-1].split("/")[-2]
    with connection.cursor() as cursor:
        for model in (Invitation, DBTaskResult):
            cursor.execute(f"SELECT * FROM {model._meta.db_table}")
            rows = cursor.fetchall()
            assert (bool(rows), token in str(rows)) == (True, False)


def test_mail_sent_again_has_another_link(api: Api, other_api: Api, table: str) -> None:
    invitation = invite(api, table).json()["id"]
    work()
    assert api.post(f"{table}invitations/{invitation}/").status_code == 202
    work()
    first, second = (LINK.findall(each.body)[-1] for each in mail.outbox)
    assert [other_api.get(link).status_code for link in (first, second)] == [410, 200]


def test_withdrawn_invitation_is_not_mailed(api: Api, table: str) -> None:
    api.delete(f"{table}invitations/{invite(api, table).json()['id']}/")
    work()
    assert mail.outbox == []


@pytest.mark.parametrize("when", ["before", "afterwards"])
def test_invitation_to_a_confirmed_address_is_listed(
    api: Api, other_api: Api, other_user: User, table: str, when: str
) -> None:
    if when == "before":
        confirm(other_user)
    invite(api, table)
    work()
    if when == "afterwards":
        User.objects.filter(pk=other_user.pk).update(email=ADDRESS)
        assert received(other_api) == []
        confirm(other_user)
    assert received(other_api) == ["Jobs"]
    listed = api.get(f"{table}members/").json()["invitations"]
    assert [each["name"] for each in listed] == [ADDRESS.lower()]


@pytest.mark.parametrize("how", ["changed", "removed"])
def test_invitation_is_not_listed_after_the_address_is_given_up(
    api: Api, other_api: Api, other_user: User, make_user: Any, table: str, how: str
) -> None:
    confirm(other_user)
    key = invite(api, table).json()["id"]
    work()
    if how == "changed":
        confirm(other_user, "new@example.org")
    else:
        other_api.client.post("/profile/address/", {"email": ADDRESS, "action_remove": "1"})
    present = make_user("mary")
    confirm(present)
    assert (received(other_api), received(Api(present))) == ([], ["Jobs"])
    assert other_api.post(f"/api/tables/invitations/{key}/accept/").status_code == 404


def test_invitation_sent_again_is_for_the_present_owner_of_the_address(
    api: Api, other_api: Api, other_user: User, make_user: Any, table: str
) -> None:
    confirm(other_user)
    key = invite(api, table).json()["id"]
    work()
    # The address is no longer confirmed, without a change by the user.
    EmailAddress.objects.filter(user=other_user).delete()
    present = make_user("mary")
    confirm(present)
    assert api.post(f"{table}invitations/{key}/").status_code == 202
    assert received(other_api) == []
    work()
    assert (received(other_api), received(Api(present))) == ([], ["Jobs"])
    assert other_api.post(f"/api/tables/invitations/{key}/accept/").status_code == 404


@pytest.mark.parametrize("how", ["removed", "changed to viewer"])
def test_member_who_lost_rights_cannot_use_an_earlier_invitation(
    api: Api, other_api: Api, other_user: User, table: str, how: str
) -> None:
    confirm(other_user)
    key = invite(api, table).json()["id"]
    work()
    other_api.post(f"/api{invite_by_link(api, table, role='editor')}")
    before = api.get(f"{table}members/").json()["invitations"]
    if how == "removed":
        api.delete(f"{table}members/grace/")
    else:
        api.patch(f"{table}members/grace/", {"role": "viewer"})
    # Confirming the same address again restores nothing.
    confirm(other_user)
    mailed = LINK.findall(mail.outbox[0].body)[-1]
    tried = [other_api.post(f"/api{path}").status_code for path in (mailed, f"/tables/invitations/{key}/accept/")]
    assert (tried, received(other_api)) == ([404, 404], [])
    assert [each["role"] for each in api.get(f"{table}members/").json()["members"]] == ["viewer"][: how != "removed"]
    assert api.get(f"{table}members/").json()["invitations"] == before
    api.post(f"{table}invitations/{key}/")
    work()
    assert other_api.post(f"/api/tables/invitations/{key}/accept/").json()["role"] == "editor"


@pytest.mark.parametrize("name", ["Win at evil.example", "See //evil", "x" * 81, "Jobs\u202e"])
def test_table_name_that_looks_like_a_link_is_not_mailed(api: Api, table: str, name: str) -> None:
    api.patch(table, {"name": name})
    invite(api, table)
    work()
    assert "ada invites you to a table at http://testserver." in mail.outbox[0].body


@pytest.mark.parametrize("name", ["win@evil.example", "evil.example", "x" * 41])
def test_user_name_that_looks_like_a_link_is_not_mailed(make_user: Any, name: str) -> None:
    owner = Api(make_user(name))
    invite(owner, make_table(owner))
    work()
    (sent,) = mail.outbox
    assert sent.subject == "A Table Chat user invites you to a table"
    assert (name in sent.body, "A Table Chat user invites you to the table “Jobs”" in sent.body) == (False, True)


def test_mails_to_one_address_are_limited_without_an_error(
    api: Api, other_api: Api, other_user: User, table: str
) -> None:
    # In both hours around this test, because the hour can change during it.
    for hours in (0, 1):
        for _ in range(MAX_INVITATIONS_TO_ADDRESS):
            assert count_mailed_invitation(address=ADDRESS, now=timezone.now() + timedelta(hours=hours))
    confirm(other_user)
    assert invite(api, table).status_code == 202
    work()
    assert (mail.outbox, received(other_api)) == ([], ["Jobs"])


def test_invitations_of_one_user_are_limited(api: Api, other_api: Api, table: str) -> None:
    # All in one hour that does not end during this test.
    later = timezone.now() + timedelta(hours=2)
    for _ in range(MAX_INVITATIONS):
        count_invitation(api.user, by_mail=False, now=later)
    fields = {"user": api.user, "table_id": int(table.split("/")[3]), "kind": "user", "name": "grace", "role": "viewer"}
    with pytest.raises(TooMany):
        services.invite(**fields, now=later)
    assert invite_user(other_api, make_table(other_api), "ada").status_code == 202
    assert Invitation.objects.count() == 1
