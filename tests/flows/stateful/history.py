"""Back and forth: the last step, one out of turn, the whole table into the trash and out of it, and its copy."""
from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.flows.stateful.base import OTHERS, Living
from tests.flows.stateful.content import Content, fits, shown
from tests.flows.stateful.model import Decision, Step, taken_back

Json = dict[str, Any]
DECISIONS = ("", "overwrite", "keep", "each")


class HistoryOfALife(Living):
    """Undo is the identity of state, and so is redo; what changed since is not overwritten unasked."""

    @precondition(lambda self: self.model.done)
    @rule(back=st.integers(1, 3))
    def undo_the_last(self, back: int) -> None:
        for _ in range(min(back, len(self.model.done))):
            step = self.model.undo()
            self.turned(step, undone=True)

    @precondition(lambda self: self.model.undone)
    @rule()
    def redo_the_last(self) -> None:
        self.turned(self.model.redo(), undone=False)

    def turned(self, step: Step, *, undone: bool) -> None:
        word = "undo" if undone is not step.backwards else "redo"
        response = self.api.post(f"{self.address}changes/{step.change}/{word}/")
        assert (response.status_code, response.json()["version"]) == (200, self.model.version), response.content
        self.everything_is_as_the_model_says()
        self.told_to_the_proposal(step.proposal, undone=word == "undo")

    def told_to_the_proposal(self, proposal: str, *, undone: bool) -> None:
        by = self.proposers.get(proposal, "")
        if proposal and by in self.roles:
            status = self.apis[by].get(f"/api/chat/payloads/{proposal}/").json()["status"]
            assert (status == "undone") is undone

    @precondition(lambda self: len(self.model.done) > 1)
    @rule(data=st.data(), decision=st.sampled_from(DECISIONS))
    def undo_out_of_turn(self, data: st.DataObject, decision: str) -> None:
        steps = [step for step in self.model.in_force()[:-1] if not step.backwards]
        if steps:
            step = data.draw(st.sampled_from(steps))
            decided = self.decided(data, decision, left=step.after, wanted=step.before)
            self.out_of_turn(step, left=step.after, wanted=step.before, word="undo", decision=decided)

    @precondition(lambda self: self.model.left_behind)
    @rule(data=st.data(), decision=st.sampled_from(DECISIONS))
    def redo_out_of_turn(self, data: st.DataObject, decision: str) -> None:
        step = data.draw(st.sampled_from(self.model.left_behind))
        decided = self.decided(data, decision, left=step.before, wanted=step.after)
        self.out_of_turn(step, left=step.before, wanted=step.after, word="redo", decision=decided)

    def decided(self, data: st.DataObject, decision: str, *, left: Content, wanted: Content) -> Decision:
        """A word for all, or one for each cell that is in the way."""
        if decision != "each":
            return decision
        _, in_the_way = taken_back(self.now, left=left, wanted=wanted, decision="")
        # In the order of the table: ids are others in each life, and what is drawn must not hang on them.
        places = [*left.column_ids(), *wanted.column_ids(), *self.now.column_ids()]

        def place(path: str) -> tuple[int, int]:
            row_id, key = path.split(":")
            return int(row_id), places.index(key)

        return {path: data.draw(st.sampled_from(["overwrite", "keep"])) for path in sorted(in_the_way, key=place)}

    def out_of_turn(self, step: Step, *, left: Content, wanted: Content, word: str, decision: Decision) -> None:
        body = {"on_conflict": decision} if decision else {}
        response = self.api.post(f"{self.address}changes/{step.change}/{word}/", body)
        plain = left.columns == wanted.columns == self.now.columns
        after, in_the_way = taken_back(self.now, left=left, wanted=wanted, decision=decision)
        refused = bool(in_the_way) and not decision
        if plain:
            # What leaves everything as it is, is no change.
            assert response.status_code == (409 if refused or after == self.now else 200), response.content
        if response.status_code == 409:
            told = self.answered(response, status=409)
            listed = {error["path"] for error in told.get("errors", ())}
            assert not plain or listed == (in_the_way if refused else set())
            assert not plain or (told["error"] == "nothing_left") is not refused
            return
        if word == "redo":
            self.model.left_behind.remove(step)
        backwards = step.change if word == "undo" else 0
        after = after if plain else self.sound()
        # Its id is the first change's: all doors take that.
        change = self.answered(response, status=200)["change"]
        assert change
        self.model.commit(after, change=step.change, proposal=step.proposal, backwards=bool(backwards))
        self.model.left_behind = [each for each in self.model.left_behind if each.change != step.change]
        if decision:
            # What was decided away does not come back by taking the change back once more.
            self.model.done = self.model.done[-1:]
            self.model.left_behind.clear()
        self.told_to_the_proposal(step.proposal, undone=word == "undo")

    def sound(self) -> Content:
        """The table as it is: where columns came and went meanwhile, at least nothing is out of order."""
        columns = [shown(column) for column in self.api.get(self.address).json()["columns"]]
        rows = self.api.get(f"{self.address}rows/", keys="id", limit=1_000).json()["rows"]
        content = Content(columns=columns, rows=[(row["id"], row["data"]) for row in rows])
        assert content.names_differ()
        assert content.ids() == sorted(content.ids())
        assert all(fits(value, content.column(key)) for _, held in content.rows for key, value in held.items())
        return content

    @rule(by_history=st.booleans())
    def into_the_trash_and_out_again(self, by_history: bool) -> None:
        owner = self.apis["ada"]
        gone = self.answered(owner.delete(self.address), status=200)
        for api in self.apis.values():
            assert api.get(f"{self.address}rows/").status_code == 404
            assert api.post(f"{self.address}rows/", {}).status_code == 404
        door = f"changes/{gone['change']}/undo/" if by_history else "restore/"
        for name in OTHERS:
            assert self.apis[name].post(f"{self.address}{door}").status_code == 404
        self.answered(owner.post(f"{self.address}{door}"), status=200)
        self.model.version += 2

    @rule()
    def make_a_copy(self) -> None:
        response = self.api.post(f"{self.address}duplicate/")
        if not self.now.columns:
            assert self.answered(response, status=422)["error"] == "no_columns"
            return
        copy = self.answered(response, status=201)
        rows = self.api.get(f"/api/tables/{copy['id']}/rows/", limit=1_000).json()["rows"]
        names = {column["id"]: column["name"] for column in self.now.columns}
        nameless = [{**column, "id": ""} for column in self.now.columns]
        assert [shown({**column, "id": ""}) for column in copy["columns"]] == nameless
        assert [row["data"] for row in rows] == [
            {names[key]: value for key, value in held.items()} for _, held in self.now.rows
        ]
