"""Tables with a column whose type is no longer registered."""
from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User

from tables.models import Column, Table
from tables.selectors import table_shape
from tables.services import prepare_data
from tests.conftest import Api
from tests.stored_proposals import apply_url, columns_proposal, rows_proposal
from tests.tables.column_types.email_type import registered_email_type
from tests.tables.snapshots import snapshot

Json = dict[str, Any]
COLUMNS = [
    {"name": "Name", "type": "text"},
    {"name": "Mail", "type": "email", "required": True, "default": "office@x.org"},
    {"name": "Age", "type": "number"},
]
ROWS = [
    {"Name": "Ada", "Mail": "ada@x.org", "Age": 36}, {"Name": "Grace", "Mail": "grace@x.org"},
    {"Name": "Mary", "Mail": "mary@x.org", "Age": 53},
]  # fmt: skip


@pytest.fixture
def people(api: Api) -> Iterator[str]:
    """Create a table while the type is registered and return its URL."""
    with registered_email_type():
        created = api.post("/api/tables/", {"name": "People", "columns": COLUMNS, "rows": ROWS})
    assert created.status_code == 201, created.json()
    return f"/api/tables/{created.json()['id']}/"


def rows(api: Api, people: str, **query: Any) -> list[Json]:
    answer = api.get(f"{people}rows/", **query)
    assert answer.status_code == 200, answer.json()
    return [row["data"] for row in answer.json()["rows"]]


def ids(api: Api, people: str) -> list[int]:
    return [row["id"] for row in api.get(f"{people}rows/").json()["rows"]]


def column(api: Api, people: str, name: str) -> str:
    columns = api.get(f"{people}columns/").json()["columns"]
    return f"{people}columns/{next(column['id'] for column in columns if column['name'] == name)}/"


def test_values_are_read_unchanged(api: Api, people: str) -> None:
    assert rows(api, people) == ROWS
    assert api.get(people).json()["columns"][1]["type"] == "email"
    assert rows(api, people, search="grace@x") == [ROWS[1]]
    assert rows(api, people, sort="-Mail") == ROWS[::-1]
    assert rows(api, people, filter=json.dumps({"column": "Mail", "op": "not_empty"})) == ROWS
    assert api.get(f"{people}stats/").json()["columns"]["Mail"]["empty"] == 0


def test_paging_continues_after_the_values(api: Api, people: str) -> None:
    seen, where = [], f"{people}rows/?sort=-Mail&limit=1"
    while where:
        page = api.get(where).json()
        seen += [row["data"]["Name"] for row in page["rows"]]
        where = page["next"]
    assert seen == ["Mary", "Grace", "Ada"]


@pytest.mark.parametrize("page", ["", "edit/", "history/"])
def test_pages_are_rendered(api: Api, people: str, page: str) -> None:
    answer = api.get(f"{people.removeprefix('/api')}{page}")
    assert answer.status_code == 200
    assert page != "" or "ada@x.org" in answer.content.decode()


WRITTEN: dict[str, Any] = {
    "changed": lambda api, people, row: api.patch(f"{people}rows/{row}/", {"data": {"Mail": "new@x.org"}}),
    "changed with casts": lambda api, people, row: api.patch(
        f"{people}rows/{row}/?typecast=true", {"data": {"Mail": "new@x.org"}}
    ),
    "emptied": lambda api, people, row: api.patch(f"{people}rows/{row}/", {"data": {"Mail": None}}),
    "added": lambda api, people, row: api.post(f"{people}rows/", {"Name": "Eve", "Mail": "eve@x.org"}),
    "proposed": lambda api, people, row: api.post(
        f"{people}proposals/data/", {"operations": [{"action": "update", "row_id": row, "changes": {"Mail": "e@x.o"}}]}
    ),
}


@pytest.mark.parametrize("write", WRITTEN.values(), ids=WRITTEN.keys())
def test_writes_to_the_column_are_refused_with_a_message(api: Api, people: str, write: Any) -> None:
    answer = write(api, people, ids(api, people)[0])
    (fault,) = answer.json()["errors"]
    assert (answer.status_code, fault["code"]) == (422, "type_not_available")
    assert fault["path"].endswith("Mail")
    assert "“email” is not installed" in fault["detail"]
    assert rows(api, people) == ROWS


