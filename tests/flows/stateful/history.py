"""Undo and redo, of the latest change and of earlier ones; deletion, restore and copy of the table."""
from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tables.operations.changes.undo_paths import cell_of, cell_path
from tests.flows.stateful.base import MEMBERS, TableMachine
from tests.flows.stateful.content import Content, fits, shown
from tests.flows.stateful.model import Decision, Step, revert

Json = dict[str, Any]
DECISIONS = ("", "overwrite", "skip", "each")


class HistoryRules(TableMachine):
    """Undo and redo restore the exact state, and overwrite later changes only on request."""

    @precondition(lambda self: self.model.done)
    @rule(back=st.integers(1, 3))
    def undo_the_last(self, back: int) -> None:
        for _ in range(min(back, len(self.model.done))):
            step = self.model.undo()
            self.check_step(step, undone=True)

    @precondition(lambda self: self.model.undone)
    @rule()
    def redo_the_last(self) -> None:
        self.check_step(self.model.redo(), undone=False)

    def check_step(self, step: Step, *, undone: bool) -> None:
        word = "undo" if undone is not step.backwards else "redo"
        response = self.api.post(f"{self.address}changes/{step.change}/{word}/")
        assert (response.status_code, response.json()["version"]) == (200, self.model.version), response.content
        self.table_equals_the_model()
        self.check_proposal_status(step.proposal, undone=word == "undo")

    def check_proposal_status(self, proposal: str, *, undone: bool) -> None:
        by = self.proposers.get(proposal, "")
        if proposal and by in self.roles:
            status = self.apis[by].get(f"/api/chat/payloads/{proposal}/").json()["status"]
            assert (status == "undone") is undone

    @precondition(lambda self: len(self.model.done) > 1)
    @rule(data=st.data(), decision=st.sampled_from(DECISIONS))
    def undo_earlier_change(self, data: st.DataObject, decision: str) -> None:
        steps = [step for step in self.model.in_force()[:-1] if not step.backwards]
        if steps:
            step = data.draw(st.sampled_from(steps))
            choice = self.draw_decision(data, decision, current=step.after, target=step.before)
            self.check_earlier_change(step, current=step.after, target=step.before, word="undo", decision=choice)

    @precondition(lambda self: self.model.left_behind)
    @rule(data=st.data(), decision=st.sampled_from(DECISIONS))
    def redo_earlier_change(self, data: st.DataObject, decision: str) -> None:
        step = data.draw(st.sampled_from(self.model.left_behind))
        choice = self.draw_decision(data, decision, current=step.before, target=step.after)
        self.check_earlier_change(step, current=step.before, target=step.after, word="redo", decision=choice)

    def draw_decision(self, data: st.DataObject, decision: str, *, current: Content, target: Content) -> Decision:
        """Return one decision for all conflicts, or one per conflicting cell."""
        if decision != "each":
            return decision
        _, conflicts = revert(self.now, current=current, target=target, decision="")
        # Ordered by position, because ids differ in each run and must not influence the drawn values.
        places = [*current.column_ids(), *target.column_ids(), *self.now.column_ids()]

        def place(path: str) -> tuple[int, int]:
            row_id, key = cell_of(path) or (0, "")
            return row_id, places.index(key)

        return {path: data.draw(st.sampled_from(["overwrite", "skip"])) for path in sorted(conflicts, key=place)}

    def _path_by_id(self, path: str) -> str:
        """Return the path of a cell with the id of its column in place of its name."""
        row_id, name = cell_of(path) or (0, "")
        ids = {column["name"]: column["id"] for column in self.now.columns}
        return cell_path(row_id, ids.get(name, name))

    def check_earlier_change(
        self, step: Step, *, current: Content, target: Content, word: str, decision: Decision
    ) -> None:
        body = {"on_conflict": decision} if decision else {}
        response = self.api.post(f"{self.address}changes/{step.change}/{word}/", body)
        plain = current.columns == target.columns == self.now.columns
        after, conflicts = revert(self.now, current=current, target=target, decision=decision)
        refused = bool(conflicts) and not decision
        if plain:
            # A request without effect is no change.
            assert response.status_code == (409 if refused or after == self.now else 200), response.content
        if response.status_code == 409:
            body = self.check_response(response, status=409)
            listed = {self._path_by_id(error["path"]) for error in body.get("errors", ())}
            assert not plain or listed == (conflicts if refused else set())
            assert not plain or (body["error"] == "nothing_left") is not refused
            return
        if word == "redo":
            self.model.left_behind.remove(step)
        backwards = step.change if word == "undo" else 0
        after = after if plain else self.consistent_content()
        # All endpoints identify it by the id of the first change.
        change = self.check_response(response, status=200)["change"]
        assert change
        self.model.commit(after, change=step.change, proposal=step.proposal, backwards=bool(backwards))
        self.model.left_behind = [each for each in self.model.left_behind if each.change != step.change]
        if decision:
            # Values skipped by a decision are not restored by undoing again.
            self.model.done = self.model.done[-1:]
            self.model.left_behind.clear()
        self.check_proposal_status(step.proposal, undone=word == "undo")

    def consistent_content(self) -> Content:
        """Return the current table; if columns were added or deleted meanwhile, check only its consistency."""
        columns = [shown(column) for column in self.api.get(self.address).json()["columns"]]
        rows = self.api.get(f"{self.address}rows/", keys="id", limit=1_000).json()["rows"]
        content = Content(columns=columns, rows=[(row["id"], row["data"]) for row in rows])
        assert content.names_differ()
        assert content.ids() == sorted(content.ids())
        assert all(fits(value, content.column(key)) for _, held in content.rows for key, value in held.items())
        return content

    @rule(by_history=st.booleans())
    def delete_and_restore(self, by_history: bool) -> None:
        owner = self.apis["ada"]
        deletion = self.check_response(owner.delete(self.address), status=200)
        for api in self.apis.values():
            assert api.get(f"{self.address}rows/").status_code == 404
            assert api.post(f"{self.address}rows/", {}).status_code == 404
        endpoint = f"changes/{deletion['change']}/undo/" if by_history else "restore/"
        for name in MEMBERS:
            assert self.apis[name].post(f"{self.address}{endpoint}").status_code == 404
        self.check_response(owner.post(f"{self.address}{endpoint}"), status=200)
        self.model.version += 2

    @rule()
    def make_a_copy(self) -> None:
        response = self.api.post(f"{self.address}duplicate/")
        if not self.now.columns:
            assert self.check_response(response, status=422)["error"] == "no_columns"
            return
        copy = self.check_response(response, status=201)
        rows = self.api.get(f"/api/tables/{copy['id']}/rows/", limit=1_000).json()["rows"]
        names = {column["id"]: column["name"] for column in self.now.columns}
        nameless = [{**column, "id": ""} for column in self.now.columns]
        assert [shown({**column, "id": ""}) for column in copy["columns"]] == nameless
        assert [row["data"] for row in rows] == [
            {names[key]: value for key, value in held.items()} for _, held in self.now.rows
        ]
