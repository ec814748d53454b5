"""Permissions of each role at every endpoint."""
from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from tests.captured_queries import CapturedQueries
from tests.conftest import Api
from tests.flows.isolation_world import rolled_back
from tests.tables.shared_table import OWNING, READING, WRITING, first, make_table, share

EVERYTHING = {**READING, **WRITING, **OWNING}
# Access is checked by the same query at every endpoint; it runs on PostgreSQL in the tests of the endpoints.
every_door = pytest.mark.sqlite_only


@pytest.fixture
def table(api: Api) -> str:
    """Create an unshared table of `ada` whose last change is an added row."""
    address = make_table(api)
    api.post(f"{address}rows/", {"Company": "Dune"})
    return address


@every_door
def test_other_users_get_a_404(api: Api, other_api: Api, table: str) -> None:
    ids = first(api, table)
    for name, request in EVERYTHING.items():
        given, missing = (request(other_api, url, ids) for url in (table, "/api/tables/987654/"))
        assert (given.status_code, missing.status_code) == (404, 404), name
        if "json" in given["Content-Type"]:
            bodies = [{**answer.json(), "request_id": ""} for answer in (given, missing)]
            assert bodies[0] == bodies[1], name


@every_door
@pytest.mark.parametrize("role", ["viewer", "editor"])
def test_members_can_read(api: Api, other_api: Api, table: str, role: str) -> None:
    share(api, table, other_api, role=role)
    ids = first(api, table)
    assert {name: request(other_api, table, ids).status_code for name, request in READING.items()} == dict.fromkeys(
        READING, 200
    )


@every_door
def test_viewers_cannot_write(api: Api, other_api: Api, table: str) -> None:
    share(api, table, other_api, role="viewer")
    before, ids = api.get(table).json(), first(api, table)
    for name, request in WRITING.items():
        answer = request(other_api, table, ids)
        assert answer.status_code == 403, name
        if "json" in answer["Content-Type"]:
            assert (answer.json()["error"], answer.json()["detail"]) == (
                "forbidden",
                "You can view this table, but not change it.",
            ), name
        assert api.get(table).json() == before | {"role": "owner"}, name


@every_door
def test_editors_can_write(api: Api, other_api: Api, table: str) -> None:
    share(api, table, other_api, role="editor")
    ids = first(api, table)
    for name, request in WRITING.items():
        with rolled_back():
            assert request(other_api, table, ids).status_code in {200, 201, 302}, name


@every_door
@pytest.mark.parametrize("role", ["viewer", "editor"])
def test_only_owners_can_share_and_delete(api: Api, other_api: Api, table: str, role: str) -> None:
    share(api, table, other_api, role=role)
    ids = first(api, table)
    for name, request in OWNING.items():
        answer = request(other_api, table, ids)
        assert (answer.status_code, answer.json()["error"]) == (403, "forbidden"), name


def test_an_editor_cannot_delete_a_table_by_undoing_its_creation(api: Api, other_api: Api) -> None:
    columns = [{"name": "Company", "type": "text"}]
    table = f"/api/tables/{api.post('/api/tables/', {'name': 'New', 'columns': columns}).json()['id']}/"
    share(api, table, other_api, role="editor")
    created = api.get(f"{table}changes/").json()["changes"][-1]["id"]
    assert other_api.post(f"{table}changes/{created}/undo/").status_code == 403
    assert api.post(f"{table}changes/{created}/undo/").status_code == 200


def test_trashed_tables_are_visible_only_to_their_owner(api: Api, other_api: Api, table: str) -> None:
    share(api, table, other_api, role="editor")
    trashed = api.delete(table).json()["change"]
    for answer in (
        other_api.get(table),
        other_api.post(f"{table}restore/"),
        other_api.post(f"{table}changes/{trashed}/undo/"),
    ):
        assert answer.status_code == 404
    assert other_api.get("/api/tables/", trashed="true").json()["tables"] == []
    assert api.post(f"{table}restore/").status_code == 200
    assert other_api.get(table).status_code == 200


def test_shared_tables_are_listed_with_role_and_owner(api: Api, other_api: Api, table: str) -> None:
    make_table(other_api, name="Own")
    share(api, table, other_api, role="viewer")
    listed = other_api.get("/api/tables/", ordering="name").json()
    assert [(each["name"], each["role"], each["owner"]) for each in listed["tables"]] == [
        ("Jobs", "viewer", "ada"),
        ("Own", "owner", "grace"),
    ]
    assert listed["count"] == 2
    assert other_api.get(table).json()["role"] == "viewer"
    assert [each["name"] for each in api.get("/api/tables/").json()["tables"]] == ["Jobs"]


def test_a_table_of_many_members_is_listed_once(api: Api, other_api: Api, table: str, make_user: Any) -> None:
    share(api, table, other_api, role="viewer")
    for name in ("one", "two"):
        share(api, table, Api(make_user(name)), role="viewer")
    assert api.get("/api/tables/").json()["count"] == 1


def test_queries_do_not_grow_with_shared_tables(api: Api, other_api: Api, table: str) -> None:
    share(api, table, other_api, role="viewer")
    with CapturedQueries() as one:
        other_api.get("/api/tables/")
    for number in range(4):
        share(api, make_table(api, name=f"Table {number}"), other_api, role="editor")
    with CapturedQueries() as many:
        assert len(other_api.get("/api/tables/").json()["tables"]) == 5
    assert len(many) == len(one)


def test_changes_have_their_actor(api: Api, other_api: Api, table: str) -> None:
    share(api, table, other_api, role="editor")
    other_api.post(f"{table}rows/", {"Company": "Crux"})
    newest = api.get(f"{table}changes/").json()["changes"][0]
    assert newest["actor"] == "grace"
    assert api.post(f"{table}changes/{newest['id']}/undo/").status_code == 200


def test_inactive_members_have_no_access(api: Api, other_api: Api, other_user: User, table: str) -> None:
    share(api, table, other_api, role="editor")
    User.objects.filter(pk=other_user.pk).update(is_active=False)
    assert other_api.get(table).status_code in {401, 403}
