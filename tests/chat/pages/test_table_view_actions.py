"""Client actions of a table's page: availability and data schemas."""
from __future__ import annotations

from typing import Any

import pytest

from chat.actions import client_actions
from chat.catalogue import CODE
from chat.json_schema import faults_of
from chat.pages.table_view_actions import TABLE_ACTIONS

Json = dict[str, Any]
NAMES = {entry.action for entry in TABLE_ACTIONS}
ONE = {"column": "Salary", "op": "empty"}


@pytest.mark.parametrize(("writes", "missing"), [(True, set()), (False, {"undo_change", "redo_change"})])
def test_viewer_has_all_actions_that_change_nothing(writes: bool, missing: set[str]) -> None:
    page_entries = CODE.resolve("table_view", writes=writes)
    assert page_entries is not None
    assert {entry.action for entry in page_entries.client_actions} & NAMES == NAMES - missing


@pytest.mark.parametrize(
    ("action", "data", "fits"),
    [
        ("sort_rows", {"by": [{"column": "Salary", "descending": True}]}, True),
        ("sort_rows", {"by": []}, True),
        ("sort_rows", {"by": "Salary"}, False),
        ("sort_rows", {"by": [{"column": "Salary", "order": "desc"}]}, False),
        ("sort_rows", {}, False),
        ("filter_rows", {"filter": {"and": [ONE]}}, True),
        ("filter_rows", {"filter": None}, True),
        ("filter_rows", {"filter": "Salary is empty"}, False),
        ("search_table", {"text": ""}, True),
        ("hide_columns", {"columns": ["Notes"]}, True),
        ("hide_columns", {"columns": []}, False),
        ("show_columns", {}, True),
        ("show_columns", {"columns": ["Notes"], "only": True}, True),
        ("show_columns", {"only": True}, False),
        ("export_table", {"format": "xlsx", "rows": "shown"}, True),
        ("export_table", {"format": "pdf"}, False),
        ("undo_change", {}, True),
        ("undo_change", {"change": 5}, False),
    ],
)
def test_data_is_checked_by_its_schema(action: str, data: Json, fits: bool) -> None:
    entry = client_actions.get(action)
    assert entry is not None
    assert (faults_of(data, entry.schema) == ()) is fits


def test_parameters_are_those_of_the_schema() -> None:
    for entry in TABLE_ACTIONS:
        assert set(entry.parameters) == set(entry.schema["properties"]), entry.action
