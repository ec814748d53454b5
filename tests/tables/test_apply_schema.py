"""Applying column operations: conversions, losses that need a decision, and new tables."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from tables.exceptions import Conflict, Invalid, Malformed
from tables.models import Table
from tables.operations import Choice, Origin
from tables.selectors import count_rows, read_rows, table_shape, tables_for
from tables.services import Applied, apply_schema, prepare_schema, preview_schema
from tests.tables.snapshots import snapshot

API = Origin("api")
ApplyColumns = Callable[..., Applied]


def column_names(table: Table) -> list[str]:
    return [column.name for column in table_shape(Table.objects.get(pk=table.pk)).columns]


def values(table: Table, name: str) -> list[Any]:
    """Return the values of a column in row order."""
    table = Table.objects.get(pk=table.pk)
    column = table_shape(table).column(name)
    assert column is not None
    return [row.data.get(column.id) for row in read_rows(table)]


def test_all_kinds_of_operations_are_one_change(jobs: Table, apply_columns: ApplyColumns) -> None:
    applied = apply_columns(
        {"action": "add", "column": {"name": "Due", "type": "date"}, "after_column_id": "Company"},
        {"action": "modify", "column_id": "Status", "changes": {"name": "State"}},
        {"action": "remove", "column_id": "Salary"},
        {"action": "reorder", "column_id": "Note"},
        words={"table_name": "Applications"},
    )
    assert column_names(jobs) == ["Note", "Company", "Due", "State"]
    assert (applied.version, applied.table_name) == (jobs.version + 1, "Applications")
    assert all(len(row.data) <= 4 for row in read_rows(jobs))


@pytest.mark.parametrize("expected", [{"name": "Pay"}, {"type": "text"}, {"required": True}], ids=repr)
def test_a_column_is_removed_only_if_it_is_as_expected(
    jobs: Table, apply_columns: ApplyColumns, expected: dict[str, Any]
) -> None:
    operation = {"action": "remove", "column_id": "Salary"}
    with pytest.raises(Conflict):
        apply_columns({**operation, "expected": expected})
    apply_columns({**operation, "expected": {"name": "Salary", "type": "number", "required": False}})
    assert "Salary" not in column_names(jobs)


def test_existing_rows_stay_empty_in_a_new_column_with_a_default(
    jobs: Table, apply_columns: ApplyColumns, apply_rows: ApplyColumns
) -> None:
    column = {"name": "Size", "type": "number", "default": 3, "required": True}
    apply_columns({"action": "add", "column": column}, on_empty_cells="keep")
    apply_rows({"action": "add", "data": {"Company": "Dyn"}})
    assert values(jobs, "Size") == [None, None, None, 3]


def retype(name: str, to: str, **changes: Any) -> dict[str, Any]:
    return {"action": "modify", "column_id": name, "changes": {"type": to, **changes}}


def test_a_type_change_converts_every_value(jobs: Table, apply_columns: ApplyColumns) -> None:
    apply_columns(retype("Salary", "text"))
    assert values(jobs, "Salary") == ["10", None, "30"]


def test_unconvertible_values_are_counted_and_cleared_only_on_request(
    user: User, jobs: Table, apply_columns: ApplyColumns
) -> None:
    proposal = {"mode": "update", "operations": [retype("Note", "number")]}
    prepared = prepare_schema(user=user, table_id=jobs.pk, proposal=proposal)
    (operation,) = preview_schema(user=user, prepared=prepared, choice=Choice())["operations"]
    assert (operation["losses"]["cleared"], operation["losses"]["converted"]) == (1, 1)
    assert operation["losses"]["examples"][0]["from"] == "soon"
    before = snapshot(jobs.pk)
    with pytest.raises(Invalid) as caught:
        apply_columns(retype("Note", "number"))
    assert [fault.code for fault in caught.value.faults] == ["unconvertible"]
    assert snapshot(jobs.pk) == before
    apply_columns(retype("Note", "number"), on_unconvertible="clear")
    assert values(jobs, "Note") == [12, None, None]


def test_a_column_converted_to_select_gets_its_values_as_options(jobs: Table, apply_columns: ApplyColumns) -> None:
    apply_columns(retype("Company", "select"))
    column = table_shape(Table.objects.get(pk=jobs.pk)).columns[0]
    assert (column.type, column.options) == ("select", ("Acme", "Bolt", "Crux"))
    assert values(jobs, "Company") == ["Acme", "Bolt", "Crux"]


REMOVED: dict[str, tuple[Any, list[Any]]] = {
    "cleared": ("clear", [None, "Done", None]),
    "mapped": ({"Open": "Done"}, ["Done", "Done", None]),
}


@pytest.mark.parametrize(("decision", "left"), REMOVED.values(), ids=REMOVED.keys())
def test_a_removed_option_in_use_needs_a_decision(
    jobs: Table, apply_columns: ApplyColumns, decision: Any, left: list[Any]
) -> None:
    change = {"action": "modify", "column_id": "Status", "changes": {"options": ["Done", "Later"]}}
    with pytest.raises(Invalid) as caught:
        apply_columns(change)
    assert [fault.code for fault in caught.value.faults] == ["option_in_use"]
    apply_columns(change, on_removed_option=decision)
    assert values(jobs, "Status") == left


MISTAKEN: dict[str, tuple[dict[str, str], str, str]] = {
    "an option that is not there": ({"Opn": "Done"}, "on_removed_option.Opn", "“Open”"),
    "an option that stays": ({"Open": "Done", "Done": "Done"}, "on_removed_option.Done", "“Open”"),
    "for one that will not be there": ({"Open": "Dne"}, "on_removed_option.Open", "“Done”"),
}


@pytest.mark.parametrize(("mapping", "path", "near"), MISTAKEN.values(), ids=MISTAKEN.keys())
def test_an_unknown_replacement_option_is_refused_with_a_suggestion(
    user: User, jobs: Table, apply_columns: ApplyColumns, mapping: dict[str, str], path: str, near: str
) -> None:
    change = {"action": "modify", "column_id": "Status", "changes": {"options": ["Done"]}}
    before = snapshot(jobs.pk)
    with pytest.raises(Invalid) as caught:
        apply_columns(change, on_removed_option=mapping)
    assert [(fault.path, fault.code) for fault in caught.value.faults] == [(path, "unknown_option")]
    assert near in caught.value.faults[0].detail
    assert snapshot(jobs.pk) == before


def test_a_removed_unused_option_needs_no_decision(jobs: Table, apply_columns: ApplyColumns) -> None:
    apply_columns({"action": "modify", "column_id": "Status", "changes": {"options": ["Open", "Done", "Later"]}})
    apply_columns({"action": "modify", "column_id": "Status", "changes": {"options": ["Open", "Done"]}})
    assert values(jobs, "Status") == ["Open", "Done", None]


def test_a_column_deleted_since_is_a_conflict(user: User, jobs: Table, apply_columns: ApplyColumns) -> None:
    proposal = {"mode": "update", "operations": [retype("Salary", "text")]}
    prepared = prepare_schema(user=user, table_id=jobs.pk, proposal=proposal)
    apply_columns({"action": "remove", "column_id": "Salary"})
    with pytest.raises(Conflict) as caught:
        apply_schema(user=user, prepared=prepared, choice=Choice(), origin=API)
    assert [fault.code for fault in caught.value.faults] == ["column_removed"]


CREATE: dict[str, Any] = {
    "mode": "create",
    "table_name": "Films",
    "table_description": "Seen and to see",
    "operations": [
        {"action": "add", "column": {"name": "Title", "type": "text", "required": True}},
        {"action": "add", "column": {"name": "Seen", "type": "boolean"}},
        {"action": "add", "column": {"name": "Stars", "type": "number"}, "after_column_id": "Title"},
    ],
    "sample_rows": [{"Title": "Alien", "Seen": "yes", "Stars": 5}],
}


def create(user: User, *samples: dict[str, Any], **choice: Any) -> Table:
    """Create a table with these sample rows."""
    proposal = {**CREATE, "sample_rows": [*CREATE["sample_rows"], *samples]}
    prepared = prepare_schema(user=user, table_id=None, proposal=proposal)
    applied = apply_schema(user=user, prepared=prepared, choice=Choice(**choice), origin=API)
    return Table.objects.get(pk=applied.table_id)


def test_sample_rows_are_created_only_on_request(user: User) -> None:
    table = create(user)
    assert (table.name, column_names(table), count_rows(table)) == ("Films", ["Title", "Stars", "Seen"], 0)


def test_sample_rows_are_created_with_the_table(user: User) -> None:
    table = create(user, include_sample_rows=True)
    assert (values(table, "Title"), values(table, "Seen")) == (["Alien"], [True])


UNREADABLE: dict[str, tuple[dict[str, Any], str, str]] = {
    "a value that does not fit": ({"Title": "Solaris", "Stars": "lots"}, "Stars", "not_a_number"),
    "a required value that is missing": ({"Seen": True}, "Title", "required"),
}


@pytest.mark.parametrize(("sample", "column", "code"), UNREADABLE.values(), ids=UNREADABLE.keys())
def test_an_invalid_sample_row_is_reported_and_blocks_the_apply(
    user: User, sample: dict[str, Any], column: str, code: str
) -> None:
    proposal = {**CREATE, "sample_rows": [*CREATE["sample_rows"], sample]}
    prepared = prepare_schema(user=user, table_id=None, proposal=proposal)
    warnings = preview_schema(user=user, prepared=prepared, choice=Choice())["warnings"]
    assert [(fault["path"], fault["code"]) for fault in warnings] == [(f"sample_rows[1].{column}", code)]
    with pytest.raises(Invalid) as caught:
        create(user, sample, include_sample_rows=True)
    assert [fault.path for fault in caught.value.faults] == [f"sample_rows[1].{column}"]
    assert tables_for(user).count() == 0
    assert count_rows(create(user, sample)) == 0


def test_sample_cells_of_unchosen_columns_are_ignored(user: User) -> None:
    table = create(user, {"Title": "Solaris", "Stars": "lots"}, operations=(0, 1), include_sample_rows=True)
    assert values(table, "Title") == ["Alien", "Solaris"]


def test_sample_rows_are_converted_to_a_corrected_column(user: User) -> None:
    table = create(user, {"Title": "Solaris", "Stars": "lots"}, edits={2: {"type": "text"}}, include_sample_rows=True)
    assert values(table, "Stars") == ["5", "lots"]


def test_a_new_table_with_some_columns_and_another_name(user: User) -> None:
    table = create(user, operations=(0, 2), table_name="Movies", include_sample_rows=True)
    assert (table.name, column_names(table)) == ("Movies", ["Title", "Stars"])
    assert [sorted(row.data.values(), key=str) for row in read_rows(table)] == [[5, "Alien"]]


def test_a_failed_creation_leaves_nothing(user: User) -> None:
    with pytest.raises(Invalid):
        create(user, operations=())
    assert tables_for(user).count() == 0


def test_a_create_preview_shows_columns_and_samples(user: User) -> None:
    prepared = prepare_schema(user=user, table_id=None, proposal=CREATE)
    preview = preview_schema(user=user, prepared=prepared, choice=Choice())
    assert [column["name"] for column in preview["columns"]] == ["Title", "Stars", "Seen"]
    assert (preview["table"]["name"], len(preview["sample_rows"])) == ("Films", 1)


def test_a_choice_about_another_proposal_is_refused_for_columns(user: User, jobs: Table) -> None:
    proposal = {"mode": "update", "operations": [{"action": "remove", "column_id": "Note"}]}
    prepared = prepare_schema(user=user, table_id=jobs.pk, proposal=proposal)
    with pytest.raises(Conflict) as caught:
        apply_schema(user=user, prepared=prepared, choice=Choice(content_hash="another"), origin=API)
    assert caught.value.code == "content_changed"
    with pytest.raises(Malformed):
        apply_schema(user=user, prepared=prepared, choice=Choice(operations=(0, 1)), origin=API)
    assert "Note" in column_names(jobs)
