"""Proposals for columns, directly and stored, whole and in part, with corrections."""
from __future__ import annotations

from copy import deepcopy
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.flows.life.content import Content, key_of
from tests.flows.life.drawing import NAMES, different_definitions
from tests.flows.life.living import Living
from tests.proposing import apply_url, columns_proposal

Json = dict[str, Any]


def column_operations(content: Content, *, data: st.DataObject) -> list[Json]:
    """At most one for each of some columns, some new ones, maybe two that swap names, and one about a new one."""
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
    actions = [(key, data.draw(st.sampled_from(["rename", "need", "remove", "reorder"]))) for key in chosen]
    places = [key for key in ids if (key, "remove") not in actions]
    for key, action in actions:
        if action == "remove":
            operations.append({"action": "remove", "column_id": key})
        elif action == "reorder":
            after = data.draw(st.sampled_from([None, *(place for place in places if place != key)]))
            operations.append({"action": "reorder", "column_id": key, "after_column_id": after})
        else:
            changes = {"name": data.draw(st.sampled_from(NAMES))} if action == "rename" else {"required": True}
            operations.append({"action": "modify", "column_id": key, "changes": changes})
    for column in data.draw(different_definitions(least=0 if operations else 1, most=3)):
        after = data.draw(st.sampled_from([None, *places]))
        operations.append({"action": "add", "column": column, "after_column_id": after})
    last = operations[-1]
    named = [key_of(each["changes"]["name"]) for each in operations if "name" in each.get("changes", {})]
    name = last["column"]["name"] if last["action"] == "add" else ""
    if name and content.name_is_free(name) and key_of(name) not in named and data.draw(st.booleans()):
        operations.append({"action": "modify", "column_id": name, "changes": {"required": True}})
    return operations


def columns_after(
    content: Content, *, operations: list[Json], chosen: list[int], edits: dict[str, Json]
) -> Content | None:
    """The table afterwards, new columns called `new3` by their operation; None when it cannot be."""
    after = deepcopy(content)
    columns, order, anchors = {column["id"]: column for column in after.columns}, after.column_ids(), {}
    named: dict[str, str] = {}
    for index, operation in enumerate(operations):
        new, edit = f"new{index}", edits.get(str(index), {})
        key = named.get(operation.get("column_id", ""), operation.get("column_id"))
        if operation["action"] == "add":
            anchors[new] = operation["after_column_id"]
            named[operation["column"]["name"]] = new
            _place(order, new, anchors=anchors)
            if index in chosen:
                columns[new] = {**operation["column"], **edit, "id": new}
        elif index not in chosen:
            continue
        elif key not in columns:
            return None
        elif operation["action"] == "modify":
            columns[key].update(operation["changes"] | edit)
        elif operation["action"] == "remove":
            after.remove_column(key)
            del columns[key]
        else:
            order.remove(key)
            place = operation["after_column_id"]
            order.insert(0 if place is None else order.index(place) + 1, key)
    after.columns = [{**columns[key], "name": columns[key]["name"].strip()} for key in order if key in columns]
    return after if after.names_differ() else None


def _place(order: list[str], new: str, *, anchors: dict[str, str]) -> None:
    """Last, or after its anchor and what was added after that before."""
    at = len(order) if anchors[new] is None else order.index(anchors[new]) + 1
    while anchors[new] is not None and at < len(order) and anchors.get(order[at]) == anchors[new]:
        at += 1
    order.insert(at, new)


class ColumnProposalsOfALife(Living):
    """Every part of a proposal for columns that somebody may choose."""

    @rule(data=st.data())
    def apply_a_proposal_for_columns(self, data: st.DataObject) -> None:
        operations = column_operations(self.now, data=data)
        body = {"mode": "update", "operations": operations}
        response = self.api.post(f"{self.address}proposals/schema/", body)
        everything = list(range(len(operations)))
        self.columns_changed(response, operations=operations, chosen=everything, edits={})

    @rule(data=st.data())
    def apply_a_part_of_a_stored_proposal_for_columns(self, data: st.DataObject) -> None:
        operations = column_operations(self.now, data=data)
        chosen = sorted(data.draw(st.sets(st.integers(0, len(operations) - 1), min_size=1)))
        nameable = [str(index) for index in chosen if operations[index]["action"] in ("add", "modify")]
        edited = data.draw(st.sets(st.sampled_from(nameable), max_size=1)) if nameable else set()
        edits = {index: {"name": data.draw(st.sampled_from(NAMES))} for index in edited}
        payload = columns_proposal(self.user, *operations, table_id=self.table_id)
        response = self.api.post(apply_url(payload), {"operations": chosen, "edits": edits})
        self.columns_changed(response, operations=operations, chosen=chosen, edits=edits, proposal=str(payload.pk))

    def columns_changed(
        self, response: Any, *, operations: list[Json], chosen: list[int], edits: dict[str, Json], proposal: str = ""
    ) -> None:
        after = columns_after(self.now, operations=operations, chosen=chosen, edits=edits)
        if after is None:
            self.answered(response, status=422)
            return
        assert response.status_code == 200, response.content
        outcome = response.json()["outcome"] if proposal else response.json()
        made = {f"new{entry['index']}": entry.get("column_id") for entry in outcome["applied"]}
        after.columns = [{**column, "id": made.get(column["id"], column["id"])} for column in after.columns]
        self.answered(response, status=200, content=after, proposal=proposal)
        assert [entry["index"] for entry in outcome["applied"]] == chosen
