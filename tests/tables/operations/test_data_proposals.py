"""Row operations: parsing, refusals of the whole proposal, faults of single operations, and conflicts."""
from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tables.exceptions import Invalid, Malformed, Outdated
from tables.operations.cells import UNKNOWN_ROW, RowState
from tables.operations.plans.data_plan import ROW_MISSING
from tables.operations.plans.planned import Planned, refuse_unresolved
from tables.operations.proposals.data_proposal import refuse_versions
from tests.tables.operations.plain_tables import JOBS, ROWS, planned_data, prepared_data

ADD = {"action": "add", "data": {"Company": "Crux"}}


def update(changes: dict[str, Any], row_id: int = 1, **more: Any) -> dict[str, Any]:
    return {"action": "update", "row_id": row_id, "changes": changes, **more}


@pytest.mark.parametrize("ref", ["Company", "col_company", " company ", "ＣＯＭＰＡＮＹ"])
def test_columns_are_found_by_id_and_by_any_spelling_of_their_name(ref: str) -> None:
    prepared = prepared_data({"action": "add", "data": {ref: "Crux"}})
    assert prepared["operations"][0]["data"] == {"col_company": "Crux"}


STRUCTURAL = {
    "unknown column": ({"action": "add", "data": {"Compny": "x"}}, "operations[0].data.Compny", "unknown_column"),
    "unknown action": ({"action": "remove", "row_id": 1}, "operations[0].action", "unknown_value"),
    "no action": ({"data": {}}, "operations[0].action", "missing"),
    "unknown field": ({**ADD, "rowid": 1}, "operations[0].rowid", "unknown_field"),
    "data is no object": ({"action": "add", "data": [1]}, "operations[0].data", "not_an_object"),
    "no data": ({"action": "add"}, "operations[0].data", "missing"),
    "no row id": ({"action": "delete"}, "operations[0].row_id", "missing"),
    "row id is a text": ({"action": "delete", "row_id": "1"}, "operations[0].row_id", "not_a_row_id"),
    "row id is true": ({"action": "delete", "row_id": True}, "operations[0].row_id", "not_a_row_id"),
    "nothing to change": (update({}), "operations[0].changes", "empty"),
    "column named twice": (
        update({"Salary": 1, "col_salary": 2}), "operations[0].changes.col_salary", "doubled_column"),
    "column named twice after an invalid value": (
        update({"Salary": "many", "col_salary": 2}), "operations[0].changes.col_salary", "doubled_column"),
    "empty where": ({"action": "delete", "where": {}}, "operations[0].where", "empty_where"),
    "where is null": ({"action": "delete", "where": None}, "operations[0].where", "empty_where"),
    "where and row id": ({"action": "delete", "row_id": 1, "where": {"column": "Due", "op": "empty"}},
                         "operations[0].where", "row_id_and_where"),
    "where names nothing": ({"action": "delete", "where": {"column": "Duo", "op": "empty"}},
                            "operations[0].where.column", "unknown_column"),
    "not an object": ("delete 1", "operations[0]", "not_an_object"),
    "version is a text": ({"action": "delete", "row_id": 1, "version": "1"}, "operations[0].version", "not_a_version"),
    "version and where": ({"action": "delete", "where": {"column": "Due", "op": "empty"}, "version": 1},
                          "operations[0].version", "version_and_where"),
    "expected names nothing": (
        update({"Salary": 1}, expected={"Salry": 1}), "operations[0].expected.Salry", "unknown_column"),
    "expected is no number": (
        update({"Salary": 1}, expected={"Salary": "much"}), "operations[0].expected.Salary", "not_a_number"),
}  # fmt: skip


@pytest.mark.parametrize(("operation", "path", "code"), STRUCTURAL.values(), ids=STRUCTURAL.keys())
def test_malformed_operations_are_refused_with_their_path(operation: Any, path: str, code: str) -> None:
    with pytest.raises((Malformed, Invalid)) as caught:
        prepared_data(operation)
    assert (path, code) in [(fault.path, fault.code) for fault in caught.value.faults]


def test_an_unknown_column_is_a_fault_with_a_suggestion() -> None:
    with pytest.raises(Invalid) as caught:
        prepared_data({"action": "add", "data": {"Compny": "x"}})
    assert "“Company”" in caught.value.faults[0].detail


