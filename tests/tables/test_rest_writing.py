"""Writing over REST: effects of each endpoint, and errors with a path and without writes."""
from __future__ import annotations

import json
from typing import Any

import pytest

from tables.models import Change, Row, Table
from tests.conftest import Api
from tests.tables.conftest import TWO_COLUMNS as COLUMNS


def rows(api: Api, table: str) -> list[dict[str, Any]]:
    return api.get(f"{table}rows/").json()["rows"]


def test_a_table_is_created_with_columns_and_rows(api: Api) -> None:
    body = {"name": "Jobs", "description": "Mine", "columns": COLUMNS, "rows": [{"Company": "Acme"}]}
    response = api.post("/api/tables/", body)
    answer = response.json()
    assert (response.status_code, answer["name"], answer["row_count"]) == (201, "Jobs", 1)
    assert [column["name"] for column in answer["columns"]] == ["Company", "Salary"]


def test_a_table_is_renamed_trashed_and_restored(api: Api, table: str) -> None:
    assert api.patch(table, {"name": "Applications"}).json()["name"] == "Applications"
    assert api.get(table).json()["description"] == ""
    assert api.delete(table).status_code == 200
    assert api.get(table).status_code == 404
    assert api.post(f"{table}rows/", {"Company": "D"}).status_code == 404
    assert api.post(f"{table}restore/").status_code == 200
    assert len(rows(api, table)) == 2


def test_columns_are_added_changed_and_removed_one_by_one(api: Api, table: str) -> None:
    response = api.post(f"{table}columns/", {"name": "Due", "type": "date", "after_column_id": "Company"})
    column = response.json()
    assert (response.status_code, column["position"]) == (201, 1)
    changed = api.patch(f"{table}columns/{column['id']}/", {"name": "Deadline"})
    assert (changed.status_code, changed.json()["name"]) == (200, "Deadline")
    assert api.delete(f"{table}columns/{column['id']}/").status_code == 200
    assert api.delete(f"{table}columns/{column['id']}/").status_code == 404
    assert [each["name"] for each in api.get(f"{table}columns/").json()["columns"]] == ["Company", "Salary"]


def test_a_type_change_that_would_lose_values_needs_a_decision_in_the_query(api: Api, table: str) -> None:
    column = api.get(f"{table}columns/").json()["columns"][0]["id"]
    refused = api.patch(f"{table}columns/{column}/", {"type": "number"})
    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (422, "unconvertible")
    assert api.patch(f"{table}columns/{column}/?on_unconvertible=clear", {"type": "number"}).status_code == 200


@pytest.mark.parametrize("body", [{"Company": "Crux"}, {"data": {"Company": "Crux"}}], ids=["cells", "data"])
def test_one_row_is_added(api: Api, table: str, body: dict[str, Any]) -> None:
    response = api.post(f"{table}rows/", body)
    assert response.status_code == 201
    assert response.json()["data"] == {"Company": "Crux"}
    assert rows(api, table)[-1]["id"] == response.json()["id"]


def test_many_rows_are_added_all_or_nothing(api: Api, table: str) -> None:
    good = api.post(f"{table}rows/", {"rows": [{"Company": "C"}, {"data": {"Company": "D"}}]})
    assert (good.status_code, len(good.json()["rows"])) == (201, 2)
    bad = api.post(f"{table}rows/", {"rows": [{"Company": "E"}, {"Company": "F", "Salary": "5"}]})
    assert (bad.status_code, bad.json()["errors"][0]["path"]) == (422, "rows[1].Salary")
    assert len(rows(api, table)) == 4


def test_strings_are_read_as_numbers_only_on_request(api: Api, table: str) -> None:
    body = {"Company": "C", "Salary": "1,200"}
    refused = api.post(f"{table}rows/", body)
    assert (refused.status_code, refused.json()["errors"][0]["path"]) == (422, "Salary")
    assert api.post(f"{table}rows/?typecast=true", body).json()["data"]["Salary"] == 1200


