"""Members, invitations and the link for reading: given, changed, ended; names and tokens stay secret."""
from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from tables.models import Invitation, ReadingLink
from tests.conftest import Api
from tests.tables.shared import make_table, share


@pytest.fixture
def table(api: Api) -> str:
    return make_table(api)


def names(api: Api, table: str) -> list[tuple[str, str]]:
    return [(each["user"], each["role"]) for each in api.get(f"{table}members/").json()["members"]]


def path_of(answer: Any) -> str:
    return answer.json()["url"].removeprefix("http://testserver")


def invited(api: Api, table: str, *, role: str = "viewer") -> str:
    """The token of a new invitation."""
    return path_of(api.post(f"{table}members/", {"role": role})).split("/")[-2]


def accept(api: Api, token: str) -> Any:
    return api.post(f"/api/tables/invitations/{token}/")


def test_nothing_tells_whether_somebody_has_a_name(api: Api, other_user: User, table: str) -> None:
    answers = [api.post(f"{table}members/", {"user": name, "role": "viewer"}) for name in ("grace", "nobody")]
    assert [(each.status_code, {**each.json(), "user": ""}) for each in answers] == [
        (202, {"user": "", "role": "viewer"})
    ] * 2
    first, second = api.get(f"{table}members/").json()["members"]
    assert {**first, "user": "", "added_at": ""} == {**second, "user": "", "added_at": ""}
    for name in ("grace", "nobody"):
        assert api.patch(f"{table}members/{name}/", {"role": "editor"}).json() == {"user": name, "role": "editor"}
        assert api.delete(f"{table}members/{name}/").status_code == 204
    assert names(api, table) == []


def test_a_name_means_exactly_that_person_and_nobody_who_comes_later(
    api: Api, other_user: User, table: str, make_user: Any
) -> None:
    for name in ("GRACE", "later"):
        api.post(f"{table}members/", {"user": name, "role": "viewer"})
    assert Api(other_user).get(table).status_code == 404
    assert Api(make_user("later")).get(table).status_code == 404


def test_adding_a_member_again_changes_the_role(api: Api, other_api: Api, table: str) -> None:
    share(api, table, other_api, role="viewer")
    share(api, table, other_api, role="editor")
    assert names(api, table) == [("grace", "editor")]


def test_a_role_that_is_taken_away_is_gone_at_once(api: Api, other_api: Api, table: str) -> None:
    share(api, table, other_api, role="editor")
    assert other_api.post(f"{table}rows/", {"Company": "C"}).status_code == 201
    api.patch(f"{table}members/grace/", {"role": "viewer"})
    assert other_api.post(f"{table}rows/", {"Company": "C"}).status_code == 403
    api.delete(f"{table}members/grace/")
    assert other_api.get(table).status_code == 404


def test_a_member_may_leave(api: Api, other_api: Api, table: str) -> None:
    share(api, table, other_api, role="viewer")
    assert other_api.delete(f"{table}members/grace/").status_code == 204
    assert other_api.get(table).status_code == 404
    assert names(api, table) == []


@pytest.mark.parametrize(
    ("body", "status", "path"),
    [
        pytest.param({}, 400, "role", id="no role"),
        pytest.param({"role": "owner"}, 400, "role", id="another role"),
        pytest.param({"role": ["viewer"]}, 400, "role", id="a list"),
        pytest.param({"role": "viewer", "user": ""}, 400, "user", id="no name"),
        pytest.param({"role": "viewer", "user": 7}, 400, "user", id="a number"),
        pytest.param({"role": "viewer", "user": "x" * 151}, 400, "user", id="too long"),
        pytest.param({"role": "viewer", "usr": "x"}, 400, "usr", id="unknown field"),
    ],
)
def test_bad_bodies_are_told_where(api: Api, table: str, body: Any, status: int, path: str) -> None:
    answer = api.post(f"{table}members/", body)
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (status, path)


def test_the_owner_is_no_member(api: Api, table: str) -> None:
    answer = api.post(f"{table}members/", {"user": "ada", "role": "viewer"})
    assert (answer.status_code, answer.json()["error"]) == (422, "owner")
    assert api.delete(f"{table}members/ada/").status_code == 404


def test_an_invitation_makes_one_person_a_member(api: Api, other_api: Api, table: str, make_user: Any) -> None:
    token = invited(api, table, role="editor")
    assert len(api.get(f"{table}members/").json()["invitations"]) == 1
    joined = accept(other_api, token)
    assert (joined.status_code, joined.json()["role"]) == (200, "editor")
    assert other_api.post(f"{table}rows/", {"Company": "C"}).status_code == 201
    late = Api(make_user("late"))
    assert (accept(late, token).status_code, late.get(table).status_code) == (404, 404)
    assert api.get(f"{table}members/").json()["invitations"] == []


def test_an_invitation_takes_no_role_away(api: Api, other_api: Api, table: str) -> None:
    share(api, table, other_api, role="editor")
    assert accept(other_api, invited(api, table, role="viewer")).json()["role"] == "editor"
    assert names(api, table) == [("grace", "editor")]


