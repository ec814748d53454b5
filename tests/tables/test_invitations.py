"""Invitations by user name, mail and link; they do not reveal which accounts exist."""
from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from tables.models import Invitation, ReadOnlyLink
from tests.conftest import Api
from tests.tables.shared_table import invite_by_link, invite_user, make_table, share


@pytest.fixture
def table(api: Api) -> str:
    return make_table(api)


def sharing(api: Api, table: str) -> dict[str, Any]:
    return dict(api.get(f"{table}members/").json())


def invitations(api: Api, table: str) -> list[dict[str, Any]]:
    return list(sharing(api, table)["invitations"])


def members(api: Api, table: str) -> list[tuple[str, str]]:
    return [(member["user"], member["role"]) for member in sharing(api, table)["members"]]


def received(api: Api) -> list[dict[str, Any]]:
    """Return the invitations in the user's list."""
    return list(api.get("/api/tables/invitations/").json()["invitations"])


def accept(api: Api, key: Any) -> Any:
    """Accept an invitation by its id or the URL of its link."""
    if isinstance(key, int):
        return api.post(f"/api/tables/invitations/{key}/accept/")
    return api.post(f"/api{key}")


def expire(**filters: Any) -> None:
    Invitation.objects.filter(**filters).update(expires_at=timezone.now() - timedelta(seconds=1))


def test_existing_and_unknown_names_get_the_same_response(api: Api, other_api: Api, table: str) -> None:
    def without(body: dict[str, Any]) -> dict[str, Any]:
        return {**body, "id": 0, "name": "", "created_at": "", "expires_at": ""}

    sent = [invite_user(api, table, name) for name in ("grace", "nobody")]
    assert [each.status_code for each in sent] == [202, 202]
    assert without(sent[0].json()) == without(sent[1].json())
    api.post(f"/api/tables/invitations/{sent[0].json()['id']}/decline/")
    other_api.post(f"/api/tables/invitations/{sent[0].json()['id']}/decline/")
    listed = invitations(api, table)
    assert [(each["name"], each["state"]) for each in listed] == [("grace", "invited"), ("nobody", "invited")]
    assert without(listed[0]) == without(listed[1])
    assert members(api, table) == []
    renewed = [api.post(f"{table}invitations/{each['id']}/") for each in listed]
    assert without(renewed[0].json()) == without(renewed[1].json())
    assert [api.delete(f"{table}invitations/{each['id']}/").status_code for each in listed] == [204, 204]


def test_an_invited_user_has_no_access_until_they_accept(api: Api, other_api: Api, table: str) -> None:
    key = invite_user(api, table, "grace", role="editor").json()["id"]
    assert (other_api.get(table).status_code, other_api.get("/api/tables/").json()["tables"]) == (404, [])
    (invitation,) = received(other_api)
    assert (invitation["table"], invitation["invited_by"], invitation["role"]) == ("Jobs", "ada", "editor")
    joined = accept(other_api, key)
    assert (joined.status_code, joined.json()["role"]) == (200, "editor")
    assert other_api.post(f"{table}rows/", {"Company": "C"}).status_code == 201
    assert (members(api, table), invitations(api, table), received(other_api)) == ([("grace", "editor")], [], [])
    assert accept(other_api, key).status_code == 404


def test_an_invitation_by_name_is_not_valid_for_later_accounts(api: Api, table: str, make_user: Any) -> None:
    for name in ("GRACE", "later"):
        invite_user(api, table, name)
    later = Api(make_user("later"))
    assert (received(later), received(Api(make_user("grace")))) == ([], [])
    assert accept(later, Invitation.objects.get(name="later").pk).status_code == 404
    api.post(f"{table}invitations/{Invitation.objects.get(name='later').pk}/")
    assert len(received(later)) == 1


def test_only_the_invited_user_can_answer(api: Api, other_api: Api, table: str, make_user: Any) -> None:
    key = invite_user(api, table, "grace").json()["id"]
    other = Api(make_user("other"))
    for answer in ("accept", "decline"):
        assert other.post(f"/api/tables/invitations/{key}/{answer}/").status_code == 404
    assert (len(received(other_api)), other.get(table).status_code) == (1, 404)


def test_an_invitation_sent_again_after_a_decline_is_listed_after_a_week(
    api: Api, other_api: Api, table: str
) -> None:
    key = invite_user(api, table, "grace").json()["id"]
    assert other_api.post(f"/api/tables/invitations/{key}/decline/").status_code == 204
    for days, listed in ((6, 0), (8, 1)):
        Invitation.objects.update(declined_at=timezone.now() - timedelta(days=days))
        assert received(other_api) == []
        assert api.post(f"{table}invitations/{key}/").status_code == 202
        assert len(received(other_api)) == listed


def test_inviting_again_replaces_the_invitation(api: Api, other_api: Api, table: str) -> None:
    first, second = (invite_user(api, table, "grace", role=role).json() for role in ("viewer", "editor"))
    assert first["id"] == second["id"]
    assert [each["role"] for each in invitations(api, table)] == ["editor"]
    accept(other_api, first["id"])
    answer = invite_user(api, table, "grace")
    assert (answer.status_code, answer.json()["error"]) == (422, "member")
    api.delete(f"{table}members/grace/")
    assert invite_user(api, table, "grace").json()["state"] == "invited"


