"""Options of a select column over REST: created with a cell, renamed, recoloured and moved, each as one change."""
from __future__ import annotations

from typing import Any

import pytest

from tables.models import Change, Column
from tests.conftest import Api

COLUMNS = [
    {"name": "Company", "type": "text"},
    {"name": "Status", "type": "select", "options": ["Open", "Done"], "default": "Open"},
]


class Jobs:
    """A table with a select column, used by its owner over REST."""

    def __init__(self, api: Api) -> None:
        rows = [{"Company": "Acme", "Status": "Open"}, {"Company": "Bolt", "Status": "Done"}]
        table = api.post("/api/tables/", {"name": "Jobs", "columns": COLUMNS, "rows": rows}).json()
        self.api, self.id = api, table["id"]
        self.url = f"/api/tables/{self.id}/"
        self.column_url = f"{self.url}columns/{table['columns'][1]['id']}/"
        self.first = api.get(f"{self.url}rows/").json()["rows"][0]["id"]

    @property
    def status(self) -> dict[str, Any]:
        """Return the select column."""
        return self.api.get(self.url).json()["columns"][1]

    @property
    def values(self) -> list[Any]:
        """Return the values of the select column by row."""
        return [row["data"]["Status"] for row in self.api.get(f"{self.url}rows/").json()["rows"]]

    @property
    def state(self) -> list[Any]:
        column = self.status
        return [column["options"], column["optionColors"], column["default"], self.values]

    def create(self, option: str, *, row: int | None = None) -> Any:
        address = f"{self.url}rows/{row or self.first}/?create_options=true"
        return self.api.patch(address, {"data": {"Status": option}})

    def undo(self, change: int, **body: Any) -> Any:
        return self.api.post(f"{self.url}changes/{change}/undo/", body)


@pytest.fixture
def jobs(api: Api) -> Jobs:
    return Jobs(api)


def test_a_cell_and_its_new_option_are_one_change(jobs: Jobs) -> None:
    before = jobs.state
    response = jobs.create("Paused")
    assert (response.status_code, response.json()["data"]["Status"]) == (200, "Paused")
    assert jobs.status["options"] == ["Open", "Done", "Paused"]
    assert jobs.status["optionColors"] == {"Open": "blue", "Done": "orange", "Paused": "teal"}
    after = jobs.state
    change = Change.objects.filter(table_id=jobs.id).latest("version")
    assert change.pk == response.json()["change"]
    assert change.summary == "Changed 1 row, added option Paused to Status"
    assert jobs.undo(change.pk).status_code == 200
    assert jobs.state == before
    assert jobs.api.post(f"{jobs.url}changes/{change.pk}/redo/", {}).status_code == 200
    assert jobs.state == after


def test_new_rows_create_each_option_once(jobs: Jobs) -> None:
    rows = [{"Status": "Paused"}, {"Status": " paused"}, {"Status": "done"}]
    assert jobs.api.post(f"{jobs.url}rows/?create_options=true&typecast=true", {"rows": rows}).status_code == 201
    assert jobs.status["options"] == ["Open", "Done", "Paused"]
    assert jobs.values == ["Open", "Done", "Paused", "Paused", "Done"]


def test_changed_and_merged_rows_create_options_too(jobs: Jobs) -> None:
    rows = {"rows": [{"id": jobs.first, "data": {"Status": "Paused"}}]}
    assert jobs.api.patch(f"{jobs.url}rows/?create_options=true", rows).status_code == 200
    merge = {"merge_on": ["Status"], "rows": [{"Status": "Done"}, {"Status": "Late"}]}
    url = f"{jobs.url}rows/?create_options=true"
    merged = jobs.api.client.put(url, merge, content_type="application/json").json()
    assert (len(merged["created"]), len(merged["updated"])) == (1, 1)
    assert jobs.status["options"] == ["Open", "Done", "Paused", "Late"]
    assert jobs.values == ["Paused", "Done", "Late"]


def test_options_are_created_only_on_request(jobs: Jobs) -> None:
    response = jobs.api.patch(f"{jobs.url}rows/{jobs.first}/", {"data": {"Status": "Paused"}})
    assert (response.status_code, response.json()["errors"][0]["code"]) == (422, "unknown_option")