def test_a_cell_is_changed_when_it_holds_what_was_expected(api: Api, table: str) -> None:
    row = rows(api, table)[0]["id"]
    changed = api.patch(f"{table}rows/{row}/", {"data": {"Salary": 11}, "expected": {"Salary": 10}})
    assert (changed.status_code, changed.json()["data"]["Salary"]) == (200, 11)
    conflict = api.patch(f"{table}rows/{row}/", {"data": {"Salary": 12}, "expected": {"Salary": 10}})
    fault = conflict.json()["errors"][0]
    assert (conflict.status_code, fault["path"], fault["value"]) == (409, "data.Salary", 11)
    assert rows(api, table)[0]["data"]["Salary"] == 11


def test_a_text_with_line_ends_of_an_earlier_release_is_changed(api: Api, table: str) -> None:
    stored = Row.objects.get(pk=rows(api, table)[0]["id"])
    Row.objects.filter(pk=stored.pk).update(
        data={column: "a\r\nb" if value == "Acme" else value for column, value in stored.data.items()}
    )
    body = {"data": {"Company": "c\r\nd"}, "expected": {"Company": "a\r\nb"}}
    changed = api.patch(f"{table}rows/{stored.pk}/", body)
    assert (changed.status_code, changed.json()["data"]["Company"]) == (200, "c\nd")


def test_an_unexpected_value_conflicts_even_if_it_equals_the_new_one(api: Api, table: str) -> None:
    row = rows(api, table)[0]["id"]
    body = {"data": {"Salary": 11}, "expected": {"Salary": 10}}
    assert api.patch(f"{table}rows/{row}/", body).status_code == 200
    again = api.patch(f"{table}rows/{row}/", body)
    assert (again.status_code, again.json()["errors"][0]["value"]) == (409, 11)


def test_many_rows_are_changed_and_deleted_at_once(api: Api, table: str) -> None:
    first, second = (row["id"] for row in rows(api, table))
    careful = {"id": second, "data": {"Salary": 2}, "expected": {"Salary": None}}
    changed = api.patch(f"{table}rows/", {"rows": [{"id": first, "data": {"Salary": 1}}, careful]})
    assert [row["data"]["Salary"] for row in changed.json()["rows"]] == [1, 2]
    deleted = api.post(f"{table}rows/delete/", {"ids": [first, second]})
    assert (deleted.json()["deleted"], rows(api, table)) == ([first, second], [])


def test_cells_whose_values_do_not_fit_are_skipped_on_request(api: Api, table: str) -> None:
    first, second = [row["id"] for row in rows(api, table)]
    changes = [
        {"id": first, "data": {"Company": "Apex", "Salary": "lots"}, "expected": {"Salary": 10}},
        {"id": second, "data": {"Company": "", "Salary": "$1,200"}},
        {"id": second + 1, "data": {"Salary": "none"}},
    ]
    url = f"{table}rows/?typecast=true&on_invalid=skip"
    body = api.patch(url, {"rows": changes}).json()
    assert [(fault["path"], fault["code"]) for fault in body["skipped"]] == [
        ("rows[0].data.Salary", "not_a_number"), ("rows[1].data.Company", "required"),
        ("rows[2].data.Salary", "not_a_number"),
    ]  # fmt: skip
    assert (body["skipped"][0]["value"], body["skipped_count"]) == ("lots", 3)
    assert [row["data"] for row in rows(api, table)] == [
        {"Company": "Apex", "Salary": 10}, {"Company": "Bolt", "Salary": 1200},
    ]  # fmt: skip
    new = [{"Salary": 5}, {"Company": "Crux", "Salary": "lots"}, {"Company": "Dyno"}]
    added = api.post(url, {"rows": new}).json()
    assert [fault["path"] for fault in added["skipped"]] == ["rows[0].Company", "rows[1].Salary"]
    assert ([row["data"]["Company"] for row in added["rows"]], added["not_added"]) == (["Crux", "Dyno"], [0])
    assert (added["skipped_count"], added["skipped_of_not_added"]) == (2, 1)
    api.post(f"{table}changes/{added['change']}/undo/")
    api.post(f"{table}changes/{body['change']}/undo/")
    assert [row["data"] for row in rows(api, table)] == [
        {"Company": "Acme", "Salary": 10}, {"Company": "Bolt"},
    ]  # fmt: skip
    company = api.get(table).json()["columns"][0]["id"]
    emptied = api.patch(url, {"rows": [{"id": first, "data": {company: None, "Salary": 11}}]}).json()
    assert [fault["path"] for fault in emptied["skipped"]] == [f"rows[0].data.{company}"]