def test_the_owner_does_not_use_up_an_invitation(api: Api, other_api: Api, table: str) -> None:
    token = invited(api, table)
    assert accept(api, token).status_code == 422
    assert accept(other_api, token).status_code == 200


def test_an_old_a_withdrawn_and_a_made_up_invitation_are_alike(api: Api, other_api: Api, table: str) -> None:
    old, withdrawn = invited(api, table), invited(api, table)
    by_age = api.get(f"{table}members/").json()["invitations"]
    Invitation.objects.filter(pk=by_age[0]["id"]).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert api.delete(f"{table}invitations/{by_age[1]['id']}/").status_code == 204
    answers = [accept(other_api, token) for token in (old, withdrawn, "made-up")]
    assert [each.status_code for each in answers] == [404, 404, 404]
    assert len({each.json()["detail"] for each in answers}) == 1


def test_an_invitation_lasts_seven_days(api: Api, table: str) -> None:
    api.post(f"{table}members/", {"role": "viewer"})
    invitation = Invitation.objects.get()
    assert timedelta(days=6, hours=23) < invitation.expires_at - timezone.now() <= timedelta(days=7)


def test_looking_at_the_invitations_page_uses_nothing_up(api: Api, other_api: Api, table: str) -> None:
    path = path_of(api.post(f"{table}members/", {"role": "viewer"}))
    page = other_api.get(path)
    assert (page.status_code, "ada shares “Jobs” with you" in page.content.decode()) == (200, True)
    assert other_api.get(table).status_code == 404
    done = other_api.client.post(path)
    assert (done.status_code, done["Location"]) == (302, table.removeprefix("/api"))
    assert other_api.get(table).status_code == 200
    assert other_api.get(path).status_code == 410


def test_who_is_not_signed_in_signs_in_first(api: Api, anonymous_api: Api, table: str) -> None:
    path = path_of(api.post(f"{table}members/", {"role": "viewer"}))
    page = anonymous_api.get(path)
    assert (page.status_code, page["Location"]) == (302, f"/sign-in/?next={path}")


def test_tokens_are_kept_as_hashes_only(api: Api, table: str) -> None:
    invitation = invited(api, table)
    link = path_of(api.post(f"{table}link/")).split("/")[-2]
    with connection.cursor() as cursor:
        for model, token in ((Invitation, invitation), (ReadingLink, link)):
            cursor.execute(f"SELECT * FROM {model._meta.db_table}")
            assert token not in str(cursor.fetchall())


def test_creating_a_link_twice_with_one_key_shows_its_secret_once(api: Api, table: str) -> None:
    def send() -> Any:
        key = {"Idempotency-Key": "abc"}
        return api.client.post(f"{table}link/", {}, content_type="application/json", headers=key)

    made, repeated = send(), send()
    assert (made.status_code, repeated.status_code, repeated.json()["error"]) == (201, 409, "already_created")
    assert repeated.json()["id"] == made.json()["id"]
    assert "url" not in repeated.json()


def test_the_owner_gives_the_table_to_a_member_and_edits_it_from_then_on(
    api: Api, other_api: Api, anonymous_api: Api, table: str
) -> None:
    share(api, table, other_api, role="viewer")
    link = path_of(api.post(f"{table}link/"))
    answer = api.post(f"{table}transfer/", {"to": "grace"})
    assert (answer.status_code, answer.json()) == (200, {"owner": "grace", "role": "editor"})
    assert [who.get(table).json()["role"] for who in (api, other_api)] == ["editor", "owner"]
    assert names(other_api, table) == [("ada", "editor")]
    assert anonymous_api.get(link).status_code == 200
    assert api.post(f"{table}transfer/", {"to": "ada"}).status_code == 403
    other_api.post(f"{table}transfer/", {"to": "ada"})
    assert (names(api, table), api.get(table).json()["role"]) == ([("grace", "editor")], "owner")


def test_invitations_of_the_owner_before_are_void_and_not_listed(api: Api, other_api: Api, table: str) -> None:
    token = invited(api, table)
    share(api, table, other_api, role="viewer")
    api.post(f"{table}transfer/", {"to": "grace"})
    assert other_api.get(f"{table}members/").json()["invitations"] == []
    assert accept(api, token).status_code == 404


def test_a_table_is_given_to_nobody_who_is_no_member_or_cannot_sign_in(
    api: Api, other_api: Api, other_user: User, table: str
) -> None:
    api.post(f"{table}members/", {"user": "nobody", "role": "editor"})
    for name in ("grace", "nobody", "ada"):
        answer = api.post(f"{table}transfer/", {"to": name})
        assert (answer.status_code, answer.json()["error"]) == (422, "not_a_member")
    share(api, table, other_api, role="editor")
    User.objects.filter(pk=other_user.pk).update(is_active=False)
    assert api.post(f"{table}transfer/", {"to": "grace"}).status_code == 422
    assert api.get(table).json()["role"] == "owner"


@pytest.mark.parametrize("body", [{}, {"to": ""}, {"to": 7}, {"to": "x" * 151}, {"to": "grace", "role": "owner"}])
def test_to_whom_it_is_given_is_a_name(api: Api, table: str, body: Any) -> None:
    answer = api.post(f"{table}transfer/", body)
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (400, "role" if "role" in body else "to")
