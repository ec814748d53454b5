"""Applying row operations: rows, recorded changes, and no writes after an error."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from tables.exceptions import Conflict, Invalid, Malformed, NotFound, TablesError
from tables.models import Change, Row, Table
from tables.operations import Choice, Origin
from tables.selectors import read_rows, rows_by_id, table_shape
from tables.services import Applied, apply_data, prepare_data, preview_data, update_rows
from tests.tables.snapshots import snapshot

API = Origin("api")
ALL = Choice()
ApplyRows = Callable[..., Applied]


def named(table: Table) -> list[dict[str, Any]]:
    """Return the rows by column name, in order."""
    names = {column.id: column.name for column in table_shape(table).columns}
    return [{names[key]: value for key, value in row.data.items()} for row in read_rows(table)]


def ids(table: Table) -> list[int]:
    return [row.id for row in read_rows(table)]


def test_added_rows_are_last_in_the_order_of_the_proposal(jobs: Table, apply_rows: ApplyRows) -> None:
    applied = apply_rows(*({"action": "add", "data": {"Company": name}} for name in "DEF"))
    assert [row["Company"] for row in named(jobs)] == ["Acme", "Bolt", "Crux", "D", "E", "F"]
    assert [entry["row_id"] for entry in applied.applied] == ids(jobs)[3:]


def test_only_chosen_operations_are_applied(jobs: Table, apply_rows: ApplyRows) -> None:
    first, second, _ = ids(jobs)
    applied = apply_rows(
        {"action": "delete", "row_id": first},
        {"action": "update", "row_id": second, "changes": {"Salary": 5}},
        {"action": "add", "data": {"Company": "Dyn"}},
        operations=(1, 2),
    )
    assert [entry["index"] for entry in applied.applied] == [1, 2]
    assert [row["Company"] for row in named(jobs)] == ["Acme", "Bolt", "Crux", "Dyn"]
    assert named(jobs)[1]["Salary"] == 5


def test_a_deleted_row_has_a_new_version(jobs: Table, apply_rows: ApplyRows) -> None:
    row = read_rows(jobs)[0]
    apply_rows({"action": "delete", "row_id": row.id})
    assert Row.objects.get(pk=row.id).version == row.version + 1


def test_an_apply_is_one_change_with_its_origin_and_counts(user: User, jobs: Table, apply_rows: ApplyRows) -> None:
    applied = apply_rows({"action": "add", "data": {"Company": "D"}}, {"action": "delete", "row_id": ids(jobs)[0]})
    change = Change.objects.get(pk=applied.change)
    assert (change.actor, change.source, change.version) == (user, "api", applied.version)
    assert change.counts == {"add": 1, "delete": 1}
    assert change.summary == "Added 1 row, deleted 1 row"
    assert Table.objects.get(pk=jobs.pk).version == applied.version == jobs.version + 1


def test_a_condition_becomes_an_operation_for_each_matching_row(jobs: Table, apply_rows: ApplyRows) -> None:
    where = {"column": "Salary", "op": "gte", "value": 10}
    applied = apply_rows({"action": "update", "where": where, "changes": {"Status": "Done"}})
    assert len(applied.applied) == 2
    assert [row.get("Status") for row in named(jobs)] == ["Done", "Done", "Done"]


def test_a_condition_that_matches_nothing_is_a_warning(user: User, jobs: Table) -> None:
    where = {"column": "Salary", "op": "gt", "value": 1000}
    proposal = {"operations": [{"action": "delete", "where": where}]}
    prepared = prepare_data(user=user, table_id=jobs.pk, proposal=proposal)
    assert prepared["operations"] == []
    assert [warning["code"] for warning in prepared["warnings"]] == ["no_match"]


def test_a_condition_skips_rows_that_already_have_the_values(user: User, jobs: Table) -> None:
    everywhere = {"column": "Company", "op": "not_empty"}
    before = [row.get("Status") for row in named(jobs)]
    proposal = {"operations": [{"action": "update", "where": everywhere, "changes": {"Status": "Done"}}]}
    prepared = prepare_data(user=user, table_id=jobs.pk, proposal=proposal)
    assert len(prepared["operations"]) == sum(status != "Done" for status in before)
    assert 0 < len(prepared["operations"]) < len(before)


def test_a_condition_without_effect_is_a_warning(user: User, jobs: Table) -> None:
    where = {"column": "Status", "op": "any_of", "value": ["Done"]}
    proposal = {"operations": [{"action": "update", "where": where, "changes": {"Status": "Done"}}]}
    prepared = prepare_data(user=user, table_id=jobs.pk, proposal=proposal)
    assert prepared["operations"] == []
    assert [warning["code"] for warning in prepared["warnings"]] == ["nothing_to_change"]


def test_a_later_change_is_a_conflict_and_nothing_is_written(user: User, jobs: Table) -> None:
    row = ids(jobs)[0]
    operations = [
        {"action": "add", "data": {"Company": "Dyn"}},
        {"action": "update", "row_id": row, "changes": {"Salary": 99}},
    ]
    prepared = prepare_data(user=user, table_id=jobs.pk, proposal={"operations": operations})
    update_rows(user=user, table_id=jobs.pk, rows=[{"id": row, "data": {"Salary": 11}}], origin=API)
    before = snapshot(jobs.pk)
    with pytest.raises(Conflict) as caught:
        apply_data(user=user, prepared=prepared, choice=ALL, origin=API)
    assert [fault.path for fault in caught.value.faults] == ["operations[1].changes.Salary"]
    assert snapshot(jobs.pk) == before
    skipping = apply_data(user=user, prepared=prepared, choice=Choice(on_conflict="skip"), origin=API)
    assert [entry["reason"] for entry in skipping.skipped] == ["cell_changed"]
    assert named(jobs)[0]["Salary"] == 11


def test_the_outcome_has_the_reason_for_each_skipped_operation(user: User, jobs: Table) -> None:
    first, second, third = ids(jobs)
    operations = [
        {"action": "add", "data": {"Company": "Dyn"}},
        {"action": "update", "row_id": first, "changes": {"Company": "Acme"}},
        {"action": "update", "row_id": second, "changes": {"Salary": 20}},
        {"action": "delete", "row_id": third},
    ]
    prepared = prepare_data(user=user, table_id=jobs.pk, proposal={"operations": operations})
    update_rows(user=user, table_id=jobs.pk, rows=[{"id": second, "data": {"Salary": 11}}], origin=API)
    choice = Choice.read({"operations": [1, 2, 3], "on_conflict": "skip"})
    applied = apply_data(user=user, prepared=prepared, choice=choice, origin=API)
    assert applied.applied == [{"index": 3, "action": "delete", "row_id": third}]
    assert [(left["index"], left["action"], left["reason"]) for left in applied.skipped] == [
        (0, "add", "not_chosen"), (1, "update", "nothing_to_do"), (2, "update", "cell_changed"),
    ]  # fmt: skip


def test_an_empty_apply_is_refused_and_leaves_the_proposal_open(user: User, jobs: Table) -> None:
    prepared = prepare_data(user=user, table_id=jobs.pk, proposal={"operations": [{"action": "add", "data": {}}]})
    before = snapshot(jobs.pk)
    with pytest.raises(Malformed) as caught:
        apply_data(user=user, prepared=prepared, choice=Choice.read({"operations": []}), origin=API)
    assert [(fault.path, fault.code) for fault in caught.value.faults] == [("operations", "empty")]
    assert (snapshot(jobs.pk), Table.objects.get(pk=jobs.pk).version) == (before, jobs.version)


def test_duplicate_operations_in_a_choice_are_refused() -> None:
    with pytest.raises(Malformed) as caught:
        Choice.read({"operations": [0, 1, 0]})
    assert [(fault.path, fault.code) for fault in caught.value.faults] == [("operations[2]", "doubled_operation")]


def test_only_decided_conflicts_are_overwritten(user: User, jobs: Table) -> None:
    first, second = ids(jobs)[:2]
    operations = [{"action": "update", "row_id": row, "changes": {"Salary": 99}} for row in (first, second)]
    prepared = prepare_data(user=user, table_id=jobs.pk, proposal={"operations": operations})
    changed = [{"id": row, "data": {"Salary": 11}} for row in (first, second)]
    update_rows(user=user, table_id=jobs.pk, rows=changed, origin=API)
    choice = Choice.read({"operations": "all", "on_conflict": {"0": "overwrite"}})
    with pytest.raises(Conflict) as caught:
        apply_data(user=user, prepared=prepared, choice=choice, origin=API)
    assert [fault.path for fault in caught.value.faults] == ["operations[1].changes.Salary"]
    both = Choice.read({"operations": "all", "on_conflict": {"0": "overwrite", "1": "skip"}})
    apply_data(user=user, prepared=prepared, choice=both, origin=API)
    assert [row["Salary"] for row in named(jobs)[:2]] == [99, 11]


BAD: dict[str, list[Any]] = {
    "a value that does not fit": [{"action": "add", "data": {"Company": "D", "Salary": "lots"}}],
    "a required cell left out": [{"action": "add", "data": {"Salary": 1}}],
    "a row that is not there": [{"action": "delete", "row_id": 10**9}],
    "one bad among good": [{"action": "add", "data": {"Company": "D"}}, {"action": "add", "data": {}}],
    "an unknown column": [{"action": "add", "data": {"Firm": "D"}}],
    "a row id beyond any": [{"action": "delete", "row_id": 2**70}],
    "no operation": [],
}


@pytest.mark.parametrize("operations", BAD.values(), ids=BAD.keys())
def test_nothing_is_written_on_an_error(jobs: Table, apply_rows: ApplyRows, operations: list[Any]) -> None:
    before, changes = snapshot(jobs.pk), Change.objects.count()
    with pytest.raises((Malformed, Invalid)) as caught:
        apply_rows(*operations)
    assert caught.value.faults
    assert (snapshot(jobs.pk), Change.objects.count()) == (before, changes)


def test_a_choice_about_other_content_is_refused(user: User, jobs: Table) -> None:
    proposal = {"operations": [{"action": "add", "data": {"Company": "D"}}]}
    prepared = prepare_data(user=user, table_id=jobs.pk, proposal=proposal)
    seen = Choice(content_hash=prepared["content_hash"])
    assert apply_data(user=user, prepared=prepared, choice=seen, origin=API).applied
    with pytest.raises(Conflict) as caught:
        apply_data(user=user, prepared=prepared, choice=Choice(content_hash="another"), origin=API)
    assert caught.value.code == "content_changed"


@pytest.mark.parametrize(
    "body",
    [{}, {"operations": "some"}, {"operations": [True]}, {"operations": "all", "on_conflict": "maybe"},
     {"operations": "all", "on_conflict": {"0": "maybe"}}, {"operations": "all", "on_conflict": {"first": "skip"}},
     {"operations": "all", "edit": {}}, {"operations": "all", "edits": {"x": {}}}, []],
    ids=["empty", "unknown word", "boolean", "an unknown decision", "an unknown decision for one",
         "a decision for no index", "an unknown field", "no index", "a list"],
)  # fmt: skip
def test_invalid_choices_are_refused(body: Any) -> None:
    with pytest.raises(Malformed):
        Choice.read(body)


def test_unknown_indexes_are_refused(apply_rows: ApplyRows) -> None:
    with pytest.raises(Malformed):
        apply_rows({"action": "add", "data": {"Company": "D"}}, operations=(1,))


def test_a_preview_lists_casts_and_duplicates_and_writes_nothing(user: User, jobs: Table) -> None:
    operations = [
        {"action": "add", "data": {"Company": "Crux", "Salary": "30"}},
        {"action": "add", "data": {"Company": "New"}},
        {"action": "add", "data": {"Company": "New"}},
    ]
    before = snapshot(jobs.pk)
    prepared = prepare_data(user=user, table_id=jobs.pk, proposal={"operations": operations})
    preview = preview_data(user=user, prepared=prepared, choice=ALL)
    assert [[note["code"] for note in operation["notes"]] for operation in preview["operations"]] == [
        ["cast", "double"], [], ["double"],
    ]  # fmt: skip
    assert preview["counts"] == {"ok": 1, "warning": 2, "conflict": 0, "error": 0, "add": 3}
    assert snapshot(jobs.pk) == before


def test_tables_of_other_users_are_not_found(other_user: User, user: User, jobs: Table) -> None:
    proposal = {"operations": [{"action": "add", "data": {"Company": "D"}}]}
    prepared = prepare_data(user=user, table_id=jobs.pk, proposal=proposal)
    for attempt in (
        lambda: prepare_data(user=other_user, table_id=jobs.pk, proposal=proposal),
        lambda: preview_data(user=other_user, prepared=prepared, choice=ALL),
        lambda: apply_data(user=other_user, prepared=prepared, choice=ALL, origin=API),
    ):
        with pytest.raises(NotFound):
            attempt()


def test_rows_of_other_tables_are_not_found(user: User, jobs: Table, apply_rows: ApplyRows) -> None:
    from tables.services import create_table

    other = create_table(
        user=user, name="Other", columns=[{"name": "A", "type": "text"}], rows=[{"A": "x"}], origin=API
    )
    with pytest.raises(TablesError):
        apply_rows({"action": "delete", "row_id": ids(other)[0]})
    assert len(rows_by_id(other, ids(other))) == 1


def test_ten_thousand_rows_need_few_queries(
    user: User, jobs: Table, django_assert_max_num_queries: Any
) -> None:
    operations = [{"action": "add", "data": {"Company": f"Firm {number}"}} for number in range(2_000)]
    prepared = prepare_data(user=user, table_id=jobs.pk, proposal={"operations": operations})
    with django_assert_max_num_queries(60):
        apply_data(user=user, prepared=prepared, choice=ALL, origin=API)
    where = {"column": "Company", "op": "not_empty"}
    update = {"operations": [{"action": "update", "where": where, "changes": {"Note": "seen"}}]}
    prepared = prepare_data(user=user, table_id=jobs.pk, proposal=update)
    with django_assert_max_num_queries(20):
        assert len(apply_data(user=user, prepared=prepared, choice=ALL, origin=API).applied) == 2_003