def test_stored_proposals_for_the_column_conflict(api: Api, user: User, people: str) -> None:
    with registered_email_type():
        operation = {"action": "update", "row_id": ids(api, people)[0], "changes": {"Mail": "new@x.org"}}
        payload = rows_proposal(user, operation, table_id=int(people.split("/")[3]))
    answer = api.post(apply_url(payload), {"operations": "all"})
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (409, "column_changed")


def test_other_cells_are_written_and_undone(api: Api, people: str) -> None:
    first, second, _ = ids(api, people)
    table = int(people.split("/")[3])
    before = snapshot(table)
    done = [
        api.patch(f"{people}rows/{first}/", {"data": {"Age": 37}}).json()["change"],
        api.post(f"{people}rows/delete/", {"ids": [second]}).json()["change"],
        api.post(f"{people}rows/", {"Name": "Eve"}).json()["change"],
    ]
    assert rows(api, people) == [{**ROWS[0], "Age": 37}, ROWS[2], {"Name": "Eve", "Mail": "office@x.org"}]
    for change in reversed(done):
        assert api.post(f"{people}changes/{change}/undo/").status_code == 200
    assert snapshot(table) == before


def test_rows_can_be_added_although_the_column_is_required(api: Api, people: str) -> None:
    Column.objects.filter(name="Mail").update(default=None)
    assert api.post(f"{people}rows/", {"Name": "Eve"}).status_code == 201


def test_the_column_can_be_renamed_moved_removed_and_restored(api: Api, people: str) -> None:
    mail = column(api, people, "Mail")
    assert api.patch(mail, {"name": "Address", "required": False}).status_code == 200
    deletion = api.delete(mail).json()["change"]
    assert rows(api, people)[0] == {"Name": "Ada", "Age": 36}
    assert api.post(f"{people}changes/{deletion}/undo/").status_code == 200
    assert rows(api, people)[0] == {"Name": "Ada", "Address": "ada@x.org", "Age": 36}


@pytest.mark.parametrize("changes", [{"default": "x@x.org"}, {"options": ["a"]}], ids=["default", "options"])
def test_changes_of_its_definition_are_refused(api: Api, people: str, changes: Json) -> None:
    answer = api.patch(column(api, people, "Mail"), changes)
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, next(iter(changes)))


def test_other_columns_cannot_be_converted_to_the_type(api: Api, people: str) -> None:
    for answer in (
        api.patch(column(api, people, "Name"), {"type": "email"}),
        api.post(f"{people}columns/", {"name": "Work", "type": "email"}),
    ):
        assert (answer.status_code, answer.json()["errors"][0]["path"]) == (400, "type")


def test_conversion_to_text_can_be_undone(api: Api, people: str) -> None:
    changed = api.patch(column(api, people, "Mail"), {"type": "text"})
    assert (changed.status_code, changed.json()["type"], rows(api, people)) == (200, "text", ROWS)
    assert api.post(f"{people}changes/{changed.json()['change']}/undo/").status_code == 200
    assert (api.get(people).json()["columns"][1]["type"], rows(api, people)) == ("email", ROWS)


def test_a_copy_of_the_table_has_a_text_column_instead(api: Api, people: str) -> None:
    created = api.post(f"{people}duplicate/")
    assert (created.status_code, created.json()["columns"][1]["type"]) == (201, "text")
    assert rows(api, f"/api/tables/{created.json()['id']}/") == ROWS


def test_proposals_for_other_columns_are_applied(api: Api, user: User, people: str) -> None:
    table_id = int(people.split("/")[3])
    operation = {"action": "add", "column": {"name": "Due", "type": "date"}, "after_column_id": "Mail"}
    payload = columns_proposal(user, operation, table_id=table_id)
    assert api.post(apply_url(payload), {"operations": "all"}).status_code == 200
    everywhere = {"column": "Mail", "op": "not_empty"}
    proposal = {"operations": [{"action": "update", "where": everywhere, "changes": {"Age": 1}}]}
    assert len(prepare_data(user=user, table_id=table_id, proposal=proposal)["operations"]) == 3
    shape = table_shape(Table.objects.get(pk=table_id))
    assert [each.type for each in shape.columns] == ["text", "email", "date", "number"]


def test_the_column_works_again_when_the_type_is_registered(api: Api, people: str) -> None:
    with registered_email_type():
        first = ids(api, people)[0]
        assert api.patch(f"{people}rows/{first}/", {"data": {"Mail": "new@x.org"}}).status_code == 200
