"""Names of columns as keys of previews and stored operations."""
from __future__ import annotations

from typing import Any

from tables.operations.column_keys import ColumnNames, keyed_by_name, names_in

JOBS = {"col_company": "Company", "col_salary": "Salary"}


def test_cells_and_entries_of_row_operations_have_names() -> None:
    operation: dict[str, Any] = {
        "index": 0, "action": "update", "row_id": 5,
        "changes": {"col_salary": 1}, "before": {"col_salary": None}, "old": {}, "new": {"col_salary": 1},
        "left_empty": ["col_company"], "notes": [{"code": "cast", "column": "col_salary"}, {"code": "overlap"}],
    }  # fmt: skip
    preview = {"operations": [operation], "cells_by_column": {"col_salary": 1}}
    assert keyed_by_name(preview, ColumnNames(JOBS)) == {
        "operations": [{
            **operation, "changes": {"Salary": 1}, "before": {"Salary": None}, "new": {"Salary": 1},
            "left_empty": ["Company"], "notes": [{"code": "cast", "column": "Salary"}, {"code": "overlap"}],
        }],
        "cells_by_column": {"Salary": 1},
    }  # fmt: skip


def test_fields_of_columns_and_their_ids_are_unchanged() -> None:
    operation = {
        "action": "modify", "column_id": "col_salary", "column": {"id": "col_salary", "name": "Pay"},
        "old": {"name": "Salary"}, "new": {"name": "Pay"}, "notes": [{"code": "empty_cells", "column": "col_salary"}],
    }  # fmt: skip
    preview = {"operations": [operation], "sample_rows": [{"col_salary": 1}]}
    keyed = keyed_by_name(preview, ColumnNames(names_in(preview)))
    assert keyed["operations"] == [{**operation, "notes": [{"code": "empty_cells", "column": "Pay"}]}]
    assert keyed["sample_rows"] == [{"Pay": 1}]


def test_a_deleted_column_has_its_last_name_unless_another_one_has_it() -> None:
    names = ColumnNames(JOBS)
    names.add({"col_note": "Note", "col_old": " salary", "col_late": "Note"})
    assert [names(each) for each in ("col_note", "col_old", "col_late", "col_other")] == [
        "Note", "col_old", "col_late", "col_other",
    ]  # fmt: skip
    assert names.unknown == {"col_old", "col_late", "col_other"}