def test_an_invalid_value_is_a_fault_of_its_operation() -> None:
    prepared = prepared_data(ADD, {"action": "add", "data": {"Company": "Dyn", "Salary": "lots"}})
    assert "faults" not in prepared["operations"][0]
    (fault,) = prepared["operations"][1]["faults"]
    assert (fault["path"], fault["code"], fault["value"]) == ("operations[1].data.Salary", "not_a_number", "lots")
    assert prepared["operations"][1]["data"] == {"col_company": "Dyn"}


@pytest.mark.parametrize(("length", "listed"), [(200, "x" * 200), (201, "x" * 200 + "…")])
def test_only_the_start_of_a_long_value_is_listed(length: int, listed: str) -> None:
    prepared = prepared_data(update({"Salary": "x" * length}))
    assert [fault["value"] for fault in prepared["operations"][0]["faults"]] == [listed]


def test_every_cast_is_listed() -> None:
    prepared = prepared_data(update({"Salary": "1,200", "Status": "done", "Company": "Acme"}))
    assert prepared["operations"][0]["casts"] == [
        {"column": "col_salary", "from": "1,200", "to": 1200},
        {"column": "col_status", "from": "done", "to": "Done"},
    ]


def test_texts_are_no_numbers_in_strict_mode() -> None:
    prepared = prepared_data(update({"Salary": "1200"}), typecast=False)
    assert prepared["operations"][0]["faults"][0]["code"] == "not_a_number"


def test_a_condition_becomes_an_operation_with_earlier_values_for_each_row() -> None:
    where = {"column": "Status", "op": "not_empty"}
    prepared = prepared_data(ADD, {"action": "update", "where": where, "changes": {"Salary": 5}, "reason": "raise"})
    assert [(op["index"], op.get("row_id"), op.get("before")) for op in prepared["operations"]] == [
        (0, None, None),
        (1, 1, {"col_salary": 10}),
        (2, 2, {"col_salary": None}),
    ]
    assert prepared["operations"][2]["reason"] == "raise"


def test_a_missing_row_is_a_fault_of_the_operation() -> None:
    prepared = prepared_data(update({"Salary": 1}, row_id=99))
    assert [fault["code"] for fault in prepared["operations"][0]["faults"]] == ["unknown_row"]


def test_updates_of_different_cells_of_one_row_are_both_applied() -> None:
    plan = planned_data(update({"Salary": 1}), update({"Status": "Done"}))
    assert plan.updates == {1: {"col_salary": 1, "col_status": "Done"}}
    assert [operation.state for operation in plan.planned] == ["ok", "ok"]


OVERLAPS = {
    "the same cell twice": [update({"Salary": 1}), update({"Salary": 2})],
    "update, then delete": [update({"Salary": 1}), {"action": "delete", "row_id": 1}],
    "delete, then update": [{"action": "delete", "row_id": 1}, update({"Salary": 1})],
    "delete twice": [{"action": "delete", "row_id": 1}, {"action": "delete", "row_id": 1}],
}


@pytest.mark.parametrize("operations", OVERLAPS.values(), ids=OVERLAPS.keys())
def test_an_overlap_is_a_fault_of_the_later_operation(operations: list[dict[str, Any]]) -> None:
    plan = planned_data(*operations)
    assert [operation.state for operation in plan.planned] == ["ok", "error"]
    assert plan.planned[1].faults[0].code == "overlap"


def test_an_overlapping_operation_can_be_applied_without_the_earlier_one() -> None:
    plan = planned_data(*OVERLAPS["the same cell twice"], operations=(1,))
    assert plan.updates == {1: {"col_salary": 2}}


def test_a_default_fills_only_missing_cells() -> None:
    given_nothing, given_null = planned_data(ADD, {"action": "add", "data": {"Company": "D", "Status": None}}).adds
    assert given_nothing[1] == {"col_company": "Crux", "col_status": "Open"}
    assert given_null[1] == {"col_company": "D"}


REQUIRED = {
    "left out": {"action": "add", "data": {"Salary": 1}},
    "null": {"action": "add", "data": {"Company": None}},
    "empty text": {"action": "add", "data": {"Company": ""}},
    "emptied": update({"Company": None}),
}


@pytest.mark.parametrize("operation", REQUIRED.values(), ids=REQUIRED.keys())
def test_a_required_cell_must_have_a_value(operation: dict[str, Any]) -> None:
    (planned,) = planned_data(operation).planned
    assert [(fault.code, fault.path.rpartition(".")[2]) for fault in planned.faults] == [("required", "Company")]


