"""Stateful test: undo restores the exact earlier state and redo the later one for random proposals."""
from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from tables.exceptions import Conflict, TablesError
from tables.models import Table
from tables.operations import Choice, Origin
from tables.selectors import read_rows, table_shape
from tables.services import (
    Applied,
    apply_data,
    apply_schema,
    compose_undo,
    create_table,
    move_rows,
    prepare_data,
    prepare_schema,
    redo_change,
    restore_as_of,
    undo_change,
)
from tests.hypothesis_examples import examples
from tests.tables.snapshots import every_value_fits, snapshot

pytestmark = pytest.mark.slow

API = Origin("api")
TYPES = ["text", "number", "date", "boolean", "select"]
OPTIONS = ["Open", "To do", "Done", "1", "2026-01-02", "true"]
VALUES = st.sampled_from(
    [None, "", "Open", "open", "Done", "x y", "É", 0, 1, -2.5, 1e23, "1,200", True, False, "true", "2026-01-02", "12"]
)
FORMATS = st.sampled_from(["plain", "decimal", "percent", "rating", "duration"])
NAMES = ["Company", "Status", "Due", "Size", "Note"]
WORDS = st.sampled_from(NAMES)


def columns() -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy for column definitions, most of them valid."""
    plain = st.fixed_dictionaries({"name": WORDS, "type": st.sampled_from(TYPES[:4]), "required": st.booleans()})
    select = st.fixed_dictionaries(
        {
            "name": WORDS,
            "type": st.just("select"),
            "options": st.lists(st.sampled_from(OPTIONS), min_size=1, max_size=4, unique=True),
            "filterDisplay": st.sampled_from(["tab", "dropdown"]),
        }
    )
    formatted = st.fixed_dictionaries({"name": WORDS, "type": st.just("number"), "format": FORMATS})
    return st.one_of(plain, select, formatted)


def data_operations(refs: list[str], ids: list[int]) -> st.SearchStrategy[dict[str, Any]]:
    cells = st.dictionaries(st.sampled_from(refs), VALUES, min_size=1, max_size=4)
    kinds = [st.fixed_dictionaries({"action": st.just("add"), "data": cells})]
    if ids:
        row = st.sampled_from(ids)
        kinds += [
            st.fixed_dictionaries({"action": st.just("update"), "row_id": row, "changes": cells}),
            st.fixed_dictionaries({"action": st.just("delete"), "row_id": row}),
        ]
    where = st.fixed_dictionaries({"column": st.sampled_from(refs), "op": st.sampled_from(["empty", "not_empty"])})
    kinds.append(st.fixed_dictionaries({"action": st.just("update"), "where": where, "changes": cells}))
    return st.one_of(kinds)


def schema_operations(refs: list[str]) -> st.SearchStrategy[dict[str, Any]]:
    ref = st.sampled_from(refs)
    place = st.one_of(st.none(), ref)
    values = {
        "name": WORDS,
        "type": st.sampled_from(TYPES),
        "required": st.booleans(),
        "default": st.sampled_from(["", "Open", "1", 0, "true", 1e23, "2026-01-02"]),
        "options": st.lists(st.sampled_from(OPTIONS), min_size=1, max_size=4, unique=True),
    }
    keys = st.sets(st.sampled_from(sorted(values)), min_size=1)
    formatted = st.fixed_dictionaries({"type": st.just("number"), "format": FORMATS})
    filled = keys.flatmap(lambda some: st.fixed_dictionaries({key: values[key] for key in sorted(some)}))
    return st.one_of(
        st.fixed_dictionaries({"action": st.just("add"), "column": columns(), "after_column_id": place}),
        st.fixed_dictionaries({"action": st.just("modify"), "column_id": ref, "changes": filled | formatted}),
        st.fixed_dictionaries({"action": st.just("remove"), "column_id": ref}),
        st.fixed_dictionaries({"action": st.just("reorder"), "column_id": ref, "after_column_id": place}),
    )


class TableHistory(RuleBasedStateMachine):
    """A table with random proposals of both kinds, undo, redo and restore."""

    user: User
    table: Table
    done: list[tuple[int, dict[str, Any], dict[str, Any]]]
    composed: list[dict[str, Any]]
    states: dict[int, dict[str, Any]]

    @initialize(definitions=st.lists(columns(), min_size=2, max_size=4, unique_by=lambda column: column["name"]))
    def begin(self, definitions: list[dict[str, Any]]) -> None:
        self.user, _ = User.objects.get_or_create(username="ada")
        self.table = create_table(user=self.user, name="Life", columns=definitions, origin=API)
        self.done = []
        self.composed = []
        self.states = {}

    def refs(self) -> list[str]:
        return [column.id for column in table_shape(Table.objects.get(pk=self.table.pk)).columns]

    @rule(data=st.data())
    def change_rows(self, data: st.DataObject) -> None:
        refs = self.refs()
        if not refs:
            return
        ids = [row.id for row in read_rows(self.table)]
        operations = data.draw(st.lists(data_operations(refs, ids), min_size=1, max_size=6))
        prepared = prepare_data(user=self.user, table_id=self.table.pk, proposal={"operations": operations})
        chosen = [operation["index"] for operation in prepared["operations"] if not operation.get("faults")]
        self.apply(apply_data, prepared=prepared, chosen=chosen)

    @rule(data=st.data(), unconvertible=st.booleans(), removed=st.sampled_from(["", "clear"]))
    def change_columns(self, data: st.DataObject, unconvertible: bool, removed: str) -> None:
        refs = self.refs() or ["none"]
        operations = data.draw(st.lists(schema_operations(refs), min_size=1, max_size=4))
        title = data.draw(st.one_of(st.none(), WORDS))
        proposal = {"mode": "update", "operations": operations, "table_name": title}
        try:
            prepared = prepare_schema(user=self.user, table_id=self.table.pk, proposal=proposal)
        except TablesError:
            return
        chosen = [operation["index"] for operation in prepared["operations"] if not operation.get("faults")]
        decided = {"on_unconvertible": "clear" if unconvertible else "", "on_removed_option": removed}
        self.apply(apply_schema, prepared=prepared, chosen=chosen, **decided)

    @rule(data=st.data(), after=st.booleans())
    def move_some_rows(self, data: st.DataObject, after: bool) -> None:
        ids = [row.id for row in read_rows(self.table)]
        if len(ids) < 2:
            return
        beside, *moved = data.draw(st.lists(st.sampled_from(ids), min_size=2, max_size=4, unique=True))
        place = {"after_row_id" if after else "before_row_id": beside}
        self.try_out(lambda: move_rows(user=self.user, table_id=self.table.pk, row_ids=moved, place=place, origin=API))

    def apply(self, service: Any, *, prepared: dict[str, Any], chosen: list[int], **decided: Any) -> None:
        choice = Choice(operations=tuple(chosen), **decided)
        self.try_out(lambda: service(user=self.user, prepared=prepared, choice=choice, origin=API))

    def try_out(self, write: Callable[[], Applied]) -> None:
        """Apply a change, undo it and redo it."""
        before = snapshot(self.table.pk)
        try:
            applied = write()
        except TablesError:
            assert snapshot(self.table.pk) == before
            return
        after = snapshot(self.table.pk)
        if applied.change is None:
            assert after == before
            return
        undo_change(user=self.user, table_id=self.table.pk, change_id=applied.change)
        assert snapshot(self.table.pk) == before
        redo_change(user=self.user, table_id=self.table.pk, change_id=applied.change)
        assert snapshot(self.table.pk) == after
        self.done.append((applied.change, before, after))

    @rule(back=st.integers(1, 5))
    def undo_several_and_redo_them(self, back: int) -> None:
        recent = self.done[-back:]
        for change, before, _ in reversed(recent):
            undo_change(user=self.user, table_id=self.table.pk, change_id=change)
            assert snapshot(self.table.pk) == before
        for change, _, after in recent:
            redo_change(user=self.user, table_id=self.table.pk, change_id=change)
            assert snapshot(self.table.pk) == after

    @rule(data=st.data(), decision=st.sampled_from([None, "overwrite", "skip"]))
    def undo_an_older_one(self, data: st.DataObject, decision: str | None) -> None:
        """Undo an older change, which may conflict; undoing that undo restores the state before it."""
        if not self.done:
            return
        change, _, _ = data.draw(st.sampled_from(self.done))
        before = snapshot(self.table.pk)
        try:
            undone = undo_change(user=self.user, table_id=self.table.pk, change_id=change, on_conflict=decision)
        except Conflict:
            assert snapshot(self.table.pk) == before
            return
        assert every_value_fits(self.table.pk)
        undo_change(user=self.user, table_id=self.table.pk, change_id=undone.pk)
        assert snapshot(self.table.pk) == before
        # This change is the last one now, so that the others can no longer be undone in reverse order.
        self.done.clear()

    @rule(data=st.data(), decision=st.sampled_from([None, "overwrite", "skip"]), redo=st.booleans())
    def compose_an_undo(self, data: st.DataObject, decision: str | None, redo: bool) -> None:
        """Compose an undo without a lock; the table may change before it is written."""
        if not self.done:
            return
        change, _, _ = data.draw(st.sampled_from(self.done))
        arguments = {"user": self.user, "table_id": self.table.pk, "change_id": change, "on_conflict": decision}
        with suppress(TablesError):
            if redo:
                undo_change(**{**arguments, "on_conflict": "overwrite"})
                self.done.clear()
            self.composed.append({**arguments, "redo": redo, "composed": compose_undo(**arguments, redo=redo)})

    @rule(data=st.data())
    def write_a_composed_undo(self, data: st.DataObject) -> None:
        """Assert that a composed undo has the result of a newly composed one."""
        if self.composed:
            arguments = dict(data.draw(st.sampled_from(self.composed)))
            write = redo_change if arguments.pop("redo") else undo_change
            assert self.outcome(write, **arguments) == self.outcome(write, **{**arguments, "composed": None})

    def outcome(self, write: Any, **arguments: Any) -> Any:
        """Return the resulting table or the error; the write is rolled back."""
        try:
            with transaction.atomic():
                created = write(**arguments)
                assert every_value_fits(self.table.pk)
                outcome = snapshot(self.table.pk), created.summary, [piece.steps for piece in created.pieces.all()]
                transaction.set_rollback(True)
                return outcome
        except TablesError as error:
            return error.code, error.faults

    @rule(data=st.data())
    def restore_an_earlier_state(self, data: st.DataObject) -> None:
        """Restore an earlier state by one change and undo it."""
        change = data.draw(st.sampled_from(sorted(self.states)))
        before = snapshot(self.table.pk)
        try:
            restored = restore_as_of(user=self.user, table_id=self.table.pk, change_id=change)
        except Conflict:
            assert self.states[change] == before
            return
        assert snapshot(self.table.pk) == self.states[change]
        assert every_value_fits(self.table.pk)
        undo_change(user=self.user, table_id=self.table.pk, change_id=restored.pk)
        assert snapshot(self.table.pk) == before

    @invariant()
    def remember_the_state_after_the_last_change(self) -> None:
        if hasattr(self, "table"):
            self.states[self.table.changes.latest("version").pk] = snapshot(self.table.pk)

    @invariant()
    def every_cell_is_of_a_live_column_and_fits_it(self) -> None:
        if hasattr(self, "table"):
            assert every_value_fits(self.table.pk)


def test_apply_undo_redo_give_back_the_exact_states(db: None) -> None:
    # Each example has its own table within the transaction of this test.
    run_state_machine_as_test(TableHistory, settings=settings(examples(15), stateful_step_count=8))
