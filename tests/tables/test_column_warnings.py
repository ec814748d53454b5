"""What a person is told before tables change, and what is passed over because it means no harm."""
from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tables.column_types.select import MAX_FOUND_OPTIONS
from tables.models import Column, Row, Table
from tests.captured_queries import CapturedQueries
from tests.conftest import Api

Json = dict[str, Any]


@pytest.fixture
def table(jobs: Table) -> str:
    return f"/api/tables/{jobs.pk}/"


def preview(api: Api, table: str, *operations: Json) -> list[Json]:
    body = {"mode": "update", "operations": list(operations)}
    answer = api.post(f"{table}proposals/schema/?dry_run=true", body)
    assert answer.status_code == 200, answer.json()
    found: list[Json] = answer.json()["operations"]
    return found


def notes(operation: Json) -> dict[str, Any]:
    return {note["code"]: note.get("value") for note in operation["notes"]}


def test_cells_that_are_empty_already_are_told_and_stand_in_nobodys_way(api: Api, table: str) -> None:
    (operation,) = preview(api, table, {"action": "modify", "column_id": "Salary", "changes": {"required": True}})
    assert (operation["state"], notes(operation)) == ("ok", {"empty_cells": 1})
    assert api.patch(f"{table}columns/Salary/", {"required": True}).status_code == 200


def test_rows_without_a_value_are_counted_and_not_read(api: Api, table: str) -> None:
    with CapturedQueries() as asked:
        required, new = preview(
            api,
            table,
            {"action": "modify", "column_id": "Salary", "changes": {"required": True}},
            {"action": "add", "column": {"name": "Due", "type": "date", "required": True}},
        )
    assert (notes(required), notes(new)) == ({"empty_cells": 1}, {"empty_cells": 3})
    about_rows = [query["sql"] for query in asked.captured_queries if "tables_row" in query["sql"]]
    assert [sql for sql in about_rows if "COUNT(" not in sql] == []


def test_values_that_go_are_among_the_empty_cells_of_a_column_that_must_have_one(api: Api, table: str) -> None:
    changes = {"type": "boolean", "required": True}
    (operation,) = preview(api, table, {"action": "modify", "column_id": "Salary", "changes": changes})
    assert notes(operation) == {"unconvertible": 2, "empty_cells": 3}


def test_a_removed_column_is_told_with_the_values_that_go(api: Api, table: str) -> None:
    (operation,) = preview(api, table, {"action": "remove", "column_id": "Salary"})
    assert (operation["state"], operation["losses"]["cleared"]) == ("warning", 2)
    assert [(each["from"], each["to"]) for each in operation["losses"]["examples"]] == [(10, None), (30, None)]
    assert "values_lost" in notes(operation)


def test_values_that_only_change_their_form_are_told_too(api: Api, table: str) -> None:
    (operation,) = preview(api, table, {"action": "modify", "column_id": "Salary", "changes": {"type": "text"}})
    assert (operation["losses"]["cleared"], operation["losses"]["converted"]) == (0, 2)
    assert "values_converted" in notes(operation)


@pytest.mark.parametrize(
    ("filled", "sentence"),
    [
        (1, "1 cell will lose its value."),
        (2, "2 cells will lose their value."),
        (1_200, "1,200 cells will lose their value."),
    ],
)
def test_one_is_told_in_other_words_than_many(api: Api, filled: int, sentence: str) -> None:
    rows = [{"A": "x"}] * filled
    columns = [{"name": name, "type": "text"} for name in "AB"]
    table = api.post("/api/tables/", {"name": "T", "columns": columns, "rows": rows})
    (operation,) = preview(api, f"/api/tables/{table.json()['id']}/", {"action": "remove", "column_id": "A"})
    assert [note["detail"] for note in operation["notes"]] == [sentence]


def test_operations_are_counted_by_action_state_and_column_before_rows_change(api: Api, table: str) -> None:
    ids = {column["name"]: column["id"] for column in api.get(f"{table}columns/").json()["columns"]}
    everywhere = {"column": "Company", "op": "not_empty"}
    operations = [
        {"action": "update", "where": everywhere, "changes": {"Note": "seen"}},
        {"action": "add", "data": {"Company": "Dyn", "Salary": 5}},
    ]
    told = api.post(f"{table}proposals/data/?dry_run=true", {"operations": operations}).json()
    assert told["cells_by_column"] == {ids["Note"]: 3, ids["Company"]: 1, ids["Salary"]: 1}
    assert {key: told["counts"][key] for key in ("add", "update", "ok")} == {"add": 1, "update": 3, "ok": 4}


