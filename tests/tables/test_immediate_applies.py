"""Immediate applies have the same rows, changes, undo and errors as applies of stored proposals."""
from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from tables.exceptions import TablesError
from tables.models import Change, Row, Table
from tables.operations import Choice, Origin
from tables.operations.changes.delta import joined
from tables.services import Applied, Decisions, apply_data, change_rows, prepare_data, undo_change
from tests.conftest import Api
from tests.hypothesis_examples import examples
from tests.tables.snapshots import snapshot

API = Origin("api")
CELLS = st.dictionaries(
    st.sampled_from(["Company", "Status", "Salary", "Note"]),
    st.sampled_from(["Acme", "Open", "done", "7", 7, 1e23, True, None, ""]),
    min_size=1,
    max_size=3,
)
# Three existing rows and a missing one.
ROW_INDEXES = st.integers(min_value=0, max_value=3)
WHERE = st.sampled_from(
    [{"column": "Salary", "op": "gte", "value": 10}, {"column": "Status", "op": "any_of", "value": ["Done"]}]
)
OPERATIONS = st.one_of(
    st.builds(lambda cells: {"action": "add", "data": cells}, CELLS),
    st.builds(lambda place, cells: {"action": "update", "row_id": place, "changes": cells}, ROW_INDEXES, CELLS),
    st.builds(lambda place: {"action": "delete", "row_id": place}, ROW_INDEXES),
    st.builds(lambda where, cells: {"action": "update", "where": where, "changes": cells}, WHERE, CELLS),
    st.builds(lambda where: {"action": "delete", "where": where, "reason": "Over"}, WHERE),
)


NUMBER = re.compile(r"(?<=^operations\[)\d+|(?<=^Operation )\d+")


class _Rollback(Exception):
    """Raised to roll back a transaction."""


def outcome(table: Table, apply: Callable[[], Applied]) -> Any:
    """Apply, roll back and return the result without the ids of new rows."""
    before = set(Row.objects.filter(table=table).values_list("pk", flat=True))
    found: Any = None
    try:
        with transaction.atomic():
            try:
                applied = apply()
            except TablesError as error:
                # Immediate applies report operations as they were sent, stored proposals by their own numbers.
                reported = [(fault.code, fault.path, fault.detail) for fault in error.faults]
                faults = {(code, NUMBER.sub("#", path), NUMBER.sub("#", detail)) for code, path, detail in reported}
                found = (type(error), error.detail, faults)
            else:
                change = Change.objects.get(pk=applied.change) if applied.change else Change()
                done = joined(_steps(change)).rows if change.pk else []
                steps = [[key in before and key, was, now] for key, was, now in done]
                entries = [{**entry, "row_id": entry.get("row_id") in before} for entry in applied.applied]
                state = [row[1:] for row in snapshot(table.pk)["rows"]]
                found = (entries, applied.skipped, change.summary, change.counts, sorted(steps, key=repr), state)
            raise _Rollback
    except _Rollback:
        return found


def _steps(change: Change) -> list[Any]:
    return [piece.steps for piece in change.pieces.all()]


@examples(25)
@given(operations=st.lists(OPERATIONS, min_size=1, max_size=4), typecast=st.booleans())
def test_immediate_and_stored_applies_have_the_same_result(
    user: User, jobs: Table, operations: list[dict[str, Any]], typecast: bool
) -> None:
    there = [*Row.objects.filter(table=jobs).order_by("position").values_list("pk", flat=True), 10**9]
    named = [
        {**operation, "row_id": there[operation["row_id"]]} if "row_id" in operation else operation
        for operation in operations
    ]
    proposal = {"operations": named}

    def stored() -> Applied:
        prepared = prepare_data(user=user, table_id=jobs.pk, proposal=proposal, typecast=typecast)
        return apply_data(user=user, prepared=prepared, choice=Choice(), origin=API)

    def immediate() -> Applied:
        decisions = Decisions(typecast=typecast)
        return change_rows(user=user, table_id=jobs.pk, proposal=proposal, origin=API, decisions=decisions)

    assert outcome(jobs, immediate) == outcome(jobs, stored)


@pytest.mark.parametrize("count", [1, 1_250, 2_501])
def test_deleted_cells_are_stored_in_pieces_of_at_most_5000(user: User, jobs: Table, count: int) -> None:
    cells = {"Company": "Ace", "Status": "Open", "Salary": 1e23, "Note": 'a "quoted" line\n\\'}
    change_rows(
        user=user, table_id=jobs.pk, proposal={"operations": [{"action": "add", "data": cells}] * count}, origin=API
    )
    before = snapshot(jobs.pk)
    everything = {"action": "delete", "where": {"column": "Company", "op": "eq", "value": "Ace"}}
    deleted = change_rows(user=user, table_id=jobs.pk, proposal={"operations": [everything]}, origin=API)
    pieces = Change.objects.get(pk=deleted.change).pieces.all()
    sizes = [sum(len(was) for _, was, _ in piece.steps["rows"]) for piece in pieces]
    assert max(sizes) <= 5_000
    assert sum(sizes) == count * 4
    assert [piece.index for piece in pieces] == list(range(len(sizes)))
    undo_change(user=user, table_id=jobs.pk, change_id=deleted.change)
    assert snapshot(jobs.pk) == before


def test_write_responses_match_later_reads(api: Api, jobs: Table) -> None:
    where = f"/api/tables/{jobs.pk}/rows/"
    rows = [{"Company": "Ace", "Salary": 1e23}, {"Company": "Bee", "Status": "Done", "Salary": -0.0, "Note": None}]
    added = api.post(where, {"rows": rows}).json()["rows"]
    first, second = (row["id"] for row in added)
    changes = [{"id": second, "data": {"Note": ""}}, {"id": first, "data": {"Salary": 2.0, "Status": "Open"}}]
    changed = api.patch(where, {"rows": changes}).json()["rows"]
    read = api.get(where, ids=f"{second},{first}").json()["rows"]
    assert changed == read
    assert [row["version"] for row in read] == [1, 2]
