"""Plans of dry runs over REST: an apply does what the dry run showed, or is refused with what has changed."""
from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from tests.conftest import Api

Json = dict[str, Any]
COLUMNS = [{"name": "Company", "type": "text"}, {"name": "Status", "type": "select", "options": ["Open", "Done"]}]
ROWS = [{"Company": name, "Status": "Open"} for name in ("Acme", "Bolt", "Crux")]
OPEN = {"column": "Status", "op": "any_of", "value": ["Open"]}
DELETE_OPEN = {"operations": [{"action": "delete", "where": OPEN}]}
ADD = {"operations": [{"action": "add", "data": {"Company": "Dune"}}]}
TO_NUMBER = {
    "mode": "update",
    "operations": [
        {"action": "modify", "column_id": "Company", "changes": {"type": "number"}},
        {"action": "add", "column": {"name": "Due", "type": "date"}},
    ],
}
NEW_TABLE = {
    "mode": "create", "table_name": "Tasks", "table_description": "",
    "operations": [{"action": "add", "column": {"name": name, "type": "text"}} for name in ("Zeta", "Alpha", "Mid")],
    "sample_rows": [{"Zeta": "a", "Alpha": "b", "Mid": "c"}],
}  # fmt: skip


@pytest.fixture
def table(api: Api) -> str:
    """Create a table with three open rows and return its URL."""
    body = {"name": "Jobs", "columns": COLUMNS, "rows": ROWS}
    return f"/api/tables/{api.post('/api/tables/', body).json()['id']}/"


def ids(api: Api, table: str) -> list[int]:
    return [row["id"] for row in api.get(f"{table}rows/").json()["rows"]]


def plan_of(api: Api, url: str, body: Json, *, query: str = "") -> str:
    answer = api.post(f"{url}?dry_run=true{query}", body)
    assert answer.status_code == 200, answer.content
    return answer.json()["plan"]


def matching_row(api: Api, table: str) -> int:
    return api.post(f"{table}rows/", {"Company": "Echo", "Status": "Open"}).json()["id"]


def changed_row(api: Api, table: str) -> int:
    row = ids(api, table)[1]
    api.patch(f"{table}rows/{row}/", {"data": {"Company": "Ace"}})
    return row


def row_that_matches_no_more(api: Api, table: str) -> int:
    """Change such a row, and one that has never matched."""
    done = api.post(f"{table}rows/", {"Company": "Echo", "Status": "Done"}).json()["id"]
    api.patch(f"{table}rows/{done}/", {"data": {"Company": "Eden"}})
    row = ids(api, table)[1]
    api.patch(f"{table}rows/{row}/", {"data": {"Status": "Done"}})
    return row


CHANGES = {
    "another row matches": (matching_row, "operations[0]"),
    "a row has changed": (changed_row, "operations[0]"),
    "a row no longer matches": (row_that_matches_no_more, "operations"),
}


@pytest.mark.parametrize(("change", "path"), CHANGES.values(), ids=CHANGES.keys())
@pytest.mark.parametrize("key", [{}, {"Idempotency-Key": "k"}], ids=["", "with key"])
def test_an_apply_that_would_do_anything_else_is_refused(
    api: Api, table: str, change: Any, path: str, key: Json
) -> None:
    url = f"{table}proposals/data/"
    plan = plan_of(api, url, DELETE_OPEN)
    row = change(api, table)
    before = ids(api, table)
    answer = api.client.post(f"{url}?plan={plan}", DELETE_OPEN, content_type="application/json", headers=key)
    body = answer.json()
    assert (answer.status_code, body["error"]) == (409, "plan_changed")
    assert [(fault["path"], fault["value"]) for fault in body["errors"]] == [(path, row)]
    assert body["changes"][0]["version"] == body["version"]
    assert ids(api, table) == before
    assert api.post(f"{url}?plan={plan_of(api, url, DELETE_OPEN)}", DELETE_OPEN).status_code == 200


