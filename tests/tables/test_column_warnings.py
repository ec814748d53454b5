"""Warnings and notes of column changes, and harmless input that is accepted."""
from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tables.column_types.options import MAX_FOUND_OPTIONS
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


MODIFY = {"action": "modify", "column_id": "Salary", "changes": {"required": True}}
ADD = {"action": "add", "column": {"name": "Due", "type": "date", "required": True}}


@pytest.mark.parametrize(
    ("method", "path", "body", "count"),
    [
        ("PATCH", "columns/Salary/", {"required": True}, 1),
        ("POST", "columns/", ADD["column"], 3),
        ("POST", "proposals/schema/", {"mode": "update", "operations": [MODIFY]}, 1),
        ("POST", "proposals/schema/", {"mode": "update", "operations": [ADD]}, 3),
    ],
    ids=["changed column", "new column", "proposed change", "proposed column"],
)
def test_a_required_column_with_empty_cells_needs_a_decision(
    api: Api, table: str, method: str, path: str, body: Json, count: int
) -> None:
    send = {"PATCH": api.patch, "POST": api.post}[method]
    refused = send(f"{table}{path}", body)
    assert (refused.status_code, refused.json()["error"]) == (422, "invalid")
    assert [(fault["code"], fault["value"]) for fault in refused.json()["errors"]] == [("empty_cells", count)]
    assert send(f"{table}{path}?on_empty_cells=keep", body).status_code in (200, 201)


def test_text_of_only_white_space_is_an_empty_cell_of_a_required_column(api: Api, table: str) -> None:
    column = api.post(f"{table}columns/", {"name": "Title", "type": "text"}).json()["id"]
    rows = api.get(f"{table}rows/").json()["rows"]
    texts = ["Engineer", " \u00a0\t", "\u3000\n"]
    changes = [{"id": row["id"], "data": {"Title": text}} for row, text in zip(rows, texts, strict=True)]
    assert api.patch(f"{table}rows/", {"rows": changes}).status_code == 200
    (operation,) = preview(api, table, {"action": "modify", "column_id": column, "changes": {"required": True}})
    assert notes(operation) == {"empty_cells": 2}
    # A white-space text is lost by the conversion, and counted once.
    as_number = {"type": "number", "required": True}
    (operation,) = preview(api, table, {"action": "modify", "column_id": column, "changes": as_number})
    assert notes(operation) == {"unconvertible": 3, "empty_cells": 3}


def test_a_copy_of_a_required_column_may_have_its_empty_cells(api: Api, table: str) -> None:
    assert api.patch(f"{table}columns/Salary/?on_empty_cells=keep", {"required": True}).status_code == 200
    salary = api.get(f"{table}columns/").json()["columns"][2]["id"]
    (copy,) = preview(api, table, {"action": "add", "column": {"name": "Salary 2"}, "copy_of": salary})
    assert notes(copy) == {"stays_empty": 1}
    assert api.post(f"{table}columns/", {"name": "Salary 2", "copy_of": salary}).status_code == 201


def test_empty_cells_are_counted_without_reading_rows(api: Api, table: str) -> None:
    with CapturedQueries() as captured:
        required, new = preview(
            api,
            table,
            {"action": "modify", "column_id": "Salary", "changes": {"required": True}},
            {"action": "add", "column": {"name": "Due", "type": "date", "required": True}},
        )
    assert (notes(required), notes(new)) == ({"empty_cells": 1}, {"empty_cells": 3})
    about_rows = [query["sql"] for query in captured.captured_queries if "tables_row" in query["sql"]]
    assert [sql for sql in about_rows if "COUNT(" not in sql] == []


def test_cleared_values_of_a_required_column_are_counted(api: Api, table: str) -> None:
    change = {"action": "modify", "column_id": "Company", "changes": {"type": "number"}}
    body = {"mode": "update", "operations": [change]}
    answer = api.post(f"{table}proposals/schema/?dry_run=true&on_unconvertible=clear", body).json()
    assert notes(answer["operations"][0])["stays_empty"] == 3


def test_cleared_values_count_as_empty_cells_of_a_required_column(api: Api, table: str) -> None:
    changes = {"type": "boolean", "required": True}
    (operation,) = preview(api, table, {"action": "modify", "column_id": "Salary", "changes": changes})
    assert notes(operation) == {"unconvertible": 2, "empty_cells": 3}


