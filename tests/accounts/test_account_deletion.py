"""Account deletion: confirmation, immediate closing, and removal by the next cleanup."""
from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from accounts.models import ApiToken, ClosedAccount, Profile
from accounts.rate_limits import MAX_TRIES_PER_NAME_AND_ADDRESS, count_password_attempt
from accounts.sign_in.login_links import login_link
from accounts.tokens import create_token
from chat.models import Conversation, Turn
from tables.models import Change, Member, Row, Table
from tests.conftest import Api
from tests.retention_clock import tidy_after
from tests.stored_proposals import rows_proposal
from tests.tables.shared_table import invite_user, make_table, share

PAGE = "/profile/delete/"
PASSWORD = "correct horse battery"


def delete_account(api: Api, **fields: str) -> Any:
    """Post the form of the page, as a browser without scripts does."""
    assert api.user is not None
    return api.client.post(PAGE, {"name": api.user.get_username(), **fields})


def id_of(table: str) -> int:
    return int(table.split("/")[3])


@pytest.fixture
def maya(db: None) -> Api:
    """Return the client of a user with a password."""
    return Api(User.objects.create_user("maya", email="maya@example.com", password=PASSWORD))


def test_account_is_closed_at_once_for_every_client(maya: Api) -> None:
    assert maya.user is not None
    _, secret = create_token(user=maya.user, name="Script", now=timezone.now())
    link, other = login_link(maya.user, origin=""), Api(maya.user)
    answer = delete_account(maya, password=PASSWORD)
    assert (answer.status_code, "Your account is deleted" in answer.content.decode()) == (200, True)
    assert [maya.get("/api/me/").status_code, other.get("/api/me/").status_code] == [401, 401]
    assert Client().get("/api/me/", headers={"Authorization": f"Bearer {secret}"}).status_code == 401
    assert Client().get(link).status_code == 410
    assert not Client().login(username="maya", password=PASSWORD)


def test_deleted_user_is_anonymized(maya: Api) -> None:
    maya.patch("/api/me/", {"name": "Maya M."})
    delete_account(maya, password=PASSWORD)
    stored = User.objects.get()
    assert ("maya" in stored.username, stored.email, stored.is_active, Profile.objects.count()) == (False, "", False, 0)
    User.objects.create_user("maya")


def test_own_objects_are_deleted_by_the_next_cleanup(api: Api, user: User, other_api: Api) -> None:
    table, other_table = make_table(api), make_table(other_api)
    rows_proposal(user, {"action": "add", "data": {"Company": "Crux"}}, table_id=id_of(table))
    api.delete(make_table(api, name="Trashed"))
    delete_account(api)
    assert api.get(table).status_code == 401
    tidy_after(hours=1)
    assert [account.username for account in User.objects.all()] == ["grace"]
    assert [found.pk for found in Table.objects.all()] == [id_of(other_table)]
    assert (Conversation.objects.count(), ClosedAccount.objects.count()) == (0, 0)


def test_conversation_with_a_running_turn_is_deleted_after_the_turn(api: Api, user: User) -> None:
    rows_proposal(user, {"action": "add", "data": {"Company": "Crux"}}, table_id=id_of(make_table(api)))
    Turn.objects.update(state=Turn.State.RUNNING, heartbeat_at=timezone.now() + timedelta(hours=2))
    delete_account(api)
    tidy_after(hours=1)
    assert Conversation.objects.count() == 1
    Turn.objects.update(state=Turn.State.COMPLETE)
    tidy_after(hours=1)
    assert (Conversation.objects.count(), User.objects.count()) == (0, 0)


def test_shared_table_is_transferred_to_the_chosen_member(api: Api, other_api: Api) -> None:
    transferred, deleted = make_table(api, name="Given"), make_table(api, name="Gone")
    for table in (transferred, deleted):
        share(api, table, other_api, role="viewer")
    page = api.get(PAGE).content.decode()
    assert ("Transfer to grace" in page, "“Gone”" in page) == (True, True)
    answer = delete_account(api, **{f"table-{id_of(transferred)}": "grace", f"table-{id_of(deleted)}": ""})
    assert answer.status_code == 200
    assert (other_api.get(transferred).json()["role"], other_api.get(deleted).status_code) == ("owner", 404)
    tidy_after(hours=1)
    listed = other_api.get("/api/tables/").json()["tables"]
    assert [(table["name"], table["role"]) for table in listed] == [("Given", "owner")]
    assert [change["actor"] for change in other_api.get(f"{transferred}changes/").json()["changes"]] == [None]
    assert (Member.objects.count(), Row.objects.filter(updated_by=None).count()) == (0, 2)