def changed(row_id: int, **cells: Any) -> dict[int, RowState]:
    """Return ROWS after another user changed cells of one of them."""
    data = {**ROWS[row_id].data, **{f"col_{name}": value for name, value in cells.items()}}
    return {**ROWS, row_id: RowState(id=row_id, version=2, data=data)}


def test_an_update_conflicts_with_a_change_of_the_same_cell() -> None:
    (planned,) = planned_data(update({"Salary": 1}), rows=changed(1, salary=11)).planned
    assert (planned.state, planned.faults[0].code, planned.faults[0].value) == ("conflict", "cell_changed", 11)
    assert planned.faults[0].path == "operations[0].changes.Salary"


def test_an_update_does_not_conflict_with_changes_of_other_cells() -> None:
    (planned,) = planned_data(update({"Salary": 1}), rows=changed(1, company="Ace")).planned
    assert planned.state == "ok"


def test_a_cell_with_the_proposed_value_is_no_conflict_and_no_change() -> None:
    plan = planned_data(update({"Salary": 11}), rows=changed(1, salary=11))
    assert (plan.planned[0].state, plan.updates) == ("ok", {})
    assert [note["code"] for note in plan.planned[0].notes] == ["nothing_to_do"]


def test_a_delete_conflicts_when_any_cell_of_the_row_has_changed() -> None:
    (planned,) = planned_data({"action": "delete", "row_id": 1}, rows=changed(1, due="2026-01-02")).planned
    assert (planned.state, planned.faults[0].code) == ("conflict", "row_changed")


KNOWN_CELLS = {
    "update": (update({"Due": "2026-01-02"}, expected={"Salary": 11}), "operations[0].changes.Salary"),
    "the expected cell already has the new value": (
        update({"Salary": 10}, expected={"Salary": 9}), "operations[0].changes.Salary"),
    "delete": ({"action": "delete", "row_id": 1, "expected": {"Salary": 11}}, "operations[0].expected.Salary"),
    "condition": (
        {"action": "delete", "where": {"column": "Due", "op": "empty"}, "expected": {"Salary": None}},
        "operations[0].expected.Salary"),
}  # fmt: skip


@pytest.mark.parametrize(("operation", "path"), KNOWN_CELLS.values(), ids=KNOWN_CELLS.keys())
def test_an_operation_conflicts_with_other_than_the_expected_cells(operation: dict[str, Any], path: str) -> None:
    planned = planned_data(operation).planned[0]
    assert (planned.state, planned.faults[0].code, planned.faults[0].value) == ("conflict", "cell_changed", 10)
    assert planned.faults[0].path == path


def test_a_removed_column_is_no_conflict_for_a_delete() -> None:
    left = {1: ROWS[1]._replace(data={"col_company": "Acme", "col_status": "Open"})}
    plan = planned_data({"action": "delete", "row_id": 1}, rows=left, shape=without("Salary"))
    assert (plan.planned[0].state, plan.deletes) == ("ok", [1])


ON_ONE_ROW = [update({"Salary": 1}), {"action": "delete", "row_id": 1}]


@pytest.mark.parametrize("operation", ON_ONE_ROW, ids=["update", "delete"])
def test_a_deleted_row_is_a_conflict(operation: dict[str, Any]) -> None:
    (planned,) = planned_data(operation, rows={2: ROWS[2]}).planned
    assert (planned.state, planned.faults[0].code) == ("conflict", "row_missing")


def without(name: str) -> Any:
    return replace(JOBS, columns=tuple(column for column in JOBS.columns if column.name != name))


def with_column(column: str, /, **changes: Any) -> Any:
    columns = tuple(replace(each, **changes) if each.name == column else each for each in JOBS.columns)
    return replace(JOBS, columns=columns)


SCHEMA_CHANGES = {
    "a removed column": (without("Salary"), "column_removed"),
    "a retyped column": (with_column("Salary", type="text"), "column_changed"),
    "a removed option": (with_column("Status", options=("Open",)), "option_removed"),
}


@pytest.mark.parametrize(("shape", "code"), SCHEMA_CHANGES.values(), ids=SCHEMA_CHANGES.keys())
def test_a_changed_definition_is_a_conflict(shape: Any, code: str) -> None:
    (planned,) = planned_data(update({"Salary": 1, "Status": "Done"}), shape=shape).planned
    assert (planned.state, [fault.code for fault in planned.faults]) == ("conflict", [code])