@pytest.mark.parametrize(
    ("option", "code"), [("a\nb", "control_character"), ("x" * 256, "too_long"), (" ", "empty_name")]
)
def test_invalid_options_are_refused_with_the_path_of_the_cell(
    jobs: Jobs, option: str, code: str
) -> None:
    before = jobs.state
    response = jobs.create(option)
    fault = response.json()["errors"][0]
    assert (response.status_code, fault["path"], fault["code"]) == (422, "data.Status", code)
    assert jobs.state == before


def test_a_renamed_option_keeps_color_position_and_rows(jobs: Jobs) -> None:
    jobs.api.patch(jobs.column_url, {"optionColors": {"Open": "lime"}})
    before = jobs.state
    body = {"options": ["To do", "Done"], "expected": {"options": ["Open", "Done"]}}
    response = jobs.api.patch(jobs.column_url + '?on_removed_option={"Open":"To do"}', body)
    assert response.status_code == 200
    assert jobs.state == [["To do", "Done"], {"To do": "lime", "Done": "orange"}, "To do", ["To do", "Done"]]
    assert jobs.undo(response.json()["change"]).status_code == 200
    assert jobs.state == before


def test_a_recolored_option_keeps_its_color_when_moved(jobs: Jobs) -> None:
    assert jobs.api.patch(jobs.column_url, {"optionColors": {"Done": "lime"}}).status_code == 200
    assert jobs.api.patch(jobs.column_url, {"options": ["Done", "Open"]}).status_code == 200
    assert jobs.status["optionColors"] == {"Done": "lime", "Open": "blue"}
    stored = Column.objects.get(table_id=jobs.id, name="Status")
    assert stored.option_colors == {"Done": "lime", "Open": "blue"}


@pytest.mark.parametrize(
    ("colors", "path", "code"),
    [
        ({"Dun": "lime"}, "optionColors.Dun", "unknown_option"),
        ({"Done": "red-ish"}, "optionColors.Done", "unknown_value"),
        ("lime", "optionColors", "not_an_object"),
    ],
)
def test_invalid_colors_are_refused_with_their_path(jobs: Jobs, colors: Any, path: str, code: str) -> None:
    response = jobs.api.patch(jobs.column_url, {"optionColors": colors})
    assert response.status_code == (422 if code == "unknown_option" else 400)
    assert [(fault["path"], fault["code"]) for fault in response.json()["errors"]] == [(path, code)]


def test_concurrent_option_changes_are_not_overwritten(jobs: Jobs) -> None:
    jobs.create("Paused")
    body = {"options": ["Done", "Open"], "expected": {"options": ["Open", "Done"]}}
    response = jobs.api.patch(jobs.column_url, body)
    assert (response.status_code, response.json()["errors"][0]["code"]) == (409, "column_changed")
    assert jobs.status["options"] == ["Open", "Done", "Paused"]


def test_undoing_an_option_keeps_later_ones(jobs: Jobs) -> None:
    change = jobs.create("Paused").json()["change"]
    second = jobs.api.get(f"{jobs.url}rows/").json()["rows"][1]["id"]
    jobs.create("Waiting", row=second)
    assert jobs.undo(change).status_code == 200
    assert jobs.state == [["Open", "Done", "Waiting"], {"Open": "blue", "Done": "orange", "Waiting": "purple"},
                          "Open", ["Open", "Waiting"]]  # fmt: skip


def test_undoing_a_used_option_needs_a_decision(jobs: Jobs) -> None:
    change = jobs.create("Paused").json()["change"]
    second = jobs.api.get(f"{jobs.url}rows/").json()["rows"][1]["id"]
    jobs.api.patch(f"{jobs.url}rows/{second}/", {"data": {"Status": "Paused"}})
    refused = jobs.undo(change)
    assert (refused.status_code, [fault["code"] for fault in refused.json()["errors"]]) == (409, ["unconvertible"])
    assert jobs.undo(change, on_conflict="skip").status_code == 200
    assert jobs.values == ["Open", "Paused"]
    assert jobs.status["optionColors"] == {"Open": "blue", "Done": "orange", "Paused": "teal"}


def test_options_without_stored_colors_get_default_ones_in_order(jobs: Jobs) -> None:
    many = [f"Option {number}" for number in range(13)]
    Column.objects.filter(table_id=jobs.id, name="Status").update(options=many, option_colors={}, default=None)
    colors = list(jobs.status["optionColors"].values())
    assert len(set(colors[:12])) == 12
    assert colors[12] == colors[0]