def test_new_columns_come_with_the_cells_of_rows_in_one_change(api: Api, table: str) -> None:
    before, ids = api.get(table).json()["columns"], [row["id"] for row in rows(api, table)]
    changed = [{"City": "Rome", "Note": "x"}, {"City": "Oslo", "Company": "Apex"}, {"Company": "E", "Note": "y"}]
    written = [{"id": row, "data": data} for row, data in zip([*ids, None], changed, strict=True)]
    sent = {"new_columns": ["City", "Note"], "rows": written}
    cells = [*written, {"id": ids[0], "data": {"Salary": "lots"}}]
    taken = api.patch(f"{table}rows/", {"new_columns": ["City", "company", 5], "rows": cells})
    paths = ["new_columns[2]", "new_columns[1]", "rows[3].data.Salary"]
    assert (taken.status_code, [fault["path"] for fault in taken.json()["errors"]]) == (400, paths)
    assert api.patch(f"{table}rows/?on_invalid=skip", sent).status_code == 400
    assert api.get(table).json()["columns"] == before

    change = api.patch(f"{table}rows/", sent).json()["change"]

    assert [column["name"] for column in api.get(table).json()["columns"]] == ["Company", "Salary", "City", "Note"]
    after = [row["data"] for row in rows(api, table)]
    assert after[0] == {"Company": "Acme", "Salary": 10, "City": "Rome", "Note": "x"}
    assert after[1:] == [{"Company": "Apex", "City": "Oslo"}, {"Company": "E", "Note": "y"}]
    summary = api.get(f"{table}changes/{change}/").json()["summary"]
    assert summary == "Added 1 row, changed 2 rows, added columns City, Note"
    undone = api.post(f"{table}changes/{change}/undo/").json()
    assert api.get(table).json()["columns"] == before
    assert [row["data"] for row in rows(api, table)] == [{"Company": "Acme", "Salary": 10}, {"Company": "Bolt"}]
    api.post(f"{table}changes/{undone['change']}/undo/")
    assert [row["data"] for row in rows(api, table)] == after


def test_rows_without_an_id_are_added_in_the_same_change(api: Api, table: str) -> None:
    before = rows(api, table)
    sent = [
        {"id": before[1]["id"], "data": {"Salary": 3}, "expected": {"Salary": None}},
        {"id": None, "data": {"Company": "Crux", "Salary": "lots"}},
        {"id": None, "data": {"Salary": 5}},
        {"id": None, "data": {"Company": "Dyno"}},
    ]
    assert api.patch(f"{table}rows/", {"rows": sent}).status_code == 422
    body = api.patch(f"{table}rows/?typecast=true&on_invalid=skip", {"rows": sent}).json()
    assert [fault["path"] for fault in body["skipped"]] == ["rows[1].data.Salary", "rows[2].data.Company"]
    assert body["not_added"] == [2]
    assert [row["data"] for row in rows(api, table)[1:]] == [
        {"Company": "Bolt", "Salary": 3}, {"Company": "Crux"}, {"Company": "Dyno"},
    ]  # fmt: skip
    assert [row["id"] for row in body["rows"]] == [row["id"] for row in rows(api, table)[1:]]
    api.post(f"{table}changes/{body['change']}/undo/")
    assert [row["data"] for row in rows(api, table)] == [row["data"] for row in before]
    guessed = api.patch(f"{table}rows/", {"rows": [{"id": None, "data": {"Company": "E"}, "expected": {"Salary": 1}}]})
    assert (guessed.status_code, guessed.json()["errors"][0]["path"]) == (400, "rows[0].expected")


