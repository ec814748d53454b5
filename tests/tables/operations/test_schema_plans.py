"""Column operations: references, order, names, and partial choices."""
from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tables.column_types import TableShape
from tables.exceptions import Invalid, Malformed
from tables.operations.columns import restored_options, restored_order
from tables.operations.plans.conversion import convert_rows
from tables.operations.plans.schema_plan import plan_schema
from tables.operations.proposals.choice import Choice
from tables.operations.proposals.sample_rows import plan_sample_rows
from tables.operations.proposals.schema_proposal import read_schema_proposal
from tests.tables.operations.plain_tables import JOBS, ROWS, names, planned_schema, prepared_schema

NEW = TableShape(id=None, name="")


def add(name: str, after: str | None = None, **column: Any) -> dict[str, Any]:
    place = {"after_column_id": after} if after else {}
    return {"action": "add", "column": {"name": name, "type": "text", **column}, **place}


def modify(ref: str, **changes: Any) -> dict[str, Any]:
    return {"action": "modify", "column_id": ref, "changes": changes}


def remove(ref: str) -> dict[str, Any]:
    return {"action": "remove", "column_id": ref}


def reorder(ref: str, after: str | None = None) -> dict[str, Any]:
    return {"action": "reorder", "column_id": ref, **({"after_column_id": after} if after else {})}


ORDERS = {
    "a new column goes last": ([add("A")], "Company Status Salary Due A"),
    "after another": ([add("A", "Company")], "Company A Status Salary Due"),
    "several after one keep their order": ([add("A", "Company"), add("B", "Company")], "Company A B Status Salary Due"),
    "after one added before": ([add("A", "Company"), add("B", "A")], "Company A B Status Salary Due"),
    "after one, after it, after the first again": (
        [add("A", "Company"), add("B", "A"), add("C", "Company")], "Company A B C Status Salary Due"),
    "moved first": ([reorder("Due")], "Due Company Status Salary"),
    "moved after": ([reorder("Company", "Salary")], "Status Salary Company Due"),
    "moved after a new one": ([add("A", "Status"), reorder("Due", "A")], "Company Status A Due Salary"),
    "after a removed one": ([remove("Status"), add("A", "Status")], "Company A Salary Due"),
}  # fmt: skip


@pytest.mark.parametrize(("operations", "order"), ORDERS.values(), ids=ORDERS.keys())
def test_columns_have_the_planned_order(operations: list[dict[str, Any]], order: str) -> None:
    plan = planned_schema(*operations)
    assert names(plan) == order.split()
    assert [column.position for column in plan.after] == list(range(len(plan.after)))
    added = [each.new for each in plan.planned if each.action == "add"]
    assert all(names(plan)[new["position"]] == new["name"] for new in added)


def test_a_later_operation_refers_to_a_new_column_by_its_name() -> None:
    plan = planned_schema(add("Priority"), modify("priority", required=True), reorder("Priority", "Company"))
    assert names(plan)[1] == "Priority"
    assert plan.after[1].required


def test_two_columns_swap_their_names() -> None:
    plan = planned_schema(modify("Company", name="Status"), modify("Status", name="Company"))
    assert [(column.id, column.name) for column in plan.after][:2] == [
        ("col_company", "Status"),
        ("col_status", "Company"),
    ]
    assert all(planned.state == "ok" for planned in plan.planned)


def test_the_name_of_a_removed_column_can_be_reused() -> None:
    plan = planned_schema(remove("Status"), add("status"), reorder("Status"))
    assert names(plan) == ["status", "Company", "Salary", "Due"]


@pytest.mark.parametrize("operation", [add(" COMPANY "), modify("Salary", name="company")], ids=["added", "renamed"])
def test_an_existing_name_is_a_fault(operation: dict[str, Any]) -> None:
    (planned,) = planned_schema(operation).planned
    assert [fault.code for fault in planned.faults] == ["doubled_name"]


@pytest.mark.parametrize(
    ("name", "states"), [("Company", ["error", "error"]), ("Size", ["ok", "error"])], ids=["existing name", "new name"]
)
def test_every_later_use_of_a_name_is_a_fault(name: str, states: list[str]) -> None:
    plan = planned_schema(add(name), modify("Salary", name=name))
    assert [planned.state for planned in plan.planned] == states


