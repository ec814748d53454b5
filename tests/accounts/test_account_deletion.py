"""Deleting one's account: asked for once more, closed at once, and gone with the next clearing up."""
from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from accounts.login_links import login_link
from accounts.login_throttle import NAME_HERE, count_try
from accounts.models import ApiToken, ClosedAccount, Profile
from accounts.tokens import make_token
from chat.models import Conversation, Turn
from tables.models import Change, Member, Row, Table
from tests.conftest import Api
from tests.retention_clock import tidy_after
from tests.stored_proposals import rows_proposal
from tests.tables.shared_table import invite_user, make_table, share

PAGE = "/profile/delete/"
PASSWORD = "correct horse battery"


def leave(api: Api, **said: str) -> Any:
    """The page's form, as a browser without scripts sends it."""
    assert api.user is not None
    return api.client.post(PAGE, {"name": api.user.get_username(), **said})


def id_of(table: str) -> int:
    return int(table.split("/")[3])


@pytest.fixture
def maya(db: None) -> Api:
    """Somebody with a password."""
    return Api(User.objects.create_user("maya", email="maya@example.com", password=PASSWORD))


def test_the_account_is_closed_at_once_at_every_door(maya: Api) -> None:
    assert maya.user is not None
    _, secret = make_token(user=maya.user, name="Script", now=timezone.now())
    link, elsewhere = login_link(maya.user, origin=""), Api(maya.user)
    answer = leave(maya, password=PASSWORD)
    assert (answer.status_code, "Your account is deleted" in answer.content.decode()) == (200, True)
    assert [maya.get("/api/me/").status_code, elsewhere.get("/api/me/").status_code] == [401, 401]
    assert Client().get("/api/me/", headers={"Authorization": f"Bearer {secret}"}).status_code == 401
    assert Client().get(link).status_code == 410
    assert not Client().login(username="maya", password=PASSWORD)


def test_nothing_tells_any_more_who_it_was(maya: Api) -> None:
    maya.patch("/api/me/", {"name": "Maya M."})
    leave(maya, password=PASSWORD)
    kept = User.objects.get()
    assert ("maya" in kept.username, kept.email, kept.is_active, Profile.objects.count()) == (False, "", False, 0)
    User.objects.create_user("maya")


def test_what_was_theirs_alone_is_gone_with_the_next_clearing_up(api: Api, user: User, other_api: Api) -> None:
    table, theirs = make_table(api), make_table(other_api)
    rows_proposal(user, {"action": "add", "data": {"Company": "Crux"}}, table_id=id_of(table))
    api.delete(make_table(api, name="Trashed"))
    leave(api)
    assert api.get(table).status_code == 401
    tidy_after(hours=1)
    assert [person.username for person in User.objects.all()] == ["grace"]
    assert [found.pk for found in Table.objects.all()] == [id_of(theirs)]
    assert (Conversation.objects.count(), ClosedAccount.objects.count()) == (0, 0)


def test_a_conversation_in_which_a_turn_runs_is_left_until_it_has_ended(api: Api, user: User) -> None:
    rows_proposal(user, {"action": "add", "data": {"Company": "Crux"}}, table_id=id_of(make_table(api)))
    Turn.objects.update(state=Turn.State.RUNNING, heartbeat_at=timezone.now() + timedelta(hours=2))
    leave(api)
    tidy_after(hours=1)
    assert Conversation.objects.count() == 1
    Turn.objects.update(state=Turn.State.COMPLETE)
    tidy_after(hours=1)
    assert (Conversation.objects.count(), User.objects.count()) == (0, 0)


def test_a_shared_table_goes_to_the_member_who_is_named(api: Api, other_api: Api) -> None:
    given, gone = make_table(api, name="Given"), make_table(api, name="Gone")
    for table in (given, gone):
        share(api, table, other_api, role="viewer")
    page = api.get(PAGE).content.decode()
    assert ("Transfer to grace" in page, "“Gone”" in page) == (True, True)
    answer = leave(api, **{f"table-{id_of(given)}": "grace", f"table-{id_of(gone)}": ""})
    assert answer.status_code == 200
    assert (other_api.get(given).json()["role"], other_api.get(gone).status_code) == ("owner", 404)
    tidy_after(hours=1)
    listed = other_api.get("/api/tables/").json()["tables"]
    assert [(table["name"], table["role"]) for table in listed] == [("Given", "owner")]
    assert [change["actor"] for change in other_api.get(f"{given}changes/").json()["changes"]] == [None, None]
    assert (Member.objects.count(), Row.objects.filter(updated_by=None).count()) == (0, 2)


