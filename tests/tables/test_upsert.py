"""Upserts over REST: rows with known keys are updated, others added, all or nothing."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.http import HttpResponse

from tables.models import Change
from tests.conftest import Api

COLUMNS = [
    {"name": "Email", "type": "text"},
    {"name": "Year", "type": "number"},
    {"name": "Day", "type": "date"},
    {"name": "Kind", "type": "select", "options": ["A", "B"]},
    {"name": "Paid", "type": "boolean"},
    {"name": "Note", "type": "text"},
    {"name": "Files", "type": "attachment"},
]
ROWS = [
    {"Email": "ada@x.org", "Year": 2024, "Day": "2024-02-29", "Kind": "A", "Paid": True, "Note": "first"},
    {"Email": "bob@x.org", "Year": 0.5, "Day": "2025-01-01", "Kind": "B", "Paid": False},
    {"Note": "empty"},
]


@pytest.fixture
def table(api: Api) -> str:
    body = {"name": "People", "columns": COLUMNS, "rows": ROWS}
    return f"/api/tables/{api.post('/api/tables/', body).json()['id']}/"


def put(api: Api, table: str, body: Any, *, query: str = "") -> HttpResponse:
    return api.client.put(f"{table}rows/{query}", body, content_type="application/json")


def rows(api: Api, table: str) -> list[dict[str, Any]]:
    return [row["data"] for row in api.get(f"{table}rows/").json()["rows"]]


def test_existing_rows_are_updated_and_others_added(api: Api, table: str) -> None:
    sent = [{"Email": "eve@x.org", "Note": "new"}, {"Email": "ada@x.org", "Note": "changed"}]
    answer = put(api, table, {"merge_on": ["email"], "rows": sent})
    assert answer.status_code == 200
    assert [row["data"] for row in answer.json()["created"]] == [{"Email": "eve@x.org", "Note": "new"}]
    assert [row["data"] for row in answer.json()["updated"]] == [{**ROWS[0], "Note": "changed"}]
    assert rows(api, table) == [{**ROWS[0], "Note": "changed"}, *ROWS[1:], {"Email": "eve@x.org", "Note": "new"}]


def test_a_row_is_changed_only_in_the_version_that_the_client_knows(api: Api, table: str) -> None:
    def upsert(**versions: int) -> Any:
        sent = [{"data": {"Email": f"{name}@x.org", "Note": "n"}, "version": known} for name, known in versions.items()]
        answer = put(api, table, {"merge_on": ["Email"], "rows": [{"Email": "eve@x.org"}, *sent]})
        return answer.status_code, [fault["path"] for fault in answer.json().get("errors", ())]

    assert upsert(ada=1, bob=7) == (412, ["rows[2].version"])
    assert upsert(ada=1, zoe=1) == (412, ["rows[2].version"])
    assert upsert(ada=7, zoe=1, bob=7) == (412, ["rows[1].version", "rows[2].version", "rows[3].version"])
    assert rows(api, table) == ROWS
    assert upsert(ada=1, bob=1) == (200, [])
    assert upsert(ada=1, bob=2) == (412, ["rows[1].version"])


@pytest.mark.sqlite_only
def test_a_row_with_data_has_no_other_fields_than_its_version(api: Api, table: str) -> None:
    row = {"data": {"Email": "a"}, "expected": {}, "version": "1"}
    answer = put(api, table, {"merge_on": ["Email"], "rows": [row]})
    paths = [fault["path"] for fault in answer.json()["errors"]]
    assert (answer.status_code, paths) == (400, ["rows[0].expected", "rows[0].version"])


def test_an_upsert_is_one_change_with_one_undo(api: Api, table: str) -> None:
    sent = [{"Email": "eve@x.org"}, {"Email": "ada@x.org", "Note": "changed"}]
    change = put(api, table, {"merge_on": ["Email"], "rows": sent}).json()["change"]
    assert api.post(f"{table}changes/{change}/undo/").status_code == 200
    assert rows(api, table) == ROWS


@pytest.mark.parametrize("column", ["Email", "Year", "Day", "Kind", "Paid"])
@pytest.mark.parametrize("index", [0, 1])
def test_columns_of_all_types_can_be_keys(api: Api, table: str, column: str, index: int) -> None:
    sent = {column: ROWS[index][column], "Note": "found"}
    answer = put(api, table, {"merge_on": [column], "rows": [sent]}).json()
    assert (answer["created"], rows(api, table)[index]) == ([], {**ROWS[index], "Note": "found"})


def test_all_key_columns_must_match(api: Api, table: str) -> None:
    sent = [{"Email": "ada@x.org", "Year": 2024, "Note": "found"}, {"Email": "ada@x.org", "Year": 0.5, "Note": "new"}]
    answer = put(api, table, {"merge_on": ["Email", "Year"], "rows": sent}).json()
    assert (len(answer["updated"]), len(answer["created"])) == (1, 1)


def test_texts_are_compared_exactly(api: Api, table: str) -> None:
    answer = put(api, table, {"merge_on": ["Email"], "rows": [{"Email": "ADA@x.org"}]}).json()
    assert len(answer["created"]) == 1


@pytest.mark.parametrize(("stored", "sent"), [("café", "cafe\u0301"), ("cafe\u0301", "café")], ids=["NFD", "NFC"])
def test_keys_match_across_unicode_normalization_forms(api: Api, table: str, stored: str, sent: str) -> None:
    api.post(f"{table}rows/", {"Email": stored})
    answer = put(api, table, {"merge_on": ["Email"], "rows": [{"Email": sent, "Note": "found"}]}).json()
    assert (answer["created"], len(answer["updated"])) == ([], 1)


@pytest.mark.parametrize("empty", [{}, {"Email": None}, {"Email": ""}], ids=["left out", "null", "empty"])
def test_an_empty_key_never_matches(api: Api, table: str, empty: dict[str, Any]) -> None:
    answer = put(api, table, {"merge_on": ["Email"], "rows": [{**empty, "Note": "x"}, {**empty, "Note": "y"}]}).json()
    assert (len(answer["created"]), answer["updated"]) == (2, [])


def test_more_than_one_match_is_refused(api: Api, table: str) -> None:
    api.post(f"{table}rows/", {"Email": "ada@x.org"})
    before = rows(api, table)
    answer = put(api, table, {"merge_on": ["Email"], "rows": [{"Email": "new"}, {"Email": "ada@x.org"}]})
    fault = answer.json()["errors"][0]
    assert (answer.status_code, fault["path"], fault["code"]) == (422, "rows[1]", "many_matches")
    there = api.get(f"{table}rows/").json()["rows"]
    meant = [str(row["id"]) for row in there if row["data"].get("Email") == "ada@x.org"]
    assert fault["detail"].startswith(f"Rows {', '.join(meant)} have the same “Email”")
    assert rows(api, table) == before


@pytest.mark.sqlite_only
def test_duplicate_keys_in_a_request_are_refused(api: Api, table: str) -> None:
    sent = [{"Email": "new"}, {"Email": "other"}, {"Email": "new"}]
    answer = put(api, table, {"merge_on": ["Email"], "rows": sent})
    fault = answer.json()["errors"][0]
    assert (answer.status_code, fault["path"], fault["code"]) == (422, "rows[2]", "doubled_key")
    assert rows(api, table) == ROWS


@pytest.mark.sqlite_only
def test_keys_are_read_like_other_values(api: Api, table: str) -> None:
    sent = {"merge_on": ["Year"], "rows": [{"Year": "2,024", "Note": "found"}]}
    assert put(api, table, sent).status_code == 422
    assert len(put(api, table, sent, query="?typecast=true").json()["updated"]) == 1


def test_deleted_rows_do_not_match(api: Api, table: str) -> None:
    first = api.get(f"{table}rows/").json()["rows"][0]["id"]
    api.delete(f"{table}rows/{first}/")
    assert len(put(api, table, {"merge_on": ["Email"], "rows": [{"Email": "ada@x.org"}]}).json()["created"]) == 1


def test_unchanged_rows_count_as_updated_and_keep_their_version(api: Api, table: str) -> None:
    answer = put(api, table, {"merge_on": ["Email"], "rows": [ROWS[0], {"Email": "new"}]}).json()
    assert [row["version"] for row in answer["updated"]] == [1]
    assert len(answer["created"]) == 1


@pytest.mark.sqlite_only
def test_wrapped_rows_and_column_ids_work_too(api: Api, table: str) -> None:
    email = api.get(f"{table}columns/").json()["columns"][0]["id"]
    answer = put(api, table, {"merge_on": [email], "rows": [{"data": {email: "ada@x.org"}}]}, query="?keys=id").json()
    assert answer["updated"][0]["data"][email] == "ada@x.org"


BAD: dict[str, tuple[Any, int, str]] = {
    "no merge_on": ({"rows": [{"Email": "x"}]}, 400, "merge_on"),
    "empty merge_on": ({"merge_on": [], "rows": [{"Email": "x"}]}, 400, "merge_on"),
    "merge_on that is a text": ({"merge_on": "Email", "rows": [{"Email": "x"}]}, 400, "merge_on"),
    "a number for a column": ({"merge_on": [5], "rows": [{"Email": "x"}]}, 400, "merge_on[0]"),
    "an unknown column": ({"merge_on": ["Emial"], "rows": [{"Email": "x"}]}, 422, "merge_on[0]"),
    "a column of files": ({"merge_on": ["Files"], "rows": [{"Files": [{"id": "x"}]}]}, 422, "merge_on[0]"),
    "a column twice": ({"merge_on": ["Email", "email"], "rows": [{"Email": "x"}]}, 400, "merge_on[1]"),
    "no rows": ({"merge_on": ["Email"], "rows": []}, 400, "rows"),
    "a row that is a text": ({"merge_on": ["Email"], "rows": ["x"]}, 400, "rows[0]"),
    "an unknown cell": ({"merge_on": ["Email"], "rows": [{"Email": "x", "Nte": "y"}]}, 422, "rows[0].Nte"),
    "a value that does not fit": ({"merge_on": ["Email"], "rows": [{"Email": 5}]}, 422, "rows[0].Email"),
    "an unknown field": ({"merge_on": ["Email"], "rows": [{}], "row": 1}, 400, "row"),
}


@pytest.mark.sqlite_only
@pytest.mark.parametrize(("body", "status", "path"), BAD.values(), ids=BAD.keys())
def test_invalid_bodies_are_refused_with_a_path(api: Api, table: str, body: Any, status: int, path: str) -> None:
    changes = Change.objects.count()
    answer = put(api, table, body)
    assert (answer.status_code, path in [fault["path"] for fault in answer.json()["errors"]]) == (status, True)
    assert Change.objects.count() == changes


@pytest.mark.sqlite_only
def test_tables_of_other_users_are_404(other_api: Api, table: str) -> None:
    assert put(other_api, table, {"merge_on": ["Email"], "rows": [{"Email": "x"}]}).status_code == 404


def test_queries_do_not_grow_with_the_rows(
    api: Api, table: str, django_assert_max_num_queries: Callable[[int], Any]
) -> None:
    sent = [{"Email": f"{number}@x.org", "Note": "n"} for number in range(1_000)]
    put(api, table, {"merge_on": ["Email"], "rows": sent[:500]})
    with django_assert_max_num_queries(40):
        answer = put(api, table, {"merge_on": ["Email"], "rows": [{**row, "Note": "m"} for row in sent]}).json()
    assert (len(answer["updated"]), len(answer["created"])) == (500, 500)