STRUCTURAL = {
    "unknown column": (remove("Stauts"), "operations[0].column_id", "unknown_column"),
    "unknown place": (add("A", "Stauts"), "operations[0].after_column_id", "unknown_column"),
    "unknown type": (add("A", type="txt"), "operations[0].column.type", "unknown_value"),
    "no name": ({"action": "add", "column": {"type": "text"}}, "operations[0].column.name", "missing"),
    "empty name": (add(" "), "operations[0].column.name", "empty_name"),
    "control character": (add("a\nb"), "operations[0].column.name", "control_character"),
    "unknown field": (add("A", requird=True), "operations[0].column.requird", "unknown_field"),
    "required is a text": (add("A", required="yes"), "operations[0].column.required", "not_a_boolean"),
    "default is an object": (add("A", default={"x": 1}), "operations[0].column.default", "not_a_value"),
    "nothing changes": (modify("Status", name=None), "operations[0].changes", "empty"),
    "after itself": (reorder("Status", "Status"), "operations[0].after_column_id", "after_itself"),
    "an option is a number": (add("A", type="select", options=[1]), "operations[0].column.options[0]", "not_text"),
}


@pytest.mark.parametrize(("operation", "path", "code"), STRUCTURAL.values(), ids=STRUCTURAL.keys())
def test_malformed_operations_are_refused_with_their_path(operation: dict[str, Any], path: str, code: str) -> None:
    with pytest.raises((Malformed, Invalid)) as caught:
        prepared_schema(operation)
    assert (path, code) in [(fault.path, fault.code) for fault in caught.value.faults]


def test_a_column_removed_earlier_in_the_proposal_cannot_be_changed() -> None:
    with pytest.raises(Invalid):
        prepared_schema(remove("Status"), modify("Status", name="State"))


FAULTS = {
    "select without options": (add("A", type="select"), "column.options", "options_needed"),
    "options twice": (add("A", type="select", options=["x", "X "]), "column.options[1]", "doubled_option"),
    "an empty option": (add("A", type="select", options=["x", "y", " "]), "column.options[2]", "empty_name"),
    "options twice in a change": (modify("Status", options=["x", "y", "Y"]), "changes.options[2]", "doubled_option"),
    "options of a text column": (add("A", options=["x"]), "column.options", "no_options"),
    "default that does not fit": (add("A", type="number", default="much"), "column.default", "not_a_number"),
    "default that is no option": (modify("Status", default="Later"), "changes.default", "unknown_option"),
}


@pytest.mark.parametrize(("operation", "place", "code"), FAULTS.values(), ids=FAULTS.keys())
def test_an_invalid_definition_is_a_fault_of_its_field(operation: dict[str, Any], place: str, code: str) -> None:
    (planned,) = planned_schema(operation).planned
    assert planned.state == "error"
    assert [(fault.path, fault.code) for fault in planned.faults] == [(f"operations[0].{place}", code)]


def test_nulls_change_nothing_and_an_empty_default_removes_it() -> None:
    (planned,) = planned_schema(modify("Status", name="State", default=None, options=None)).planned
    assert planned.column is not None
    assert (planned.column.default, planned.column.options) == ("Open", ("Open", "Done"))
    (cleared,) = planned_schema(modify("Status", default="")).planned
    assert cleared.column is not None
    assert cleared.column.default is None


def test_an_operation_on_a_new_column_that_was_not_chosen_depends_on_it() -> None:
    plan = planned_schema(add("A"), modify("A", required=True), operations=(1,))
    (fault,) = plan.planned[0].faults
    assert (fault.code, fault.value) == ("depends_on", 0)


PARTIAL = {
    "falls back to its predecessor": ([add("A", "Company"), add("B", "A")], (1,), "Company B Status Salary Due"),
    "keeps its place among others": (
        [add("A", "Company"), add("B", "A"), add("C", "Company")], (1, 2), "Company B C Status Salary Due"),
    "moved after one not chosen": ([add("A", "Status"), reorder("Company", "A")], (1,), "Status Company Salary Due"),
}  # fmt: skip


