"""Errors of row endpoints refer to the entries of the request, not to operations."""
from __future__ import annotations

from typing import Any

import pytest

from shared.user_messages import literal
from tables.exceptions import Fault, Invalid
from tables.models import Change
from tables.services.rows.row_proposals import errors_about_rows
from tests.conftest import Api
from tests.tables.shared_table import make_table

Json = dict[str, Any]


@pytest.fixture
def table(api: Api) -> str:
    return make_table(api)


def ids(api: Api, table: str) -> list[int]:
    return [row["id"] for row in api.get(f"{table}rows/").json()["rows"]]


def refused(answer: Any) -> tuple[int, list[tuple[str, str]], str]:
    """Return the status, the paths with codes, and all messages of a refusal."""
    body = answer.json()
    sentences = " ".join([body["detail"], *(fault["detail"] for fault in body["errors"])])
    return answer.status_code, [(fault["path"], fault["code"]) for fault in body["errors"]], sentences


def change_the_same_cell(api: Api, table: str) -> Any:
    entry = {"id": ids(api, table)[0], "data": {"Salary": 1}}
    return api.patch(f"{table}rows/", {"rows": [entry, entry]})


def delete_the_same_row(api: Api, table: str) -> Any:
    return api.post(f"{table}rows/delete/", {"ids": ids(api, table)[:1] * 2})


@pytest.mark.parametrize(
    ("send", "path"), [(change_the_same_cell, "rows[1]"), (delete_the_same_row, "ids[1]")], ids=["change", "delete"]
)
def test_repeated_writes_are_reported_at_their_entry(api: Api, table: str, send: Any, path: str) -> None:
    changes = Change.objects.count()
    status, faults, sentences = refused(send(api, table))
    assert (status, faults) == (422, [(path, "overlap")])
    assert "Entry 0 already changes this row." in sentences
    assert "peration" not in sentences
    assert Change.objects.count() == changes


def test_faults_are_reported_without_operations(api: Api, table: str) -> None:
    many = {"rows": [{"Company": "Crux"}, {"Salary": "much"}]}
    upsert = {"merge_on": ["Company"], **many}
    deleted_row = {"id": 10**9, "data": {"Salary": 1}}
    answers = [
        api.post(f"{table}rows/", many),
        api.client.put(f"{table}rows/", upsert, content_type="application/json"),
        api.patch(f"{table}rows/", {"rows": [deleted_row]}),
        api.post(f"{table}rows/delete/", {"ids": [10**9]}),
    ]
    assert [(answer.status_code, "peration" in refused(answer)[2]) for answer in answers] == [(422, False)] * 4


def test_unexpected_values_are_reported(api: Api, table: str) -> None:
    row = f"{table}rows/{ids(api, table)[0]}/"
    answer = api.patch(row, {"data": {"Salary": 1}, "expected": {"Salary": 11}})
    assert (answer.status_code, "expected" in answer.json()["detail"]) == (409, True)


@pytest.mark.parametrize(
    ("path", "of_row"),
    [
        ("operations", "rows"),
        ("operations[3].row_id", "rows[3].id"),
        ("operations[3].data.Due", "rows[3].data.Due"),
        ("operations[3].changes.Due", "rows[3].data.Due"),
        ("operations[3].changes.operations", "rows[3].data.operations"),
        ("operations[3].changes.a].changes", "rows[3].data.a].changes"),
        ("operations[3].changes.a].row_id", "rows[3].data.a].row_id"),
        ("after_row_id", "after_row_id"),
    ],
)
def test_paths_of_rows_keep_column_names(path: str, of_row: str) -> None:
    with pytest.raises(Invalid) as caught, errors_about_rows():
        raise Invalid("It cannot be.", faults=(Fault(path=path, code="x", message=literal("It cannot be.")),))
    assert [fault.path for fault in caught.value.faults] == [of_row]


@pytest.mark.parametrize(
    ("entry", "path", "word"),
    [
        ({"id": 1, "dta": {}}, "rows[0].dta", "“data”"),
        ({"id": 1, "data": {"Salary": 1}, "expcted": {}}, "rows[0].expcted", "“expected”"),
        ("x", "rows[0]", "object"),
        (None, "rows[0]", "object"),
    ],
    ids=["data", "expected", "a text", "null"],
)
def test_invalid_entries_are_reported_with_the_expected_form(
    api: Api, table: str, entry: Any, path: str, word: str
) -> None:
    status, faults, sentences = refused(api.patch(f"{table}rows/", {"rows": [entry]}))
    assert (status, faults[0][0], word in sentences) == (400, path, True)


@pytest.mark.parametrize("expected", [[], "", 0, False], ids=repr)
def test_expected_values_must_be_an_object(api: Api, table: str, expected: Any) -> None:
    row = ids(api, table)[0]
    one = refused(api.patch(f"{table}rows/{row}/", {"data": {"Salary": 1}, "expected": expected}))
    many = refused(api.patch(f"{table}rows/", {"rows": [{"id": row, "data": {"Salary": 1}, "expected": expected}]}))
    assert (one[:2], many[:2]) == (
        (400, [("expected", "not_an_object")]), (400, [("rows[0].expected", "not_an_object")]),
    )  # fmt: skip
    assert api.get(f"{table}rows/{row}/").json()["data"]["Salary"] == 10
