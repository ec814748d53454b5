"""Column proposals with invalid parts: the faults of the parts that do not depend on these are reported too."""
from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from tables.column_types import TableShape
from tables.operations.body_reader import Form
from tables.operations.plans.schema_faults import add_plan_faults
from tables.operations.proposals.schema_proposal import read_schema_form
from tests.tables.operations.plain_tables import JOBS

Json = dict[str, Any]
NEW = TableShape(id=None, name="")
DOUBLED = ["Open", "open"]


def add(after: Any = None, **column: Any) -> Json:
    return {"action": "add", "column": column, "after_column_id": after}


def modify(ref: str, **changes: Any) -> Json:
    return {"action": "modify", "column_id": ref, "changes": changes}


# The operations on JOBS, and the paths of their faults below `operations`.
OPERATIONS: dict[str, tuple[list[Any], str]] = {
    "a taken name beside an unknown type": ([add(name="Due", type="z")], "[0].column.name [0].column.type"),
    "a taken name beside an unknown predecessor": (
        [add("Zz", name="Due", type="text")], "[0].column.name [0].after_column_id"),
    "doubled options beside an unknown type": (
        [add(name="A", type="z", options=DOUBLED, default="Zz")], "[0].column.type [0].column.options[1]"),
    "doubled options between two that are no text": (
        [add(name="A", type="select", options=[5, *DOUBLED, 5])],
        "[0].column.options[0] [0].column.options[2] [0].column.options[3]"),
    "options of a type without, beside an unknown predecessor": (
        [add("Zz", name="A", type="text", options=["Open"])], "[0].column.options [0].after_column_id"),
    "doubled options, an invalid option and a default": (
        [add(name="", type="select", options=DOUBLED, default="Zz"),
         add(name="B", type="select", options=["", *DOUBLED])],
        "[0].column.name [0].column.default [0].column.options[1] [1].column.options[0] [1].column.options[2]"),
    "no default that an invalid option may be": (
        [add(name="", type="select", options=["x" * 300], default="x" * 300)], "[0].column.name [0].column.options[0]"),
    "a default beside required": (
        [add(name="A", type="number", default="many", required="yes")], "[0].column.required [0].column.default"),
    "a default beside options of another type": (
        [add(name="A", type="number", default="many", options="x")], "[0].column.default [0].column.options"),
    "no default of an unknown type": ([add(name="A", type="z", default="many")], "[0].column.type"),
    "a changed default beside required": (
        [modify("Salary", default="many", required="yes")], "[0].changes.required [0].changes.default"),
    "only a wrong type": ([modify("Salary", type="z")], "[0].changes.type"),
    "a taken name beside an unknown field": ([modify("Salary", name="Due", foo=1)], "[0].changes.foo [0].changes.name"),
    "doubled options of an unknown column": (
        [modify("Zz", options=DOUBLED, name="Due")], "[0].column_id [0].changes.options[1]"),
    "a default of an unknown column": (
        [modify("Zz", type="number", default="many")], "[0].column_id [0].changes.default"),
    "expected fields of an unknown column": (
        [{**modify("Zz", name="A"), "expected": {"type": "z"}}], "[0].column_id [0].expected.type"),
    "colours without readable options": (
        [modify("Status", options="x", optionColors={"A": "blue"})], "[0].changes.options"),
    "a copy with a taken name and other fields": (
        [{**add(name="Due", type="number"), "copy_of": "Company"}], "[0].column.name [0].column.type"),
    "no taken name that an invalid operation may free": (
        [{"action": "remove", "column_id": "Zz"}, add(name="Due", type="z")], "[0].column_id [1].column.type"),
    "a taken name beside an invalid reason of a removal": (
        [{"action": "remove", "column_id": "Status", "reason": 5}, add(name="Due", type="z")],
        "[0].reason [1].column.name [1].column.type"),
    "operations without a column, before an earlier name": (
        [{"action": "remove"}, {"action": "reorder"}, {"action": "modify", "changes": {"options": DOUBLED}},
         add(name="Status", type="text")],
        "[0].column_id [1].column_id [2].column_id [2].changes.options[1]"),
    "a column whose earlier change is invalid": (
        [modify("Salary", type="z"), modify("Salary", default="many", name="Due")],
        "[0].changes.type [1].changes.name"),
}  # fmt: skip


def faults_of(proposal: Json, shape: TableShape) -> list[str]:
    form, ids = Form(), (f"new_{number}" for number in count())
    prepared = read_schema_form(proposal, shape=shape, new_id=lambda: next(ids), typecast=True, form=form)
    add_plan_faults(form, prepared, sent=proposal, shape=shape)
    return [fault.path for fault in form.faults]


@pytest.mark.parametrize(("operations", "paths"), OPERATIONS.values(), ids=OPERATIONS.keys())
def test_independent_faults_of_operations_are_named(operations: list[Any], paths: str) -> None:
    expected = [f"operations{path}" for path in paths.split()]
    assert faults_of({"mode": "update", "operations": operations}, JOBS) == expected


NUMBER = add(name="N", type="number", required=True)
# The operations and sample rows of a new table, and the paths of all faults.
SAMPLES: dict[str, tuple[list[Any], list[Any], str]] = {
    "a value beside an unknown column": (
        [NUMBER], [{"Zz": 1, "N": "many"}, {"N": "few"}, 5],
        "sample_rows[0].Zz sample_rows[0].N sample_rows[1].N sample_rows[2]"),
    "no required cell that an unknown column may be": (
        [NUMBER, add(name="A", type="text")], [{"n!": 1, "A": "x"}, {"A": "x"}], "sample_rows[0].n! sample_rows[1].N"),
    "a value of a column that is valid": (
        [NUMBER, add(name="A", type="z")], [{"N": "many", "A": []}], "operations[1].column.type sample_rows[0].N"),
    "no column whose name cannot be read": (
        [NUMBER, add(name=5, type="text")], [{"5": "x", "N": "many"}], "operations[1].column.name sample_rows[0].N"),
}  # fmt: skip


@pytest.mark.parametrize(("operations", "rows", "paths"), SAMPLES.values(), ids=SAMPLES.keys())
def test_independent_faults_of_sample_rows_are_named(operations: list[Any], rows: list[Any], paths: str) -> None:
    fields = {"table_name": "T", "table_description": "", "sample_rows": rows}
    assert faults_of({"mode": "create", "operations": operations, **fields}, NEW) == paths.split()


def test_an_unknown_column_lists_each_name_once_and_a_missing_one_none() -> None:
    form, changes = Form(), [add(name="Company", type="z"), add(name="", type="text")]
    removals = [{"action": "remove", "column_id": "Zz"}, {"action": "remove"}]
    proposal = {"mode": "update", "operations": [*changes, *removals]}
    read_schema_form(proposal, shape=JOBS, new_id=iter("ab").__next__, typecast=True, form=form)
    known = ", ".join(f"“{column.name}”" for column in JOBS.columns)
    assert [(fault.code, fault.detail) for fault in form.faults[-2:]] == [
        ("unknown_column", f"There is no column “Zz”. Available: {known}."), ("missing", "column_id is required."),
    ]  # fmt: skip


def test_allowed_values_are_quoted() -> None:
    form = Form()
    form.one_of("x", path="decimal", allowed=("", ".", ","))
    assert form.faults[0].detail == "This must be one of “”, “.”, “,”."