def test_sample_rows_are_passed_over_where_a_table_is_open(api: Api, table: str) -> None:
    add = {"action": "add", "column": {"name": "Due", "type": "date"}}
    body = {"mode": "update", "operations": [add], "sample_rows": [{"Nothing": "of the kind"}]}
    assert api.post(f"{table}proposals/schema/", body).status_code == 200
    assert api.get(f"{table}rows/").json()["count"] == 3


def test_a_condition_that_no_row_fulfils_is_told_by_the_door_that_applies_at_once(api: Api, table: str) -> None:
    nowhere = {"column": "Company", "op": "eq", "value": "Nobody"}
    answer = api.post(f"{table}proposals/data/", {"operations": [{"action": "delete", "where": nowhere}]}).json()
    assert (answer["change"], answer["applied"]) == (None, [])
    assert [(each["path"], each["code"]) for each in answer["warnings"]] == [("operations[0].where", "no_match")]


def test_a_column_is_found_by_its_name_in_an_address_too(api: Api, table: str) -> None:
    renamed = api.patch(f"{table}columns/salary/", {"name": "Pay"})
    assert (renamed.status_code, renamed.json()["name"]) == (200, "Pay")
    assert api.delete(f"{table}columns/Pay/").status_code == 200
    assert api.delete(f"{table}columns/Pay/").status_code == 404


@pytest.mark.parametrize(("count", "status"), [(MAX_FOUND_OPTIONS, 200), (MAX_FOUND_OPTIONS + 1, 422)])
def test_at_most_a_hundred_different_values_become_options(api: Api, count: int, status: int) -> None:
    body = {"name": "T", "columns": [{"name": "A", "type": "text"}], "rows": [{"A": f"v{n}"} for n in range(count)]}
    table = f"/api/tables/{api.post('/api/tables/', body).json()['id']}/"
    answer = api.patch(f"{table}columns/A/", {"type": "select"})
    assert answer.status_code == status
    assert status == 200 or [fault["path"] for fault in answer.json()["errors"]] == ["options"]


@pytest.mark.parametrize("kinds", [("date", "number"), ("date", "boolean"), ("number", "date"), ("boolean", "date")])
def test_dates_never_become_numbers_or_truths_nor_these_dates(api: Api, kinds: tuple[str, str]) -> None:
    values = {"date": "2024-03-15", "number": 20240315, "boolean": True}
    body = {"name": "T", "columns": [{"name": "A", "type": kinds[0]}], "rows": [{"A": values[kinds[0]]}]}
    table = f"/api/tables/{api.post('/api/tables/', body).json()['id']}/"
    answer = api.patch(f"{table}columns/A/", {"type": kinds[1]})
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (422, "unconvertible")


def test_ids_of_columns_are_of_their_own_kind_and_never_used_again(api: Api, table: str) -> None:
    first = api.post(f"{table}columns/", {"name": "Due", "type": "date"}).json()["id"]
    api.delete(f"{table}columns/{first}/")
    again = api.post(f"{table}columns/", {"name": "Due", "type": "date"}).json()["id"]
    assert first != again
    assert [key for key in (first, again) if not re.fullmatch("col_[a-z2-7]{8}", key)] == []
    assert not Column.objects.filter(pk=first).exists()


def test_ids_of_rows_are_never_used_again_even_when_they_are_gone_for_good(api: Api, table: str) -> None:
    last = api.post(f"{table}rows/", {"Company": "Dyn"}).json()["id"]
    Row.objects.filter(pk=last).delete()
    assert api.post(f"{table}rows/", {"Company": "Eon"}).json()["id"] > last


def test_a_filter_may_be_one_condition_or_a_list_of_them(api: Api, table: str) -> None:
    one, other = {"column": "Company", "op": "not_empty"}, {"column": "Salary", "op": "gt", "value": 10}
    asked = [one, [one, other], {"and": [one, other]}, {"and": [{"or": [one, other]}, other]}]
    counts = [api.get(f"{table}rows/", filter=json.dumps(each)).json()["count"] for each in asked]
    assert counts == [3, 1, 1, 1]