def test_the_owner_is_not_invited(api: Api, table: str) -> None:
    answer = invite_user(api, table, "ada")
    assert (answer.status_code, answer.json()["error"]) == (422, "owner")


@pytest.mark.parametrize(
    ("body", "path"),
    [
        pytest.param({"role": "viewer"}, "kind", id="no kind"),
        pytest.param({"kind": None, "role": "viewer"}, "kind", id="null as kind"),
        pytest.param({"name": "grace", "role": "viewer"}, "kind", id="a name without a kind"),
        pytest.param({"kind": "link"}, "role", id="no role"),
        pytest.param({"kind": "phone", "role": "viewer"}, "kind", id="another kind"),
        pytest.param({"kind": "link", "role": "owner"}, "role", id="another role"),
        pytest.param({"kind": "link", "role": ["viewer"]}, "role", id="a list"),
        pytest.param({"kind": "link", "role": "viewer", "name": "x"}, "name", id="a link with a name"),
        pytest.param({"kind": "user", "role": "viewer"}, "name", id="no name"),
        pytest.param({"kind": "user", "role": "viewer", "name": ""}, "name", id="an empty name"),
        pytest.param({"kind": "user", "role": "viewer", "name": 7}, "name", id="a number"),
        pytest.param({"kind": "user", "role": "viewer", "name": "x" * 151}, "name", id="too long"),
        pytest.param({"kind": "email", "role": "viewer", "name": 7}, "name", id="no address"),
        pytest.param({"kind": "link", "role": "viewer", "expires_in_days": 0}, "expires_in_days", id="no time"),
        pytest.param({"kind": "link", "role": "viewer", "expires_in_days": 91}, "expires_in_days", id="too much time"),
        pytest.param({"kind": "link", "role": "viewer", "expires_in_days": True}, "expires_in_days", id="a boolean"),
        pytest.param({"kind": "link", "role": "viewer", "usr": "x"}, "usr", id="an unknown field"),
    ],
)
def test_bad_bodies_are_refused_with_the_path(api: Api, table: str, body: Any, path: str) -> None:
    answer = api.post(f"{table}members/", body)
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (400, path)
    assert Invitation.objects.count() == 0


def test_all_faults_of_a_body_are_listed(api: Api, table: str) -> None:
    answer = api.post(f"{table}members/", {"kind": "phone", "usr": "x", "expires_in_days": 0})
    assert {fault["path"] for fault in answer.json()["errors"]} == {"kind", "usr", "expires_in_days", "role"}
    answer = api.post(f"{table}members/", {"kind": "user"})
    assert {fault["path"]: fault["code"] for fault in answer.json()["errors"]} == {"role": "missing", "name": "missing"}


def test_an_installation_without_mail_refuses_addresses(api: Api, table: str) -> None:
    answer = api.post(f"{table}members/", {"kind": "email", "name": "grace@example.org", "role": "viewer"})
    assert (answer.status_code, answer.json()["error"]) == (422, "no_mail")
    assert sharing(api, table)["kinds"] == ["user", "link"]


@pytest.mark.parametrize(("options", "days"), [({}, 7), ({"expires_in_days": 1}, 1)])
def test_an_invitation_expires(api: Api, other_api: Api, table: str, options: dict[str, int], days: int) -> None:
    before = timezone.now()
    api.post(f"{table}members/", {"kind": "user", "name": "grace", "role": "viewer", **options})
    invitation = Invitation.objects.get()
    assert before <= invitation.expires_at - timedelta(days=days) <= timezone.now()
    expire()
    assert [each["state"] for each in invitations(api, table)] == ["expired"]
    assert (received(other_api), accept(other_api, invitation.pk).status_code) == ([], 404)
    assert api.post(f"{table}invitations/{invitation.pk}/", options).json()["state"] == "invited"
    assert accept(other_api, invitation.pk).status_code == 200


def test_a_link_admits_one_member(api: Api, other_api: Api, table: str, make_user: Any) -> None:
    link = invite_by_link(api, table, role="editor")
    assert accept(other_api, link).json()["role"] == "editor"
    late = Api(make_user("late"))
    assert (accept(late, link).status_code, late.get(table).status_code) == (404, 404)
    assert (invitations(api, table), members(api, table)) == ([], [("grace", "editor")])


def test_renewing_a_link_replaces_it(api: Api, other_api: Api, table: str) -> None:
    old = invite_by_link(api, table)
    expire()
    new = api.post(f"{table}invitations/{Invitation.objects.get().pk}/").json()["url"].removeprefix("http://testserver")
    assert (accept(other_api, old).status_code, accept(other_api, new).status_code) == (404, 200)


def test_a_link_does_not_lower_a_role(api: Api, other_api: Api, table: str) -> None:
    share(api, table, other_api, role="editor")
    assert accept(other_api, invite_by_link(api, table, role="viewer")).json()["role"] == "editor"
    assert members(api, table) == [("grace", "editor")]


