"""Members, the reading link and ownership transfers."""
from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from tests.conftest import Api
from tests.tables.shared_table import invite_user, make_table, share


@pytest.fixture
def table(api: Api) -> str:
    return make_table(api)


def names(api: Api, table: str) -> list[tuple[str, str]]:
    return [(member["user"], member["role"]) for member in api.get(f"{table}members/").json()["members"]]


def path_of(answer: Any) -> str:
    return answer.json()["url"].removeprefix("http://testserver")


def test_a_removed_role_ends_immediately(api: Api, other_api: Api, table: str) -> None:
    share(api, table, other_api, role="editor")
    assert other_api.post(f"{table}rows/", {"Company": "C"}).status_code == 201
    api.patch(f"{table}members/grace/", {"role": "viewer"})
    assert other_api.post(f"{table}rows/", {"Company": "C"}).status_code == 403
    api.delete(f"{table}members/grace/")
    assert other_api.get(table).status_code == 404


def test_a_member_can_leave(api: Api, other_api: Api, table: str) -> None:
    share(api, table, other_api, role="viewer")
    assert other_api.delete(f"{table}members/grace/").status_code == 204
    assert other_api.get(table).status_code == 404
    assert names(api, table) == []


def test_a_repeated_link_creation_shows_its_secret_once(api: Api, table: str) -> None:
    def send() -> Any:
        key = {"Idempotency-Key": "abc"}
        return api.client.post(f"{table}link/", {}, content_type="application/json", headers=key)

    created, repeated = send(), send()
    assert (created.status_code, repeated.status_code, repeated.json()["error"]) == (201, 409, "already_created")
    assert repeated.json()["id"] == created.json()["id"]
    assert "url" not in repeated.json()


def test_after_a_transfer_the_former_owner_is_an_editor(
    api: Api, other_api: Api, anonymous_api: Api, table: str
) -> None:
    share(api, table, other_api, role="viewer")
    link = path_of(api.post(f"{table}link/"))
    answer = api.post(f"{table}transfer/", {"to": "grace"})
    assert (answer.status_code, answer.json()) == (200, {"owner": "grace", "role": "editor"})
    assert [client.get(table).json()["role"] for client in (api, other_api)] == ["editor", "owner"]
    assert names(other_api, table) == [("ada", "editor")]
    assert anonymous_api.get(link).status_code == 200
    assert api.post(f"{table}transfer/", {"to": "ada"}).status_code == 403
    other_api.post(f"{table}transfer/", {"to": "ada"})
    assert (names(api, table), api.get(table).json()["role"]) == ([("grace", "editor")], "owner")


def test_transfers_to_non_members_and_inactive_users_are_refused(
    api: Api, other_api: Api, other_user: User, table: str
) -> None:
    invite_user(api, table, "grace", role="editor")
    invite_user(api, table, "nobody", role="editor")
    for name in ("grace", "nobody", "ada"):
        answer = api.post(f"{table}transfer/", {"to": name})
        assert (answer.status_code, answer.json()["error"]) == (422, "not_a_member")
    share(api, table, other_api, role="editor")
    User.objects.filter(pk=other_user.pk).update(is_active=False)
    assert api.post(f"{table}transfer/", {"to": "grace"}).status_code == 422
    assert api.get(table).json()["role"] == "owner"


@pytest.mark.parametrize("body", [{}, {"to": ""}, {"to": 7}, {"to": "x" * 151}, {"to": "grace", "role": "owner"}])
def test_the_new_owner_must_be_a_name(api: Api, table: str, body: Any) -> None:
    answer = api.post(f"{table}transfer/", body)
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (400, "role" if "role" in body else "to")