def test_errors_beside_skipped_rows_have_the_sent_indexes(api: Api, table: str) -> None:
    first, second = [row["id"] for row in rows(api, table)]
    url = f"{table}rows/?typecast=true&on_invalid=skip"
    bad = {"id": first, "data": {"Salary": "lots"}}
    refused = api.patch(url, {"rows": [bad]})
    assert (refused.status_code, refused.json()["errors"][0]["path"]) == (422, "rows[0].data.Salary")
    blank = api.patch(url, {"rows": [{"id": first, "data": {"Company": ""}}]})
    assert (blank.status_code, blank.json()["error"]) == (422, refused.json()["error"])
    stale = {"id": second, "data": {"Salary": 7}, "expected": {"Salary": 99}}
    conflict = api.patch(url, {"rows": [bad, stale]})
    assert (conflict.status_code, conflict.json()["errors"][0]["path"]) == (409, "rows[1].data.Salary")
    assert [row["data"].get("Salary") for row in rows(api, table)] == [10, None]


def test_a_deleted_row_is_restored_by_undo(api: Api, table: str) -> None:
    before = rows(api, table)
    change = api.delete(f"{table}rows/{before[0]['id']}/").json()["change"]
    assert len(rows(api, table)) == 1
    undone = api.post(f"{table}changes/{change}/undo/")
    assert (undone.status_code, [row["data"] for row in rows(api, table)]) == (200, [row["data"] for row in before])
    assert [row["id"] for row in rows(api, table)] == [row["id"] for row in before]
    assert api.post(f"{table}changes/{change}/undo/").json()["error"] == "already_undone"
    assert api.post(f"{table}changes/{change}/redo/").status_code == 200
    assert len(rows(api, table)) == 1


def test_a_conflicting_undo_lists_cells_and_accepts_a_decision(api: Api, table: str) -> None:
    row = rows(api, table)[0]["id"]
    change = api.patch(f"{table}rows/{row}/", {"data": {"Salary": 1}}).json()["change"]
    api.patch(f"{table}rows/{row}/", {"data": {"Salary": 2}})
    refused = api.post(f"{table}changes/{change}/undo/")
    assert (refused.status_code, len(refused.json()["errors"])) == (409, 1)
    assert api.post(f"{table}changes/{change}/undo/", {"on_conflict": "keep"}).status_code == 400
    assert api.post(f"{table}changes/{change}/undo/", {"on_conflict": "overwrite"}).status_code == 200
    assert rows(api, table)[0]["data"]["Salary"] == 10


PROPOSAL = {"operations": [{"action": "add", "data": {"company": "Crux", "Salary": "30"}}], "reasoning": "why not"}


def test_a_data_proposal_is_previewed_and_applied(api: Api, table: str) -> None:
    preview = api.post(f"{table}proposals/data/?dry_run=true", PROPOSAL)
    assert (preview.status_code, preview.json()["counts"]["warning"]) == (200, 1)
    assert len(rows(api, table)) == 2
    applied = api.post(f"{table}proposals/data/", PROPOSAL).json()
    assert applied["applied"] == [{"index": 0, "action": "add", "row_id": rows(api, table)[-1]["id"]}]
    assert applied["version"] == api.get(table).json()["version"]