@pytest.mark.parametrize(("operations", "chosen", "order"), PARTIAL.values(), ids=PARTIAL.keys())
def test_positions_after_unchosen_columns(
    operations: list[dict[str, Any]], chosen: tuple[int, ...], order: str
) -> None:
    assert names(planned_schema(*operations, operations=chosen)) == order.split()


def now_with(column: str, /, **changes: Any) -> TableShape:
    columns = tuple(replace(each, **changes) if each.name == column else each for each in JOBS.columns)
    return replace(JOBS, columns=columns)


CONFLICTS = {
    "the property it sets has changed": (modify("Salary", name="Pay"), now_with("Salary", name="Wage"), "conflict"),
    "it has been set already": (modify("Salary", name="Pay"), now_with("Salary", name="Pay"), "ok"),
    "another property has changed": (modify("Salary", required=True), now_with("Salary", name="Wage"), "ok"),
    "a removed column has another type": (remove("Salary"), now_with("Salary", type="text"), "conflict"),
    "a removed column has another name": (remove("Salary"), now_with("Salary", name="Pay"), "ok"),
    "the column has gone": (modify("Salary", name="Pay"), replace(JOBS, columns=JOBS.columns[:2]), "conflict"),
}


@pytest.mark.parametrize(("operation", "now", "state"), CONFLICTS.values(), ids=CONFLICTS.keys())
def test_definitions_changed_since(operation: dict[str, Any], now: TableShape, state: str) -> None:
    (planned,) = planned_schema(operation, now=now).planned
    assert planned.state == state


def test_edits_correct_a_definition() -> None:
    plan = planned_schema(add("A", type="select"), edits={0: {"options": ["x"], "name": "Kind"}})
    assert (plan.planned[0].state, names(plan)[-1], plan.after[-1].options) == ("ok", "Kind", ("x",))


def test_faults_of_edits_have_their_paths_and_hide_no_others() -> None:
    edits = {0: {"column": {"name": "Company", "type": "zz"}}, 1: {"name": "Company"}, 2: {"options": ["x", "x"]}}
    with pytest.raises(Malformed) as caught:
        planned_schema(add("A"), add("B"), add("C", type="select"), add("Company"), edits=edits)
    assert {fault.path for fault in caught.value.faults} == {
        "edits.0.column.type", "edits.0.column.name", "edits.1.name", "edits.2.options[1]", "operations[3].column.name",
    }  # fmt: skip


def test_a_new_table_takes_only_adds_a_name_a_description_and_sample_rows() -> None:
    with pytest.raises(Malformed) as caught:
        prepared_schema(add("A"), shape=NEW)
    assert {fault.path for fault in caught.value.faults} == {"table_name", "table_description", "sample_rows"}
    extra: dict[str, Any] = {"table_name": "T", "table_description": "", "sample_rows": []}
    with pytest.raises(Invalid) as refused:
        prepared_schema(add("A"), remove("A"), shape=NEW, **extra)
    assert [fault.code for fault in refused.value.faults] == ["wrong_mode"]


def test_at_least_one_column_of_a_new_table_must_be_chosen() -> None:
    extra: dict[str, Any] = {"table_name": "T", "table_description": "", "sample_rows": []}
    prepared = prepared_schema(add("A"), shape=NEW, **extra)
    with pytest.raises(Invalid) as caught:
        plan_schema(shape=NEW, prepared=prepared, choice=Choice(operations=()))
    assert caught.value.code == "no_columns"


def test_sample_rows_are_parsed_and_their_faults_reported() -> None:
    extra: dict[str, Any] = {"table_name": "T", "table_description": "", "sample_rows": [{"A": "1,200"}, {"A": "lots"}]}
    prepared = prepared_schema(add("A", type="number"), shape=NEW, **extra)
    samples = plan_sample_rows(prepared, columns=plan_schema(shape=NEW, prepared=prepared, choice=Choice()).after)
    assert samples.rows == [{"new_0": 1200}]
    assert [(fault.path, fault.code) for fault in samples.faults] == [("sample_rows[1].A", "not_a_number")]