def test_a_removed_column_is_noted_with_its_value_count(api: Api, table: str) -> None:
    (operation,) = preview(api, table, {"action": "remove", "column_id": "Salary"})
    assert (operation["state"], operation["losses"]["cleared"]) == ("warning", 2)
    assert [(each["from"], each["to"]) for each in operation["losses"]["examples"]] == [(10, None), (30, None)]
    assert "values_lost" in notes(operation)


@pytest.mark.parametrize(
    ("count", "message"),
    [
        (1, "1 cell will lose its value."),
        (2, "2 cells will lose their value."),
        (1_200, "1,200 cells will lose their value."),
    ],
)
def test_notes_have_singular_and_plural(api: Api, count: int, message: str) -> None:
    rows = [{"A": "x"}] * count
    columns = [{"name": name, "type": "text"} for name in "AB"]
    table = api.post("/api/tables/", {"name": "T", "columns": columns, "rows": rows})
    (operation,) = preview(api, f"/api/tables/{table.json()['id']}/", {"action": "remove", "column_id": "A"})
    assert [note["detail"] for note in operation["notes"]] == [message]


def test_previews_count_operations_by_action_state_and_column(api: Api, table: str) -> None:
    everywhere = {"column": "Company", "op": "not_empty"}
    operations = [
        {"action": "update", "where": everywhere, "changes": {"Note": "seen"}},
        {"action": "add", "data": {"Company": "Dyn", "Salary": 5}},
    ]
    preview_body = api.post(f"{table}proposals/data/?dry_run=true", {"operations": operations}).json()
    assert preview_body["cells_by_column"] == {"Note": 3, "Company": 1, "Salary": 1}
    assert {key: preview_body["counts"][key] for key in ("add", "update", "ok")} == {"add": 1, "update": 3, "ok": 4}


def test_sample_rows_are_ignored_for_existing_tables(api: Api, table: str) -> None:
    add = {"action": "add", "column": {"name": "Due", "type": "date"}}
    body = {"mode": "update", "operations": [add], "sample_rows": [{"Nothing": "of the kind"}]}
    assert api.post(f"{table}proposals/schema/", body).status_code == 200
    assert api.get(f"{table}rows/").json()["count"]["value"] == 3


def test_a_condition_without_matches_is_a_warning_of_an_immediate_apply(api: Api, table: str) -> None:
    nowhere = {"column": "Company", "op": "eq", "value": "Nobody"}
    answer = api.post(f"{table}proposals/data/", {"operations": [{"action": "delete", "where": nowhere}]}).json()
    assert (answer["change"], answer["applied"]) == (None, [])
    assert [(each["path"], each["code"]) for each in answer["warnings"]] == [("operations[0].where", "no_match")]


def test_columns_are_found_by_name_in_urls(api: Api, table: str) -> None:
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


@pytest.mark.parametrize("types", [("date", "number"), ("date", "boolean"), ("number", "date"), ("boolean", "date")])
def test_dates_are_not_converted_to_or_from_numbers_and_booleans(api: Api, types: tuple[str, str]) -> None:
    values = {"date": "2024-03-15", "number": 20240315, "boolean": True}
    body = {"name": "T", "columns": [{"name": "A", "type": types[0]}], "rows": [{"A": values[types[0]]}]}
    table = f"/api/tables/{api.post('/api/tables/', body).json()['id']}/"
    answer = api.patch(f"{table}columns/A/", {"type": types[1]})
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (422, "unconvertible")


def test_column_ids_are_never_reused(api: Api, table: str) -> None:
    first = api.post(f"{table}columns/", {"name": "Due", "type": "date"}).json()["id"]
    api.delete(f"{table}columns/{first}/")
    again = api.post(f"{table}columns/", {"name": "Due", "type": "date"}).json()["id"]
    assert first != again
    assert [key for key in (first, again) if not re.fullmatch("col_[a-z2-7]{8}", key)] == []
    assert not Column.objects.filter(pk=first).exists()


def test_row_ids_are_never_reused(api: Api, table: str) -> None:
    last = api.post(f"{table}rows/", {"Company": "Dyn"}).json()["id"]
    Row.objects.filter(pk=last).delete()
    assert api.post(f"{table}rows/", {"Company": "Eon"}).json()["id"] > last


def test_a_filter_is_one_condition_or_a_list(api: Api, table: str) -> None:
    one, other = {"column": "Company", "op": "not_empty"}, {"column": "Salary", "op": "gt", "value": 10}
    filters = [one, [one, other], {"and": [one, other]}, {"and": [{"or": [one, other]}, other]}]
    counts = [api.get(f"{table}rows/", filter=json.dumps(condition)).json()["count"]["value"] for condition in filters]
    assert counts == [3, 1, 1, 1]