def test_a_renamed_column_is_no_conflict() -> None:
    (planned,) = planned_data(update({"Salary": 1}), shape=with_column("Salary", name="Pay")).planned
    assert planned.state == "ok"


def test_conflicts_are_skipped_or_overwritten_by_decision() -> None:
    operations = [update({"Salary": 1}), update({"Status": "Open"}, row_id=2)]
    skipped = planned_data(*operations, rows=changed(1, salary=11), on_conflict="skip")
    assert (skipped.planned[0].as_json()["skipped"], skipped.updates) == ("cell_changed", {2: {"col_status": "Open"}})
    overwritten = planned_data(*operations, rows=changed(1, salary=11), on_conflict="overwrite")
    assert overwritten.updates == {1: {"col_salary": 1}, 2: {"col_status": "Open"}}


EDITS = {"as cells": {"Salary": "1,500"}, "by id": {"col_salary": 1500}, "wrapped": {"data": {"Salary": 1500}}}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS.keys())
def test_an_edit_replaces_a_cell_and_its_fault(edit: dict[str, Any]) -> None:
    faulty = {"action": "add", "data": {"Company": "Dyn", "Salary": "lots"}}
    plan = planned_data(faulty, edits={0: edit})
    assert plan.adds[0][1] == {"col_company": "Dyn", "col_status": "Open", "col_salary": 1500}


def test_invalid_edits_are_errors_and_unknown_columns_refused() -> None:
    (planned,) = planned_data(ADD, edits={0: {"Salary": "lots"}}).planned
    assert planned.state == "error"
    with pytest.raises(Invalid) as refused:
        planned_data(ADD, edits={0: {"data": {"Salery": 1, "Salary": "lots", "Company": None}}})
    assert [fault.path for fault in refused.value.faults] == [
        "edits.0.data.Salery", "edits.0.data.Salary", "edits.0.data.Company",
    ]  # fmt: skip


def test_warnings_list_casts_and_cleared_cells() -> None:
    (planned,) = planned_data(update({"Salary": "12", "Status": None})).planned
    assert planned.state == "warning"
    assert sorted((note["code"], note["column"]) for note in planned.notes) == [
        ("cast", "col_salary"),
        ("emptied", "col_status"),
    ]


def test_only_the_first_hundred_unknown_columns_are_reported() -> None:
    operations = [{"action": "add", "data": {f"Compny {number}": 1}} for number in range(10_000)]
    with pytest.raises(Invalid) as caught:
        prepared_data(*operations)
    assert (len(caught.value.faults), caught.value.more_faults) == (100, 9_900)


def test_only_the_first_hundred_other_versions_are_reported() -> None:
    with pytest.raises(Outdated) as caught:
        refuse_versions((f"rows[{number}].version", number, 2, 1) for number in range(101))
    assert (len(caught.value.faults), caught.value.more_faults) == (100, 1)


TOO_MANY = {
    "operations": [ADD] * 10_001,
    "conditions": [{"action": "delete", "where": {"column": "Due", "op": "empty"}}] * 201,
}


@pytest.mark.parametrize("operations", TOO_MANY.values(), ids=TOO_MANY.keys())
def test_too_many_operations_are_refused_with_their_number(operations: list[dict[str, Any]]) -> None:
    with pytest.raises(Invalid) as caught:
        prepared_data(*operations)
    assert [fault.code for fault in caught.value.faults] == ["too_many"]


def test_errors_are_reported_with_the_conflicts_beside_them() -> None:
    wrong, changed = Planned(index=0, action="update"), Planned(index=1, action="update")
    wrong.fail(code="unknown_row", message=UNKNOWN_ROW(id=1))
    changed.conflict(code="row_missing", message=ROW_MISSING(id=2))
    with pytest.raises(Invalid) as refused:
        refuse_unresolved([wrong, changed])
    assert [(fault.path, fault.code) for fault in refused.value.faults] == [
        ("operations[0]", "unknown_row"), ("operations[1]", "row_missing"),
    ]  # fmt: skip


def test_at_most_a_thousand_faults_of_operations_are_reported() -> None:
    planned = [Planned(index=index, action="update") for index in range(1_001)]
    for each in planned:
        each.fail(code="unknown_row", message=UNKNOWN_ROW(id=1))
    with pytest.raises(Invalid) as refused:
        refuse_unresolved(planned)
    assert (len(refused.value.faults), refused.value.more_faults) == (1_000, 1)