def test_schema_proposals_create_and_change_a_table(api: Api) -> None:
    create = {
        "mode": "create",
        "table_name": "Films",
        "table_description": "",
        "operations": [{"action": "add", "column": {"name": "Title", "type": "text"}}],
        "sample_rows": [{"Title": "Alien"}],
    }
    dry = api.post("/api/tables/proposals/schema/?dry_run=true", create)
    assert (dry.status_code, api.get("/api/tables/").json()["count"]) == (200, 0)
    created = api.post("/api/tables/proposals/schema/?include_sample_rows=true", create)
    assert (created.status_code, created.json()["row_count"]) == (201, 1)
    table = f"/api/tables/{created.json()['id']}/"
    update = {"mode": "update", "operations": [{"action": "add", "column": {"name": "Seen", "type": "boolean"}}]}
    changed = api.post(f"{table}proposals/schema/", update)
    assert (changed.status_code, changed.json()["applied"][0]["action"]) == (200, "add")


BAD_BODIES: dict[str, tuple[str, str, Any, int, str]] = {
    "unknown field of a table": ("POST", "/api/tables/", {"nam": "x", "columns": COLUMNS}, 400, "nam"),
    "a table without columns": ("POST", "/api/tables/", {"name": "x", "columns": []}, 400, "columns"),
    "a column of an unknown type": (
        "POST", "/api/tables/", {"name": "x", "columns": [{"name": "A", "type": "txt"}]}, 400, "columns[0].type"),
    "a table whose name is a number": ("POST", "/api/tables/", {"name": 5, "columns": COLUMNS}, 400, "name"),
    "a list for a row": ("POST", "rows/", [1], 400, ""),
    "an unknown column": ("POST", "rows/", {"Compny": "x"}, 422, "Compny"),
    "a required cell left out": ("POST", "rows/", {"Salary": 1}, 422, "Company"),
    "a blank required cell": ("POST", "rows/?typecast=false", {"Company": "  "}, 422, "Company"),
    "a blank required cell of an upsert": (
        "PUT", "rows/", {"merge_on": ["Salary"], "rows": [{"Company": " ", "Salary": 1}]}, 422, "rows[0].Company"),
    "a blank required cell of a proposal": (
        "POST", "proposals/data/", {"operations": [{"action": "add", "data": {"Company": "\t"}}]}, 422,
        "operations[0].data.Company"),
    "no rows": ("POST", "rows/", {"rows": []}, 400, "rows"),
    "more than rows": ("POST", "rows/", {"rows": [{"Company": "x"}], "row": 1}, 400, "row"),
    "a row that is a text": ("POST", "rows/", {"rows": ["x"]}, 400, "rows[0]"),
    "an id that is a text": ("PATCH", "rows/", {"rows": [{"id": "1", "data": {"Salary": 1}}]}, 400, "rows[0].id"),
    "a row without data": ("PATCH", "rows/", {"rows": [{"id": 1}]}, 400, "rows[0].data"),
    "an unknown field of a row": ("PATCH", "rows/", {"rows": [{"id": 1, "cells": {}}]}, 400, "rows[0].cells"),
    "ids that are no list": ("POST", "rows/delete/", {"ids": 1}, 400, "ids"),
    "a row that is not there": ("POST", "rows/delete/", {"ids": [10**9]}, 422, "ids[0]"),
    "a proposal without operations": ("POST", "proposals/data/", {}, 400, "operations"),
    "an unknown field of a proposal": ("POST", "proposals/data/", {"operation": []}, 400, "operation"),
    "the wrong mode": ("POST", "proposals/schema/", {"mode": "create", "operations": []}, 400, "mode"),
    "an unknown parameter": ("POST", "proposals/data/?dryrun=true", PROPOSAL, 400, "dryrun"),
}  # fmt: skip


def test_invalid_bodies_are_refused_with_a_path_and_write_nothing(api: Api, table: str) -> None:
    changes, tables = Change.objects.count(), Table.objects.count()
    for name, (method, path, body, status, where) in BAD_BODIES.items():
        url = path if path.startswith("/") else table + path
        response = api.client.generic(method, url, json.dumps(body), "application/json")
        faulty = [fault["path"] for fault in response.json()["errors"]]
        assert (response.status_code, where in faulty) == (status, True), (name, response.json())
        assert (Change.objects.count(), Table.objects.count()) == (changes, tables), name