def test_sample_rows_are_parsed_again_for_a_corrected_type() -> None:
    extra: dict[str, Any] = {"table_name": "T", "table_description": "", "sample_rows": [{"A": "1,200"}, {"A": "lots"}]}
    prepared = prepared_schema(add("A", type="number"), shape=NEW, **extra)
    choice = Choice(edits={0: {"type": "text"}})
    samples = plan_sample_rows(prepared, columns=plan_schema(shape=NEW, prepared=prepared, choice=choice).after)
    assert (samples.rows, samples.faults) == ([{"new_0": "1200"}, {"new_0": "lots"}], [])


def test_sample_rows_can_be_parsed_in_strict_mode() -> None:
    proposal = {
        "mode": "create", "table_name": "T", "table_description": "", "operations": [add("A", type="number")],
        "sample_rows": [{"A": "12"}, {"A": 12}],
    }  # fmt: skip
    prepared = read_schema_proposal(proposal, shape=NEW, new_id=lambda: "new", typecast=False)
    planned = plan_schema(shape=NEW, prepared={**prepared, "content_hash": "h"}, choice=Choice())
    samples = plan_sample_rows(prepared, columns=planned.after)
    assert ([fault.path for fault in samples.faults], samples.rows) == (["sample_rows[0].A"], [{"new": 12}])


def test_sample_rows_take_defaults_as_other_new_rows_do() -> None:
    extra: dict[str, Any] = {"table_name": "T", "table_description": "", "sample_rows": [{"A": "x"}, {"B": None}, {}]}
    prepared = prepared_schema(add("A"), add("B", type="number", default=3), shape=NEW, **extra)
    samples = plan_sample_rows(prepared, columns=plan_schema(shape=NEW, prepared=prepared, choice=Choice()).after)
    assert samples.rows == [{"new_0": "x", "new_1": 3}]


def test_the_wrong_mode_for_the_page_is_refused() -> None:
    with pytest.raises(Invalid):
        prepared_schema(add("A"), mode="create")


@pytest.mark.parametrize(
    ("current", "restored"), [(["Open", "New"], ["Open", "Done", "New"]), (["New"], ["Done", "New"])]
)
def test_a_restored_option_follows_its_predecessor(current: list[str], restored: list[str]) -> None:
    assert restored_options(current, was=["Open"], now=["Open", "Done"]) == restored


@pytest.mark.parametrize(
    ("now", "current", "restored"),
    [
        pytest.param("ba", "abx", "bxa", id="added after another"),
        pytest.param("ba", "xab", "xba", id="added as the first"),
        pytest.param("zabx", "ba", "bxa", id="moved since, and one removed"),
    ],
)
def test_a_restored_order_keeps_columns_after_their_predecessor(now: str, current: str, restored: str) -> None:
    pair = {"was": ["a", "b"], "now": list(now)}
    assert restored_order(pair, current=list(current), live=list("abx")) == list(restored)


CONVERSIONS = {
    "values of another type": (modify("Salary", type="text"), {}, "1 value will be converted."),
    "other options": (modify("Status", options=["Done"]), {"Open": "Done"}, "1 cell will get another option."),
    "no value that changes": (modify("Company", format="long"), {}, None),
}


@pytest.mark.parametrize(("operation", "mapping", "note"), CONVERSIONS.values(), ids=CONVERSIONS)
def test_changed_values_are_noted_with_their_number(
    operation: dict[str, Any], mapping: dict[str, str], note: str | None
) -> None:
    plan, choice = planned_schema(operation), Choice(on_removed_option=mapping)
    convert_rows(plan, rows=lambda columns: ROWS.values(), empty=lambda columns: {}, choice=choice)
    assert [each["detail"] for each in plan.planned[0].notes] == ([note] if note else [])


def test_only_the_first_hundred_decisions_about_other_options_are_reported() -> None:
    plan = planned_schema(modify("Status", options=["Open"]))
    choice = Choice(on_removed_option={f"Option {number}": "Open" for number in range(101)})
    with pytest.raises(Invalid) as caught:
        convert_rows(plan, rows=lambda columns: (), empty=lambda columns: {}, choice=choice)
    assert len(caught.value.faults) == 100