def test_accepting_a_link_removes_the_invitation_by_name(api: Api, other_api: Api, table: str) -> None:
    invite_user(api, table, "grace")
    accept(other_api, invite_by_link(api, table))
    assert (invitations(api, table), members(api, table)) == ([], [("grace", "viewer")])


def test_the_owner_does_not_use_up_a_link(api: Api, other_api: Api, table: str) -> None:
    link = invite_by_link(api, table)
    assert accept(api, link).status_code == 422
    assert accept(other_api, link).status_code == 200


def test_expired_withdrawn_and_unknown_links_get_the_same_response(api: Api, other_api: Api, table: str) -> None:
    old, withdrawn = invite_by_link(api, table), invite_by_link(api, table)
    first, second = invitations(api, table)
    expire(pk=first["id"])
    assert api.delete(f"{table}invitations/{second['id']}/").status_code == 204
    answers = [accept(other_api, link) for link in (old, withdrawn, "/tables/invitations/made-up/")]
    assert [response.status_code for response in answers] == [404, 404, 404]
    assert len({response.json()["detail"] for response in answers}) == 1


@pytest.mark.parametrize("state", ["in the trash", "of an owner who is deactivated"])
def test_invitations_of_inaccessible_tables_are_not_listed(
    api: Api, other_api: Api, user: User, table: str, state: str
) -> None:
    key, link = invite_user(api, table, "grace").json()["id"], invite_by_link(api, table)
    if state == "in the trash":
        api.delete(table)
    else:
        User.objects.filter(pk=user.pk).update(is_active=False)
    assert (received(other_api), accept(other_api, key).status_code) == ([], 404)
    assert (accept(other_api, link).status_code, other_api.get(link).status_code) == (404, 410)


def test_the_page_of_a_link_accepts_only_by_a_form(api: Api, other_api: Api, table: str) -> None:
    link = invite_by_link(api, table)
    page = other_api.get(link)
    assert (page.status_code, "ada invites you to “Jobs” as a viewer" in page.content.decode()) == (200, True)
    assert other_api.client.post(link).status_code == 404
    assert other_api.get(table).status_code == 404
    done = other_api.client.post(link, {"do": "accept"})
    assert (done.status_code, done["Location"]) == (302, table.removeprefix("/api"))
    assert other_api.get(table).status_code == 200
    assert other_api.get(link).status_code == 410


def test_a_link_redirects_through_sign_in_and_sign_up(api: Api, anonymous_api: Api, table: str) -> None:
    link = invite_by_link(api, table)
    to_sign_in = anonymous_api.get(link)
    assert (to_sign_in.status_code, to_sign_in["Location"]) == (302, "/sign-in/")
    assert link not in anonymous_api.get("/sign-in/").content.decode()
    password = "correct horse battery"
    options = {"username": "newcomer", "password1": password, "password2": password}
    signed_up = anonymous_api.client.post("/sign-up/", options)
    assert (signed_up.status_code, signed_up["Location"]) == (302, link)


def test_the_list_of_tables_shows_invitations_and_answers_them(api: Api, other_api: Api, table: str) -> None:
    second = make_table(api, name="Leads")
    for address in (table, second):
        invite_user(api, address, "grace", role="editor")
    page = other_api.get("/tables/").content.decode()
    assert "ada invites you to “Jobs” as an editor" in page
    key, other = (Invitation.objects.get(table__name=name).pk for name in ("Jobs", "Leads"))
    opened = other_api.client.post("/tables/", {"do": "accept", "invitation": key})
    assert (opened.status_code, opened["Location"]) == (302, table.removeprefix("/api"))
    other_api.client.post("/tables/", {"do": "decline", "invitation": other})
    page = other_api.get("/tables/").content.decode()
    assert ("invites you" in page, "You declined the invitation to “Leads”." in page) == (False, True)
    other_api.client.post("/tables/", {"do": "accept", "invitation": 10**9})
    assert "no longer valid" in other_api.get("/tables/").content.decode()
    for wrong in ({"do": "trash", "invitation": key}, {"do": "accept", "invitation": "x"}):
        assert other_api.client.post("/tables/", wrong).status_code in {302, 404}
    assert (api.get(table).status_code, other_api.get(second).status_code) == (200, 404)


def test_tokens_are_stored_as_hashes(api: Api, table: str) -> None:
    invitation = invite_by_link(api, table).split("/")[-2]
    link = api.post(f"{table}link/").json()["url"].split("/")[-2]
    with connection.cursor() as cursor:
        for model, token in ((Invitation, invitation), (ReadOnlyLink, link)):
            cursor.execute(f"SELECT * FROM {model._meta.db_table}")
            assert token not in str(cursor.fetchall())


def test_invitations_of_the_previous_owner_are_void(api: Api, other_api: Api, table: str, make_user: Any) -> None:
    link, key = invite_by_link(api, table), invite_user(api, table, "mary").json()["id"]
    share(api, table, other_api, role="viewer")
    mary = Api(make_user("mary"))
    api.post(f"{table}transfer/", {"to": "grace"})
    assert invitations(other_api, table) == []
    assert (accept(mary, link).status_code, accept(mary, key).status_code) == (404, 404)