def test_an_apply_is_not_affected_by_changes_of_other_rows_and_columns(api: Api, table: str) -> None:
    done = api.post(f"{table}rows/", {"Company": "Echo", "Status": "Done"}).json()["id"]
    url = f"{table}proposals/data/"
    plan = plan_of(api, url, DELETE_OPEN)
    api.patch(f"{table}rows/{done}/", {"data": {"Company": "Eden"}})
    api.post(f"{table}columns/", {"name": "Due", "type": "date"})
    assert api.post(f"{url}?plan={plan}", DELETE_OPEN).status_code == 200
    assert ids(api, table) == [done]


def test_a_new_default_changes_the_plan_of_new_rows(api: Api, table: str) -> None:
    url = f"{table}proposals/data/"
    plan = plan_of(api, url, ADD)
    api.patch(f"{table}columns/Status/", {"default": "Open"})
    refused = api.post(f"{url}?plan={plan}", ADD).json()
    assert (refused["error"], len(refused["changes"])) == ("plan_changed", 1)


@pytest.mark.parametrize(
    ("path", "body", "where"),
    [
        ("proposals/data/", ADD, "operations[0].data.Company"),
        ("proposals/schema/", TO_NUMBER, "operations[0].column_id"),
    ],
)
def test_operations_that_can_no_longer_be_read_are_a_change_of_the_plan(
    api: Api, table: str, path: str, body: Json, where: str
) -> None:
    plan = plan_of(api, table + path, body)
    api.delete(f"{table}columns/Company/")
    answer = api.post(f"{table}{path}?plan={plan}", body)
    assert (answer.status_code, answer.json()["error"]) == (409, "plan_changed")
    assert answer.json()["errors"][0]["path"] == where


def test_faults_of_another_body_are_reported_before_changes_of_the_table(api: Api, table: str) -> None:
    url = f"{table}proposals/data/"
    plan = plan_of(api, url, ADD)
    changed_row(api, table)
    for operation, status in (({"action": "add", "dta": {}}, 400), ({"action": "add", "data": {"Cmpany": "x"}}, 422)):
        answer = api.post(f"{url}?plan={plan}", {"operations": [operation]})
        assert (answer.status_code, "changes" in answer.json()) == (status, False)


def test_operations_of_a_condition_have_the_index_in_the_request(api: Api, table: str) -> None:
    url, body = f"{table}proposals/data/", {"operations": [*DELETE_OPEN["operations"], *ADD["operations"]]}
    preview, applied = (api.post(url + query, body).json() for query in ("?dry_run=true", ""))
    for operations in (preview["operations"], applied["applied"]):
        assert [each.get("written", each["index"]) for each in operations] == [0, 0, 0, 1]


def test_other_operations_than_those_of_the_dry_run_are_refused(api: Api, table: str) -> None:
    url = f"{table}proposals/data/"
    answer = api.post(f"{url}?plan={plan_of(api, url, ADD)}", DELETE_OPEN)
    assert (answer.status_code, answer.json()["error"], len(ids(api, table))) == (409, "plan_changed", 3)


TYPED = {"operations": [{"action": "add", "data": {"Company": 5}}]}
SHORTER = {
    "mode": "update",
    "operations": [{"action": "modify", "column_id": "Status", "changes": {"options": ["Done", "Later"]}}],
}
TO_DONE, TO_LATER = ("on_removed_option=" + quote(f'{{"Open": "{option}"}}') for option in ("Done", "Later"))
STALE = {"operations": [{"action": "update", "row_id": 0, "changes": {"Status": "Done"}, "expected": {"Company": "x"}}]}
DECISIONS = {
    "on_conflict: other": ("data", STALE, "on_conflict=skip", "on_conflict=overwrite"),
    "on_conflict: first skipped": ("data", STALE, "on_conflict=overwrite", "on_conflict=skip"),
    "on_conflict: only now": ("data", STALE, "", "on_conflict=overwrite"),
    "on_conflict: only then": ("data", STALE, "on_conflict=overwrite", ""),
    "typecast": ("data", TYPED, "typecast=false", "typecast=true"),
    "on_removed_option: cleared": ("schema", SHORTER, TO_DONE, "on_removed_option=clear"),
    "on_removed_option: other": ("schema", SHORTER, TO_DONE, TO_LATER),
    "on_removed_option: only now": ("schema", SHORTER, "", TO_DONE),
}


