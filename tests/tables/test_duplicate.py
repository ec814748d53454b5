"""Copies of tables and of rows over REST."""
from __future__ import annotations

from typing import Any

import pytest
from django.db.models import F

from tables.models import Table
from tests.conftest import Api
from tests.tables.shared_table import share

COLUMNS = [
    {"name": "Company", "type": "text", "required": True},
    {"name": "Status", "type": "select", "options": ["Open", "Done"], "default": "Open", "filterDisplay": "tab"},
    {"name": "Salary", "type": "number"},
    {"name": "Remote", "type": "boolean", "default": False},
]
ROWS = [{"Company": "Acme", "Status": "Done", "Salary": 0.1, "Remote": True}, {"Company": "Bolt", "Status": "Open"}]


@pytest.fixture
def table(api: Api) -> str:
    body = {"name": "Jobs", "description": "Mine", "columns": COLUMNS, "rows": ROWS}
    return f"/api/tables/{api.post('/api/tables/', body).json()['id']}/"


def content_of(api: Api, table: str) -> Any:
    """Return the content of a table without ids, its name and times."""
    about = api.get(table).json()
    columns = [{key: value for key, value in column.items() if key != "id"} for column in about["columns"]]
    return about["description"], columns, [row["data"] for row in api.get(f"{table}rows/").json()["rows"]]


def test_a_copy_has_the_same_columns_and_rows(api: Api, table: str) -> None:
    answer = api.post(f"{table}duplicate/")
    copy = answer.json()
    assert (answer.status_code, copy["name"], copy["row_count"]) == (201, "Jobs (copy)", 2)
    assert content_of(api, f"/api/tables/{copy['id']}/") == content_of(api, table)


def test_a_copy_is_independent(api: Api, table: str) -> None:
    before = content_of(api, table)
    copy = f"/api/tables/{api.post(f'{table}duplicate/', {'name': 'Other'}).json()['id']}/"
    column = api.get(copy).json()["columns"][0]["id"]
    assert column not in [each["id"] for each in api.get(table).json()["columns"]]
    api.delete(f"{copy}columns/{column}/")
    api.post(f"{copy}rows/", {"Salary": 1})
    assert content_of(api, table) == before


def test_deleted_rows_are_not_copied_but_empty_required_cells_are(api: Api, table: str) -> None:
    first = api.get(f"{table}rows/").json()["rows"][0]["id"]
    api.delete(f"{table}rows/{first}/")
    api.post(f"{table}columns/", {"name": "Due", "type": "date", "required": True})
    copy = f"/api/tables/{api.post(f'{table}duplicate/').json()['id']}/"
    assert content_of(api, copy)[2] == [{"Company": "Bolt", "Status": "Open", "Remote": False}]


@pytest.mark.sqlite_only
@pytest.mark.parametrize("name", ["", 5, "x" * 256, "a\nb"])
def test_invalid_names_are_refused(api: Api, table: str, name: Any) -> None:
    answer = api.post(f"{table}duplicate/", {"name": name})
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (400, "name")
    assert api.get("/api/tables/").json()["count"] == 1


@pytest.mark.sqlite_only
def test_the_name_of_a_copy_is_truncated(api: Api, table: str) -> None:
    api.patch(table, {"name": "x" * 255})
    copy = api.post(f"{table}duplicate/")
    assert (copy.status_code, len(copy.json()["name"])) == (201, 255)


@pytest.mark.sqlite_only
def test_tables_of_other_users_are_404(other_api: Api, table: str) -> None:
    assert other_api.post(f"{table}duplicate/").status_code == 404


@pytest.mark.sqlite_only
def test_viewers_can_copy_a_table(api: Api, other_api: Api, table: str) -> None:
    share(api, table, other_api, role="viewer")
    copy = other_api.post(f"{table}duplicate/").json()
    assert (copy["owner"], api.get(f"/api/tables/{copy['id']}/").status_code) == ("grace", 404)


@pytest.mark.parametrize(("count", "status"), [(100_000, 201), (100_001, 422)])
def test_tables_of_at_most_100_000_rows_are_copied(api: Api, table: str, count: int, status: int) -> None:
    Table.objects.update(counted_rows=count, counted_version=F("version"))
    assert api.post(f"{table}duplicate/").status_code == status


@pytest.mark.sqlite_only
def test_copying_a_table_without_columns_is_refused(api: Api, table: str) -> None:
    for column in api.get(f"{table}columns/").json()["columns"]:
        api.delete(f"{table}columns/{column['id']}/")

    refused = api.post(f"{table}duplicate/")

    assert (refused.status_code, refused.json()["error"]) == (422, "no_columns")
    assert "without columns" in refused.json()["detail"]
    assert len(api.get("/api/tables/").json()["tables"]) == 1


def test_copies_of_rows_have_their_values_that_no_longer_fit_the_format(api: Api, table: str) -> None:
    first, last = api.get(f"{table}rows/").json()["rows"]
    assert api.patch(f"{table}rows/{first['id']}/", {"data": {"Salary": 7.5}}).status_code == 200
    columns = {each["name"]: each["id"] for each in api.get(table).json()["columns"]}
    assert api.patch(f"{table}columns/{columns['Salary']}/", {"format": "rating"}).status_code == 200

    def added(copied_from: list[int], salary: float) -> int:
        body = {"rows": [{"Company": "Crux", "Salary": salary}], "copied_from": copied_from}
        return int(api.post(f"{table}rows/?typecast=true", body).status_code)

    assert [added([first["id"]], 7.5), added([last["id"]], 7.5), added([first["id"]], 7)] == [201, 422, 422]
    assert api.get(f"{table}rows/").json()["rows"][-1]["data"]["Salary"] == 7.5
