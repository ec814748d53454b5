"""Proposals for columns: direct and stored, whole and in part, with edits."""
from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.flows.stateful.base import TableMachine
from tests.flows.stateful.column_plans import ExpectedOutcome, Proposed, expected_outcome
from tests.flows.stateful.content import Content, key_of
from tests.flows.stateful.strategies import NAMES, TYPES, different_definitions, good
from tests.stored_proposals import apply_url, columns_proposal

Json = dict[str, Any]
CHANGED = ("name", "required", "default", "type")


def column_operations(content: Content, *, data: st.DataObject) -> list[Json]:
    """Return operations on some columns, new columns, maybe a swap of names, and one about a new column."""
    ids = content.column_ids()
    chosen = data.draw(st.lists(st.sampled_from(ids), max_size=3, unique=True)) if ids else []
    if len(chosen) > 1 and data.draw(st.booleans()):
        one, other = chosen.pop(), chosen.pop()
        swapped = [(one, content.column(other)["name"]), (other, content.column(one)["name"])]
    else:
        swapped = []
    operations: list[Json] = [
        {"action": "modify", "column_id": key, "changes": {"name": name}} for key, name in swapped
    ]
    actions = [(key, data.draw(st.sampled_from([*CHANGED, "remove", "reorder"]))) for key in chosen]
    column_ids = [key for key in ids if (key, "remove") not in actions]
    for key, action in actions:
        if action == "remove":
            operations.append({"action": "remove", "column_id": key})
        elif action == "reorder":
            after = data.draw(st.sampled_from([None, *(column_id for column_id in column_ids if column_id != key)]))
            operations.append({"action": "reorder", "column_id": key, "after_column_id": after})
        else:
            changes = {action: data.draw(changed_value(content.column(key), field=action))}
            operations.append({"action": "modify", "column_id": key, "changes": changes})
    for column in data.draw(different_definitions(least=0 if operations else 1, most=3)):
        after = data.draw(st.sampled_from([None, *column_ids]))
        operations.append({"action": "add", "column": column, "after_column_id": after})
    last = operations[-1]
    named = [key_of(each["changes"]["name"]) for each in operations if "name" in each.get("changes", {})]
    name = last["column"]["name"] if last["action"] == "add" else ""
    if name and content.name_is_free(name) and key_of(name) not in named and data.draw(st.booleans()):
        operations.append({"action": "modify", "column_id": name, "changes": {"required": True}})
    return operations


def changed_value(column: Json, *, field: str) -> st.SearchStrategy[Any]:
    """Return a strategy for a new value of this field of the column."""
    kinds: dict[str, st.SearchStrategy[Any]] = {
        "name": st.sampled_from(NAMES),
        "required": st.booleans(),
        "default": good(column),
        "type": st.sampled_from([kind for kind in TYPES if kind != column["type"]]),
    }
    return kinds[field]


class ColumnProposalRules(TableMachine):
    """Proposals for columns with all choices of a user."""

    def __init__(self) -> None:
        super().__init__()
        self.proposed: list[Proposed] = []

    @rule(data=st.data(), clear=st.booleans())
    def apply_a_proposal_for_columns(self, data: st.DataObject, clear: bool) -> None:
        proposed = Proposed(column_operations(self.now, data=data), self.now, self.acting)
        query = "?on_empty_cells=keep" + ("&on_unconvertible=clear" if clear else "")
        body = {"mode": "update", "operations": proposed.operations}
        response = self.api.post(f"{self.address}proposals/schema/{query}", body)
        everything = list(range(len(proposed.operations)))
        plan = expected_outcome(proposed, now=self.now, chosen=everything, clear=clear)
        self.check_columns_outcome(response, proposed, plan)

    @precondition(lambda self: len(self.proposed) < 3)
    @rule(data=st.data())
    def store_a_proposal_for_columns(self, data: st.DataObject) -> None:
        operations = column_operations(self.now, data=data)
        payload = columns_proposal(self.user, *operations, table_id=self.table_id)
        self.proposed.append(Proposed(operations, self.model.draft(), self.acting, payload))

    @precondition(lambda self: self.proposed)
    @rule(data=st.data(), decision=st.sampled_from(["", "skip", "overwrite"]), clear=st.booleans())
    def apply_a_part_of_a_stored_proposal_for_columns(self, data: st.DataObject, decision: str, clear: bool) -> None:
        proposed = data.draw(st.sampled_from(self.proposed))
        assert proposed.payload is not None
        chosen = sorted(data.draw(st.sets(st.integers(0, len(proposed.operations) - 1), min_size=1)))
        nameable = [str(index) for index in proposed.nameable if index in chosen]
        edited = data.draw(st.sets(st.sampled_from(nameable), max_size=1)) if nameable else set()
        edits = {index: {"name": data.draw(st.sampled_from(NAMES))} for index in edited}
        body = {"operations": chosen, "edits": edits, "on_empty_cells": "keep"}
        body |= {"on_conflict": decision} if decision else {}
        body |= {"on_unconvertible": "clear"} if clear else {}
        response = self.apis[proposed.by].post(apply_url(proposed.payload), body)
        if not self.may_apply(response, by=proposed.by):
            return
        plan = expected_outcome(proposed, now=self.now, chosen=chosen, edits=edits, decision=decision, clear=clear)
        if self.check_columns_outcome(response, proposed, plan):
            self.proposed.remove(proposed)

    def check_columns_outcome(self, response: Any, proposed: Proposed, plan: ExpectedOutcome) -> bool:
        """Check the response and return whether the proposal was applied."""
        after, proposal = plan.after, str(proposed.payload.pk) if proposed.payload else ""
        if plan.status != 200:
            self.check_response(response, status=plan.status)
            return False
        assert response.status_code == 200, response.content
        outcome = response.json()["outcome"] if proposal else response.json()
        created = {f"new{entry['index']}": entry.get("column_id") for entry in outcome["applied"]}
        after.columns = [{**column, "id": created.get(column["id"], column["id"])} for column in after.columns]
        self.proposers[proposal] = proposed.by
        self.check_response(response, status=200, content=after, proposal=proposal)
        done = [entry["index"] for entry in outcome["applied"]]
        done += [entry["index"] for entry in outcome["skipped"] if entry["reason"] == "nothing_to_do"]
        assert sorted(done) == sorted({*plan.chosen} - plan.skipped)
        return True