@pytest.mark.parametrize("choice", [None, "grace", "mary", "ada", "nobody"])
def test_shared_table_is_transferred_only_to_an_offered_user(
    api: Api, other_api: Api, make_user: Any, choice: str | None
) -> None:
    mary = Api(make_user("mary"))
    shared, alone = make_table(api), make_table(api, name="Alone")
    share(api, shared, mary, role="editor")
    if choice == "mary":
        # A valid member, but of a table that is not shared.
        fields = {f"table-{id_of(shared)}": "mary", f"table-{id_of(alone)}": "mary"}
    else:
        fields = {} if choice is None else {f"table-{id_of(shared)}": choice}
    answer = delete_account(api, **fields)
    assert (answer.status_code, "Check the list again" in answer.content.decode()) == (422, True)
    assert [owner for (owner,) in Table.objects.values_list("owner__username")] == ["ada", "ada"]
    assert (api.get(shared).status_code, ClosedAccount.objects.count()) == (200, 0)


def test_table_of_another_user_is_not_transferred(api: Api, other_api: Api) -> None:
    other_table = make_table(other_api)
    assert delete_account(api, **{f"table-{id_of(other_table)}": "grace"}).status_code == 422
    assert delete_account(api, **{f"table-{10**9}": "grace"}).status_code == 422
    assert other_api.get(other_table).json()["role"] == "owner"


def test_sent_and_received_invitations_end(api: Api, other_api: Api, make_user: Any) -> None:
    mary = Api(make_user("mary"))
    own_table, other_table = make_table(api), make_table(other_api)
    sent = invite_user(api, own_table, "mary").json()["id"]
    received = invite_user(other_api, other_table, "ada").json()["id"]
    before = other_api.get(f"{other_table}members/").json()["invitations"]
    delete_account(api)
    assert mary.post(f"/api/tables/invitations/{sent}/accept/").status_code == 404
    tidy_after(hours=1)
    assert other_api.get(f"{other_table}members/").json()["invitations"] == before
    later = Api(User.objects.create_user("ada"))
    assert later.post(f"/api/tables/invitations/{received}/accept/").status_code == 404


def test_shared_table_of_another_user_loses_the_member_and_stays_unchanged(api: Api, other_api: Api) -> None:
    table = make_table(other_api)
    share(other_api, table, api, role="editor")
    api.post(f"{table}rows/", {"Company": "Crux"})
    delete_account(api)
    assert other_api.get(f"{table}members/").json()["members"] == []
    tidy_after(hours=1)
    assert len(other_api.get(f"{table}rows/").json()["rows"]) == 3
    assert Change.objects.filter(actor=None).count() == 1


@pytest.mark.parametrize(("field", "value"), [("name", "Maya"), ("name", ""), ("password", "wrong"), ("password", "")])
def test_deletion_requires_name_and_password(maya: Api, field: str, value: str) -> None:
    answer = delete_account(maya, **{"password": PASSWORD, field: value})
    text = answer.content.decode()
    assert (answer.status_code, text.count('aria-invalid="true"'), PASSWORD in text) == (422, 1, False)
    assert (maya.get("/api/me/").status_code, ClosedAccount.objects.count()) == (200, 0)


def test_password_attempts_are_limited(maya: Api) -> None:
    asks = maya.client.get(PAGE).wsgi_request
    # All in one minute that does not end during this test.
    later = timezone.now() + timedelta(hours=1)
    for _ in range(MAX_TRIES_PER_NAME_AND_ADDRESS):
        count_password_attempt(asks, name="maya", now=later)
    assert delete_account(maya, password=PASSWORD).status_code == 429
    assert User.objects.get().is_active


def test_last_administrator_cannot_be_deleted(api: Api, user: User, other_user: User) -> None:
    User.objects.filter(pk=user.pk).update(is_superuser=True)
    answer = delete_account(api)
    assert (answer.status_code, "the only administrator" in answer.content.decode()) == (422, True)
    User.objects.filter(pk=other_user.pk).update(is_superuser=True)
    assert delete_account(api).status_code == 200


def test_form_requires_a_csrf_token(api: Api, user: User) -> None:
    assert f'href="{PAGE}"' in api.get("/profile/").content.decode()
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(user)
    assert strict.post(PAGE, {"name": "ada"}).status_code == 403
    assert Client().post(PAGE, {"name": "ada"}).headers["Location"].startswith("/sign-in/")
    assert (User.objects.get().is_active, ApiToken.objects.count()) == (True, 0)
