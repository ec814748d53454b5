"""Proposals for rows: direct and stored, at once and late, in part, with edits and decisions."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from chat.models import Payload
from tests.flows.stateful.base import TableMachine
from tests.flows.stateful.content import EMPTY, Content, equal, fits
from tests.flows.stateful.strategies import cells, operations
from tests.stored_proposals import apply_url, rows_proposal

Json = dict[str, Any]
CELLS = {"add": "data", "update": "changes", "delete": "none"}


@dataclass
class StoredProposal:
    """A stored proposal, the table at that time, and the user who got it."""

    payload: Payload
    operations: list[Json]
    then: Content
    by: str

NOT_CHOSEN = ("not_chosen", "error")  # a faulty operation can be chosen only after an edit


class RowProposalRules(TableMachine):
    """After any change of the table, nothing is overwritten unseen and only chosen operations are applied."""

    def __init__(self) -> None:
        super().__init__()
        self.held: list[StoredProposal] = []

    @precondition(lambda self: self.now.columns)
    @rule(data=st.data())
    def apply_a_proposal_for_rows(self, data: st.DataObject) -> None:
        drawn = data.draw(operations(self.now))
        response = self.api.post(f"{self.address}proposals/data/", {"operations": drawn})
        held = StoredProposal(Payload(), drawn, self.now, self.acting)
        self.check_rows_outcome(response, held=held, chosen=list(range(len(drawn))), edits={}, decision="")

    @precondition(lambda self: self.now.columns)
    @rule(data=st.data())
    def change_all_that_have_a_value(self, data: st.DataObject) -> None:
        column_id = data.draw(st.sampled_from(self.now.column_ids()))
        changes = data.draw(cells(self.now, needed=False))
        found = [row_id for row_id, held in self.now.rows if column_id in held]
        where = {"where": {"column": column_id, "op": "not_empty"}}
        if data.draw(st.integers(0, 3)):
            written: Json = {"action": "update", **where, "changes": changes}
            unlike = [row_id for row_id in found if not self._has_values(row_id, changes)]
            drawn: list[Json] = [{"action": "update", "row_id": row_id, "changes": changes} for row_id in unlike]
        else:
            written = {"action": "delete", **where}
            drawn = [{"action": "delete", "row_id": row_id} for row_id in found]
        response = self.api.post(f"{self.address}proposals/data/", {"operations": [written]})
        held = StoredProposal(Payload(), drawn, self.now, self.acting)
        self.check_rows_outcome(response, held=held, chosen=list(range(len(drawn))), edits={}, decision="")

    def _has_values(self, row_id: int, changes: Json) -> bool:
        held = self.now.cells(row_id)
        return all(equal(held.get(key), None if value in EMPTY else value) for key, value in changes.items())

    @precondition(lambda self: self.now.columns and len(self.held) < 3)
    @rule(data=st.data())
    def store_a_proposal_for_rows(self, data: st.DataObject) -> None:
        drawn = data.draw(operations(self.now))
        payload = rows_proposal(self.user, *drawn, table_id=self.table_id)
        self.held.append(StoredProposal(payload, drawn, self.model.draft(), self.acting))
        stored = self.api.get(f"/api/chat/payloads/{payload.pk}/operations/").json()["operations"]
        assert [each.get("reason", "") for each in stored] == [each.get("reason", "") for each in drawn]

    @precondition(lambda self: self.held)
    @rule(data=st.data(), decision=st.sampled_from(["", "skip", "overwrite"]))
    def apply_a_part_of_a_stored_proposal_for_rows(self, data: st.DataObject, decision: str) -> None:
        held = data.draw(st.sampled_from(self.held))
        chosen = sorted(data.draw(st.sets(st.integers(0, len(held.operations) - 1), min_size=1)))
        writing = [index for index in chosen if held.operations[index]["action"] != "delete"]
        edited = data.draw(st.sets(st.sampled_from(writing), max_size=2)) if writing and self.now.columns else set()
        edits = {str(index): data.draw(cells(self.now, needed=False)) for index in sorted(edited)}
        body = {"operations": chosen, "edits": edits} | ({"on_conflict": decision} if decision else {})
        api = self.apis[held.by]
        for name in {*self.apis} - {held.by}:
            assert self.apis[name].post(apply_url(held.payload), body).status_code == 404
        response = api.post(apply_url(held.payload), body)
        if not self.may_apply(response, by=held.by):
            return
        if not self.check_rows_outcome(response, held=held, chosen=chosen, edits=edits, decision=decision):
            assert api.get(f"/api/chat/payloads/{held.payload.pk}/").json()["status"] == "pending"
            return
        self.held.remove(held)
        answer = response.json()
        again = self.check_response(api.post(apply_url(held.payload), {"operations": "all"}), status=409)
        assert (again["error"], again["outcome"]) == (f"already_{answer['status']}", answer["outcome"])

    def _does_anything(self, held: StoredProposal, *, planned: list[tuple[int, Json]]) -> bool:
        after = self.model.draft()
        for index, values in planned:
            if held.operations[index]["action"] == "add":
                return True
            perform(after, held.operations[index], values=values, row_id=held.operations[index]["row_id"])
        return after != self.now

    def check_rows_outcome(
        self, response: Any, *, held: StoredProposal, chosen: list[int], edits: dict[str, Json], decision: str
    ) -> bool:
        """Check the response and return whether the proposal was applied."""
        now, after, proposal = self.now, self.model.draft(), str(held.payload.pk) if held.payload.turn_id else ""
        planned = {
            index: state_of(held.operations[index], edit=edits.get(str(index), {}), then=held.then, now=now)
            for index in chosen
        }
        states = {state for state, _ in planned.values()}
        conflicts = {index for index, (state, _) in planned.items() if state in ("conflict", "gone")}
        if "error" in states or (conflicts and not decision):
            self.check_response(response, status=422 if "error" in states else 409)
            return False
        skipped = {index for index in conflicts if decision == "skip" or planned[index][0] == "gone"}
        remaining = [(index, planned[index][1]) for index in {*chosen} - skipped]
        if skipped and not self._does_anything(held, planned=remaining):
            assert self.check_response(response, status=409)["error"] == "nothing_left"
            return False
        assert response.status_code == 200, response.content
        outcome = response.json()["outcome"] if proposal else response.json()
        entries = {entry["index"]: entry for entry in [*outcome["applied"], *outcome["skipped"]]}
        for index in chosen:
            if index not in skipped:
                perform(after, held.operations[index], values=planned[index][1], row_id=entries[index]["row_id"])
        self.proposers[proposal] = held.by
        self.check_response(response, status=200, content=after, proposal=proposal)
        idle = {entry["index"] for entry in outcome["skipped"] if entry["reason"] == "nothing_to_do"}
        unchosen = {entry["index"] for entry in outcome["skipped"] if entry["reason"] in NOT_CHOSEN}
        assert {entry["index"] for entry in outcome["applied"]} == {*chosen} - skipped - idle
        assert unchosen == ({*range(len(held.operations))} - {*chosen} if proposal else set())
        return True


def perform(content: Content, operation: Json, *, values: Json, row_id: int) -> None:
    if operation["action"] == "add":
        content.add(row_id, values)
    elif operation["action"] == "update":
        content.change(row_id, values)
    else:
        content.delete({row_id})


def state_of(operation: Json, *, edit: Json, then: Content, now: Content) -> tuple[str, Json]:
    """Return the state of an operation written `then` if applied `now`: ok, error, conflict or gone; and its cells."""
    columns, action = {column["id"]: column for column in now.columns}, operation["action"]
    row = dict(now.rows).get(operation.get("row_id", 0))
    intended: Json = operation.get(CELLS[action], {})
    written = {key: value for key, value in intended.items() if key not in edit}
    unread = {key for key, value in intended.items() if value not in EMPTY and not fits(value, then.column(key))}
    faulty = unread & written.keys()
    faulty |= {key for key, value in edit.items() if value not in EMPTY and not fits(value, columns[key])}
    values = {key: value for key, value in {**written, **edit}.items() if key not in faulty}
    if action == "add":
        values = {key: value for key, value in values.items() if value not in EMPTY}
    usable = {
        key: value for key, value in values.items() if key in columns and (value in EMPTY or fits(value, columns[key]))
    }
    conflict = usable.keys() != values.keys()
    needed = {column["id"] for column in now.columns if column["required"]} - faulty
    if action == "add":
        unsaid = {column["id"] for column in now.columns} - {*intended, *edit}
        usable |= {key: value for key, value in now.completed({}).items() if key in unsaid}
        lacking = needed - usable.keys()
    elif row is None:
        return "error" if faulty else "gone", {}
    elif action == "delete":
        was = {key: value for key, value in then.cells(operation["row_id"]).items() if key in columns}
        conflict |= was.keys() != row.keys() or not all(equal(value, row[key]) for key, value in was.items())
        lacking = set()
    else:
        before = then.cells(operation["row_id"])
        new = {key for key, value in usable.items() if not equal(row.get(key), None if value in EMPTY else value)}
        conflict |= any(not equal(row.get(key), before.get(key)) for key in (new & intended.keys()) - unread)
        lacking = {key for key in new & needed if usable[key] in EMPTY}
    if faulty or lacking:
        return "error", {}
    return "conflict" if conflict else "ok", usable