@pytest.mark.parametrize("choice", [None, "grace", "mary", "ada", "nobody"])
def test_a_shared_table_goes_to_nobody_who_was_not_offered_it(
    api: Api, other_api: Api, make_user: Any, choice: str | None
) -> None:
    mary = Api(make_user("mary"))
    shared, alone = make_table(api), make_table(api, name="Alone")
    share(api, shared, mary, role="editor")
    if choice == "mary":
        # Offered, but for a table that only its owner has.
        said = {f"table-{id_of(shared)}": "mary", f"table-{id_of(alone)}": "mary"}
    else:
        said = {} if choice is None else {f"table-{id_of(shared)}": choice}
    answer = leave(api, **said)
    assert (answer.status_code, "Check the list again" in answer.content.decode()) == (422, True)
    assert [owner for (owner,) in Table.objects.values_list("owner__username")] == ["ada", "ada"]
    assert (api.get(shared).status_code, ClosedAccount.objects.count()) == (200, 0)


def test_a_table_of_somebody_else_is_not_given_away(api: Api, other_api: Api) -> None:
    theirs = make_table(other_api)
    assert leave(api, **{f"table-{id_of(theirs)}": "grace"}).status_code == 422
    assert leave(api, **{f"table-{10**9}": "grace"}).status_code == 422
    assert other_api.get(theirs).json()["role"] == "owner"


def test_their_invitations_end_and_those_to_them_look_as_before(api: Api, other_api: Api, make_user: Any) -> None:
    mary = Api(make_user("mary"))
    mine, theirs = make_table(api), make_table(other_api)
    sent, got = invite_user(api, mine, "mary").json()["id"], invite_user(other_api, theirs, "ada").json()["id"]
    before = other_api.get(f"{theirs}members/").json()["invitations"]
    leave(api)
    assert mary.post(f"/api/tables/invitations/{sent}/accept/").status_code == 404
    tidy_after(hours=1)
    assert other_api.get(f"{theirs}members/").json()["invitations"] == before
    later = Api(User.objects.create_user("ada"))
    assert later.post(f"/api/tables/invitations/{got}/accept/").status_code == 404


def test_what_was_shared_with_them_is_shared_no_longer_and_stays_as_it_was(api: Api, other_api: Api) -> None:
    table = make_table(other_api)
    share(other_api, table, api, role="editor")
    api.post(f"{table}rows/", {"Company": "Crux"})
    leave(api)
    assert other_api.get(f"{table}members/").json()["members"] == []
    tidy_after(hours=1)
    assert len(other_api.get(f"{table}rows/").json()["rows"]) == 3
    assert Change.objects.filter(actor=None).count() == 1


@pytest.mark.parametrize(("field", "value"), [("name", "Maya"), ("name", ""), ("password", "wrong"), ("password", "")])
def test_who_does_not_say_it_once_more_keeps_the_account(maya: Api, field: str, value: str) -> None:
    answer = leave(maya, **{"password": PASSWORD, field: value})
    text = answer.content.decode()
    assert (answer.status_code, text.count('aria-invalid="true"'), PASSWORD in text) == (422, 1, False)
    assert (maya.get("/api/me/").status_code, ClosedAccount.objects.count()) == (200, 0)


def test_a_password_is_not_guessed_here_either(maya: Api) -> None:
    asks = maya.client.get(PAGE).wsgi_request
    # In one minute, which is not over during this test.
    later = timezone.now() + timedelta(hours=1)
    for _ in range(NAME_HERE):
        count_try(asks, name="maya", now=later)
    assert leave(maya, password=PASSWORD).status_code == 429
    assert User.objects.get().is_active


def test_the_last_administrator_stays(api: Api, user: User, other_user: User) -> None:
    User.objects.filter(pk=user.pk).update(is_superuser=True)
    answer = leave(api)
    assert (answer.status_code, "the only administrator" in answer.content.decode()) == (422, True)
    User.objects.filter(pk=other_user.pk).update(is_superuser=True)
    assert leave(api).status_code == 200


def test_only_a_form_of_ones_own_page_does_it(api: Api, user: User) -> None:
    assert f'href="{PAGE}"' in api.get("/profile/").content.decode()
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(user)
    assert strict.post(PAGE, {"name": "ada"}).status_code == 403
    assert Client().post(PAGE, {"name": "ada"}).headers["Location"].startswith("/sign-in/")
    assert (User.objects.get().is_active, ApiToken.objects.count()) == (True, 0)
