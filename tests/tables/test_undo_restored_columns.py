"""Undo of changes of columns that were changed again since: every restored column accepts its own fields and cells."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from tables.operations import Origin
from tables.services import create_table
from tests.conftest import Api
from tests.tables.test_undo_required import conflicts, undo

Json = dict[str, Any]

# A column, the change of it to undo, one since, and its fields after the undo by decision.
CHANGED: dict[str, tuple[Json, Json, Json, dict[str, Json]]] = {
    "type and format": (
        {"type": "text"}, {"type": "number"}, {"default": 7, "format": "percent"},
        {"overwrite": {"type": "text", "default": None}, "skip": {"type": "number", "default": 7}}),
    "options": (
        {"type": "select", "options": ["p"]}, {"options": ["p", "q"]}, {"default": "q"},
        {"overwrite": {"options": ["p"], "default": None}, "skip": {"options": ["p", "q"], "default": "q"}}),
    "maximum": (
        {"type": "number", "format": "rating", "maximum": 5}, {"maximum": 10}, {"default": 9},
        {"overwrite": {"maximum": 5, "default": None}, "skip": {"maximum": 10, "default": 9}}),
    "times": (
        {"type": "date"}, {"format": "datetime"}, {"default": "2027-01-01T10:00Z"},
        {"overwrite": {"format": "date", "default": None}, "skip": {"format": "datetime"}}),
}  # fmt: skip


def make(api: Api, user: User, column: Json, *cells: Any) -> tuple[str, list[int]]:
    """Create a table with this column A and a column B; return its URL and the ids of its rows."""
    columns = [{"name": "A", **column}, {"name": "B", "type": "text"}]
    rows = [{"A": cell, "B": "x"} for cell in cells]
    table = create_table(user=user, name="T", columns=columns, rows=rows, origin=Origin("api"))
    url = f"/api/tables/{table.pk}/"
    return url, [row["id"] for row in api.get(f"{url}rows/").json()["rows"]]


@pytest.mark.parametrize("decision", ["overwrite", "skip"])
@pytest.mark.parametrize(("column", "change", "since", "left"), CHANGED.values(), ids=CHANGED.keys())
def test_a_field_set_since_does_not_outlive_what_it_fits(
    api: Api, user: User, column: Json, change: Json, since: Json, left: dict[str, Json], decision: str
) -> None:
    url, _ = make(api, user, column)
    done = api.patch(f"{url}columns/A/", change).json()["change"]
    api.patch(f"{url}columns/A/", since)
    assert ("columns.A", "column_changed", None) in conflicts(undo(api, url, done))
    undo(api, url, done, decision)
    found = api.get(f"{url}columns/").json()["columns"][0]
    assert found | left[decision] == found
    # New rows get a default that is a value of the column.
    added = api.post(f"{url}rows/", {"B": "y"}).json()["data"]
    assert added.get("A") == found["default"]
    if "A" in added:
        assert api.post(f"{url}rows/", {"A": added["A"]}).status_code == 201


def test_a_cell_changed_since_that_loses_its_value_is_said_to_be_unconvertible(api: Api, user: User) -> None:
    url, (first, second) = make(api, user, {"type": "number"}, 5, 6)
    done = api.patch(f"{url}columns/A/", {"type": "text"}).json()["change"]
    cells = [{"id": first, "data": {"A": "Call back"}}, {"id": second, "data": {"A": "66"}}]
    api.patch(f"{url}rows/", {"rows": cells})
    assert conflicts(undo(api, url, done)) == [
        (f"rows[{first}].data.A", "unconvertible", "Call back"), (f"rows[{second}].data.A", "cell_changed", "66"),
    ]  # fmt: skip
    undo(api, url, done, "skip")
    assert [row["data"].get("A") for row in api.get(f"{url}rows/").json()["rows"]] == [None, 66]