@pytest.mark.parametrize(("path", "body", "then", "now"), DECISIONS.values(), ids=DECISIONS.keys())
def test_decisions_that_change_the_effect_are_part_of_the_plan(
    api: Api, table: str, path: str, body: Json, then: str, now: str
) -> None:
    url, before = f"{table}proposals/{path}/", api.get(f"{table}rows/").json()["rows"]
    if body is STALE:
        body = {"operations": [{**STALE["operations"][0], "row_id": before[0]["id"]}, *ADD["operations"]]}
    plan = plan_of(api, url, body, query=f"&{then}")
    refused = api.post(f"{url}?plan={plan}&{now}", body)
    assert (refused.status_code, refused.json()["error"]) == (409, "plan_changed")
    assert api.get(f"{table}rows/").json()["rows"] == before
    if "on_" in then:
        assert api.post(f"{url}?plan={plan}&{then}", body).status_code == 200


def test_a_decision_that_confirms_the_dry_run_does_not_change_the_plan(api: Api, table: str) -> None:
    url = f"{table}proposals/schema/"
    plan = plan_of(api, url, SHORTER)
    assert api.post(f"{url}?plan={plan}", SHORTER).json()["errors"][0]["code"] == "option_in_use"
    assert api.post(f"{url}?plan={plan}&on_removed_option=clear", SHORTER).status_code == 200


def test_a_plan_for_columns_covers_the_values_that_they_convert(api: Api, table: str) -> None:
    url = f"{table}proposals/schema/"
    plan = plan_of(api, url, TO_NUMBER)
    api.patch(f"{table}rows/{ids(api, table)[0]}/", {"data": {"Status": "Done"}})
    stale = plan_of(api, url, TO_NUMBER)
    assert stale.partition(".")[2] == plan.partition(".")[2]
    changed_row(api, table)
    refused = api.post(f"{url}?on_unconvertible=clear&plan={plan}", TO_NUMBER)
    assert (refused.status_code, refused.json()["error"]) == (409, "plan_changed")
    assert len(refused.json()["changes"]) == 2
    plan = plan_of(api, url, TO_NUMBER)
    assert api.post(f"{url}?on_unconvertible=clear&plan={plan}", TO_NUMBER).status_code == 200


def test_a_plan_for_a_copied_column_covers_its_values(api: Api, table: str) -> None:
    url = f"{table}proposals/schema/"
    copy = {"mode": "update", "operations": [{"action": "add", "column": {"name": "Old"}, "copy_of": "Company"}]}
    plan = plan_of(api, url, copy)
    changed_row(api, table)
    assert api.post(f"{url}?plan={plan}", copy).json()["error"] == "plan_changed"


def test_a_plan_of_a_new_table_is_that_of_its_columns_and_sample_rows(api: Api) -> None:
    url = "/api/tables/proposals/schema/"
    plan = plan_of(api, url, NEW_TABLE)
    other = {**NEW_TABLE, "sample_rows": [{"Zeta": "another"}]}
    assert api.post(f"{url}?plan={plan}", other).json()["error"] == "plan_changed"
    with_rows = f"{url}?plan={plan}&include_sample_rows=true"
    assert api.post(with_rows, NEW_TABLE).json()["error"] == "plan_changed"
    plan = plan_of(api, url, NEW_TABLE, query="&include_sample_rows=true")
    assert api.post(f"{url}?plan={plan}", NEW_TABLE).json()["error"] == "plan_changed"
    assert api.post(f"{url}?plan={plan}&include_sample_rows=true", NEW_TABLE).status_code == 201


@pytest.mark.parametrize(("query", "status"), [("plan=7", 400), ("plan={plan}&dry_run=true", 422)])
def test_a_plan_is_one_of_a_dry_run_and_for_an_apply(api: Api, table: str, query: str, status: int) -> None:
    url = f"{table}proposals/data/"
    answer = api.post(f"{url}?{query.format(plan=plan_of(api, url, ADD))}", ADD)
    assert (answer.status_code, [fault["path"] for fault in answer.json()["errors"]]) == (status, ["plan"])
    assert len(ids(api, table)) == 3
