"""Proposals for rows, directly and stored, at once and late, in part, with corrections and decisions."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from chat.models import Payload
from tests.flows.stateful.base import Living
from tests.flows.stateful.content import EMPTY, Content, fits, same
from tests.flows.stateful.strategies import cells, operations
from tests.stored_proposals import apply_url, rows_proposal

Json = dict[str, Any]
CELLS = {"add": "data", "update": "changes", "delete": "none"}


@dataclass
class Held:
    """A stored proposal, the table as it was then, and who was given it."""

    payload: Payload
    operations: list[Json]
    then: Content
    by: str

NOT_CHOSEN = ("not_chosen", "error")  # a faulty one may only be chosen once it is edited


class RowProposalsOfALife(Living):
    """Whatever became of the table meanwhile: nothing is overwritten unseen, nothing done that was not chosen."""

    def __init__(self) -> None:
        super().__init__()
        self.held: list[Held] = []

    @precondition(lambda self: self.now.columns)
    @rule(data=st.data())
    def apply_a_proposal_for_rows(self, data: st.DataObject) -> None:
        drawn = data.draw(operations(self.now))
        response = self.api.post(f"{self.address}proposals/data/", {"operations": drawn})
        held = Held(Payload(), drawn, self.now, self.acting)
        self.rows_changed(response, held=held, chosen=list(range(len(drawn))), edits={}, decision="")

    @precondition(lambda self: self.now.columns)
    @rule(data=st.data())
    def change_all_that_have_a_value(self, data: st.DataObject) -> None:
        column_id = data.draw(st.sampled_from(self.now.column_ids()))
        changes = data.draw(cells(self.now, needed=False))
        found = [row_id for row_id, held in self.now.rows if column_id in held]
        where = {"where": {"column": column_id, "op": "not_empty"}}
        if data.draw(st.integers(0, 3)):
            written: Json = {"action": "update", **where, "changes": changes}
            unlike = [row_id for row_id in found if not self._is_so(row_id, changes)]
            drawn: list[Json] = [{"action": "update", "row_id": row_id, "changes": changes} for row_id in unlike]
        else:
            written = {"action": "delete", **where}
            drawn = [{"action": "delete", "row_id": row_id} for row_id in found]
        response = self.api.post(f"{self.address}proposals/data/", {"operations": [written]})
        held = Held(Payload(), drawn, self.now, self.acting)
        self.rows_changed(response, held=held, chosen=list(range(len(drawn))), edits={}, decision="")

    def _is_so(self, row_id: int, changes: Json) -> bool:
        held = self.now.cells(row_id)
        return all(same(held.get(key), None if value in EMPTY else value) for key, value in changes.items())

    @precondition(lambda self: self.now.columns and len(self.held) < 3)
    @rule(data=st.data())
    def store_a_proposal_for_rows(self, data: st.DataObject) -> None:
        drawn = data.draw(operations(self.now))
        payload = rows_proposal(self.user, *drawn, table_id=self.table_id)
        self.held.append(Held(payload, drawn, self.model.draft(), self.acting))
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
        if not self.rows_changed(response, held=held, chosen=chosen, edits=edits, decision=decision):
            assert api.get(f"/api/chat/payloads/{held.payload.pk}/").json()["status"] == "pending"
            return
        self.held.remove(held)
        answer = response.json()
        again = self.answered(api.post(apply_url(held.payload), {"operations": "all"}), status=409)
        assert (again["error"], again["outcome"]) == (f"already_{answer['status']}", answer["outcome"])

    def _does_anything(self, held: Held, *, planned: list[tuple[int, Json]]) -> bool:
        after = self.model.draft()
        for index, given in planned:
            if held.operations[index]["action"] == "add":
                return True
            do(after, held.operations[index], given=given, row_id=held.operations[index]["row_id"])
        return after != self.now

    def rows_changed(
        self, response: Any, *, held: Held, chosen: list[int], edits: dict[str, Json], decision: str
    ) -> bool:
        """Whether it was applied; what was answered is what had to be."""
        now, after, proposal = self.now, self.model.draft(), str(held.payload.pk) if held.payload.turn_id else ""
        planned = {
            index: looked_at(held.operations[index], edit=edits.get(str(index), {}), then=held.then, now=now)
            for index in chosen
        }
        states = {state for state, _ in planned.values()}
        conflicts = {index for index, (state, _) in planned.items() if state in ("conflict", "gone")}
        if "error" in states or (conflicts and not decision):
            self.answered(response, status=422 if "error" in states else 409)
            return False
        left = {index for index in conflicts if decision == "skip" or planned[index][0] == "gone"}
        if left and not self._does_anything(held, planned=[(index, planned[index][1]) for index in {*chosen} - left]):
            assert self.answered(response, status=409)["error"] == "nothing_left"
            return False
        assert response.status_code == 200, response.content
        outcome = response.json()["outcome"] if proposal else response.json()
        told = {entry["index"]: entry for entry in [*outcome["applied"], *outcome["skipped"]]}
        for index in chosen:
            if index not in left:
                do(after, held.operations[index], given=planned[index][1], row_id=told[index]["row_id"])
        self.proposers[proposal] = held.by
        self.answered(response, status=200, content=after, proposal=proposal)
        idle = {entry["index"] for entry in outcome["skipped"] if entry["reason"] == "nothing_to_do"}
        unchosen = {entry["index"] for entry in outcome["skipped"] if entry["reason"] in NOT_CHOSEN}
        assert {entry["index"] for entry in outcome["applied"]} == {*chosen} - left - idle
        assert unchosen == ({*range(len(held.operations))} - {*chosen} if proposal else set())
        return True


def do(content: Content, operation: Json, *, given: Json, row_id: int) -> None:
    if operation["action"] == "add":
        content.add(row_id, given)
    elif operation["action"] == "update":
        content.change(row_id, given)
    else:
        content.delete({row_id})


def looked_at(operation: Json, *, edit: Json, then: Content, now: Content) -> tuple[str, Json]:
    """What an operation written `then` comes to `now`: ok, error, conflict or gone; and the cells it can set."""
    columns, action = {column["id"]: column for column in now.columns}, operation["action"]
    row = dict(now.rows).get(operation.get("row_id", 0))
    meant: Json = operation.get(CELLS[action], {})
    written = {key: value for key, value in meant.items() if key not in edit}
    unread = {key for key, value in meant.items() if value not in EMPTY and not fits(value, then.column(key))}
    faulty = unread & written.keys()
    faulty |= {key for key, value in edit.items() if value not in EMPTY and not fits(value, columns[key])}
    given = {key: value for key, value in {**written, **edit}.items() if key not in faulty}
    if action == "add":
        given = {key: value for key, value in given.items() if value not in EMPTY}
    usable = {
        key: value for key, value in given.items() if key in columns and (value in EMPTY or fits(value, columns[key]))
    }
    conflict = usable.keys() != given.keys()
    needed = {column["id"] for column in now.columns if column["required"]} - faulty
    if action == "add":
        unsaid = {column["id"] for column in now.columns} - {*meant, *edit}
        usable |= {key: value for key, value in now.completed({}).items() if key in unsaid}
        lacking = needed - usable.keys()
    elif row is None:
        return "error" if faulty else "gone", {}
    elif action == "delete":
        was = {key: value for key, value in then.cells(operation["row_id"]).items() if key in columns}
        conflict |= was.keys() != row.keys() or not all(same(value, row[key]) for key, value in was.items())
        lacking = set()
    else:
        before = then.cells(operation["row_id"])
        new = {key for key, value in usable.items() if not same(row.get(key), None if value in EMPTY else value)}
        conflict |= any(not same(row.get(key), before.get(key)) for key in (new & meant.keys()) - unread)
        lacking = {key for key in new & needed if usable[key] in EMPTY}
    if faulty or lacking:
        return "error", {}
    return "conflict" if conflict else "ok", usable