def test_an_outdated_version_is_a_412(api: Api, table: str) -> None:
    row = rows(api, table)[0]["id"]
    send = {"content_type": "application/json"}
    good = api.client.patch(f"{table}rows/{row}/", {"data": {"Salary": 1}}, headers={"If-Match": '"1"'}, **send)
    stale = api.client.patch(f"{table}rows/{row}/", {"data": {"Salary": 2}}, headers={"If-Match": '"1"'}, **send)
    assert (good.status_code, stale.status_code, stale.json()["version"]) == (200, 412, 2)
    assert api.client.delete(f"{table}rows/{row}/", headers={"If-Match": '"1"'}).status_code == 412
    assert api.client.delete(table, headers={"If-Match": '"1"'}).status_code == 412
    assert api.client.patch(table, {"name": "x"}, headers={"If-Match": "one"}, **send).status_code == 400


def test_write_responses_have_the_version_for_the_next_write(api: Api, table: str) -> None:
    send = {"content_type": "application/json"}
    added = api.post(f"{table}rows/", {"Company": "Crux"})
    row = f"{table}rows/{added.json()['id']}/"
    changed = api.client.patch(row, {"data": {"Salary": 1}}, headers={"If-Match": added.headers["ETag"]}, **send)
    assert (changed.status_code, changed.headers["ETag"]) == (200, api.get(row).headers["ETag"])
    assert api.client.delete(row, headers={"If-Match": changed.headers["ETag"]}).status_code == 200
    renamed = api.client.patch(table, {"name": "x"}, headers={"If-Match": api.get(table).headers["ETag"]}, **send)
    stale = api.client.patch(table, {"name": "y"}, headers={"If-Match": added.headers["ETag"]}, **send)
    assert (renamed.status_code, stale.status_code, stale.json()["error"]) == (200, 412, "version_moved")
    assert api.client.delete(table, headers={"If-Match": renamed.headers["ETag"]}).status_code == 200


def test_an_unknown_field_gets_a_suggestion(api: Api, table: str) -> None:
    answer = api.patch(table, {"nmae": "x"}).json()
    assert "“name”" in answer["errors"][0]["detail"]


WRITES = [
    ("PATCH", "", {"name": "x"}), ("DELETE", "", None), ("POST", "restore/", None), ("POST", "columns/", COLUMNS[1]),
    ("POST", "rows/", {"Company": "x"}), ("PATCH", "rows/", {"rows": [{"id": 1, "data": {"Salary": 1}}]}),
    ("POST", "rows/delete/", {"ids": [1]}), ("PATCH", "rows/1/", {"data": {"Salary": 1}}), ("DELETE", "rows/1/", None),
    ("POST", "proposals/data/", PROPOSAL), ("POST", "proposals/schema/", {"mode": "update", "operations": []}),
    ("POST", "changes/1/undo/", None), ("POST", "changes/1/redo/", None),
]  # fmt: skip


def test_inaccessible_and_missing_tables_get_the_same_404(other_api: Api, anonymous_api: Api, table: str) -> None:
    for method, path, body in WRITES:
        requests = {"POST": Api.post, "PATCH": Api.patch, "DELETE": lambda api, url, _: api.delete(url)}
        request = requests[method]
        theirs, missing = (request(other_api, each + path, body) for each in (table, "/api/tables/999999/"))
        assert (theirs.status_code, missing.status_code) == (404, 404), (method, path)
        assert {**theirs.json(), "request_id": ""} == {**missing.json(), "request_id": ""}, (method, path)
        assert request(anonymous_api, table + path, body).status_code in {401, 403}, (method, path)


def test_the_version_is_checked_even_without_a_change(api: Api, table: str) -> None:
    version = api.get(table).json()["version"]
    for expected_version, status in ((version, 200), (version + 1, 412)):
        headers = {"If-Match": f'"{expected_version}"'}
        answer = api.client.patch(table, {}, content_type="application/json", headers=headers)
        assert answer.status_code == status
