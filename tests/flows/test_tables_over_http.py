"""A table's life over HTTP, with a model of it in plain Python beside: every answer and the whole state agree."""
from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from hypothesis.stateful import run_state_machine_as_test as run

from tests.conftest import Api
from tests.flows.table_model import FITS, OPTIONS, Content, TableModel
from tests.proposing import apply_url, rows_proposal

Json = dict[str, Any]
NAMES = ("Company", "Status", "Size", "Note", "company ")
BAD: Json = {"text": ["x"], "number": "x y", "boolean": "x y", "select": "No such option"}
GOOD = {
    "text": st.sampled_from(["", "Acme", "É x", "12", "<b>&amp;</b>", "a\nb"]),
    "number": st.sampled_from([0, 1, -2.5, 2**53 - 1, 1e23]),
    "boolean": st.booleans(),
    "select": st.sampled_from(OPTIONS),
}


def definitions() -> st.SearchStrategy[Json]:
    kinds = st.fixed_dictionaries(
        {"name": st.sampled_from(NAMES), "type": st.sampled_from(sorted(FITS)), "required": st.booleans()}
    )
    return kinds.map(lambda made: {**made, "options": list(OPTIONS)} if made["type"] == "select" else made)


def values(column: Json) -> st.SearchStrategy[Any]:
    """Mostly what fits the column, now and then nothing or something else."""
    rare = {0: st.just(BAD[column["type"]]), 1: st.none()}
    return st.integers(0, 19).flatmap(lambda number: rare.get(number, GOOD[column["type"]]))


def cells(content: Content) -> st.SearchStrategy[Json]:
    """Some cells of a row, those that must have a value among them; chosen by place: ids are different every time."""
    columns = content.columns
    needed = {place for place, column in enumerate(columns) if column["required"]}
    some = st.sets(st.integers(0, len(columns) - 1), min_size=1) if columns else st.just(set())

    def filled(places: list[int]) -> st.SearchStrategy[Json]:
        ids = [columns[place]["id"] for place in places]
        drawn = st.tuples(*(values(columns[place]) for place in places))
        return drawn.map(lambda given: dict(zip(ids, given, strict=True)))

    return some.flatmap(lambda chosen: filled(sorted(chosen | needed)))


def key_of(column: Json) -> str:
    return str(column["name"]).strip().casefold()


class Life(RuleBasedStateMachine):
    """Every rule does one thing through the API and to the model, and says what must be answered."""

    api: Api
    address: str
    model: TableModel

    @initialize(columns=st.lists(definitions(), min_size=2, max_size=3, unique_by=key_of))
    def create(self, columns: list[Json]) -> None:
        self.user, _ = User.objects.get_or_create(username="ada")
        self.api = Api(self.user)
        made = self.api.post("/api/tables/", {"name": "Life", "columns": columns})
        assert made.status_code == 201, made.content
        self.address = f"/api/tables/{made.json()['id']}/"
        self.table_id = made.json()["id"]
        kept = [{key: column[key] for key in ("id", "name", "type", "required")} for column in made.json()["columns"]]
        self.model = TableModel(Content(columns=kept), version=made.json()["version"])

    def ids(self) -> list[int]:
        return [row_id for row_id, _ in self.model.now.rows]

    def answered(self, response: Any, *, status: int, content: Content | None = None, proposal: str = "") -> Json:
        """The answer, which is the one expected; a change becomes the model's."""
        assert response.status_code == status, response.content
        answer: Json = response.json()
        if status < 300 and content is not None:
            change = answer["outcome"]["change"] if proposal else answer["change"]
            self.model.commit(content, change=change, proposal=proposal)
        return answer

    # Rows

    @rule(data=st.data())
    def add_rows(self, data: st.DataObject) -> None:
        rows = data.draw(st.lists(cells(self.model.now), min_size=1, max_size=4))
        response = self.api.post(f"{self.address}rows/?keys=id", {"rows": rows})
        after = self.model.draft()
        if not all(after.may_add(row) for row in rows):
            self.answered(response, status=422)
            return
        for row, made in zip(rows, response.json()["rows"], strict=True):
            after.add(made["id"], row)
        answer = self.answered(response, status=201, content=after)
        assert [(row["id"], row["data"]) for row in answer["rows"]] == after.rows[-len(rows) :]

    @rule(data=st.data(), knows=st.integers(0, 4))
    def edit_a_cell(self, data: st.DataObject, knows: int) -> None:
        if not self.ids() or not self.model.now.columns:
            return
        row_id = data.draw(st.sampled_from(self.ids()))
        column = data.draw(st.sampled_from(self.model.now.columns))
        value = data.draw(values(column))
        held = self.model.now.cells(row_id).get(column["id"])
        expected = held if knows else data.draw(GOOD[column["type"]]) or None
        body = {"data": {column["id"]: value}, "expected": {column["id"]: expected}}
        response = self.api.patch(f"{self.address}rows/{row_id}/?keys=id", body)
        after = self.model.draft()
        if not after.may_change(row_id, body["data"]):
            self.answered(response, status=422)
        elif expected != held:
            assert self.answered(response, status=409)["errors"][0].get("value") == held
        else:
            after.change(row_id, body["data"])
            assert self.answered(response, status=200, content=after)["data"] == after.cells(row_id)

    @rule(data=st.data())
    def edit_many_rows(self, data: st.DataObject) -> None:
        chosen = data.draw(st.lists(st.sampled_from(self.ids() or [0]), min_size=1, max_size=3, unique=True))
        rows = [{"id": row_id, "data": data.draw(cells(self.model.now))} for row_id in chosen]
        if not self.ids() or not self.model.now.columns:
            return
        response = self.api.patch(f"{self.address}rows/?keys=id", {"rows": rows})
        after = self.model.draft()
        if not all(after.may_change(row["id"], row["data"]) for row in rows):
            self.answered(response, status=422)
            return
        for row in rows:
            after.change(row["id"], row["data"])
        answer = self.answered(response, status=200, content=after)
        assert {row["id"]: row["data"] for row in answer["rows"]} == {key: after.cells(key) for key in chosen}

    @rule(data=st.data())
    def delete_rows(self, data: st.DataObject) -> None:
        chosen = data.draw(st.lists(st.sampled_from([*self.ids(), 2**40]), min_size=1, max_size=3, unique=True))
        response = self.api.post(f"{self.address}rows/delete/", {"ids": chosen})
        after = self.model.draft()
        if 2**40 in chosen:
            self.answered(response, status=422)
            return
        after.delete(set(chosen))
        assert self.answered(response, status=200, content=after)["deleted"] == chosen

    # Columns

    @rule(definition=definitions(), data=st.data())
    def add_a_column(self, definition: Json, data: st.DataObject) -> None:
        place = data.draw(st.sampled_from([None, *(column["id"] for column in self.model.now.columns)]))
        response = self.api.post(f"{self.address}columns/", {**definition, "after_column_id": place})
        after = self.model.draft()
        if not after.name_is_free(definition["name"].strip()):
            self.answered(response, status=422)
            return
        made = {key: response.json()[key] for key in ("id", "name", "type", "required")}
        at = len(after.columns) if place is None else after.columns.index(after.column(place)) + 1
        after.columns.insert(at, made)
        self.answered(response, status=201, content=after)
        assert made == {**made, "type": definition["type"], "required": definition["required"]}

    @rule(data=st.data(), name=st.sampled_from(NAMES))
    def rename_or_remove_a_column(self, data: st.DataObject, name: str) -> None:
        if not self.model.now.columns:
            return
        column = data.draw(st.sampled_from(self.model.now.columns))
        address = f"{self.address}columns/{column['id']}/"
        after = self.model.draft()
        if data.draw(st.booleans()):
            after.remove_column(column["id"])
            self.answered(self.api.delete(address), status=200, content=after)
            return
        response = self.api.patch(address, {"name": name})
        if not after.name_is_free(name.strip(), for_column=column["id"]):
            self.answered(response, status=422)
            return
        after.column(column["id"])["name"] = response.json()["name"]
        self.answered(response, status=200, content=after)

    # Proposals

    @rule(data=st.data())
    def apply_a_part_of_a_proposal(self, data: st.DataObject) -> None:
        if not self.model.now.columns:
            return
        operations = self.drawn_operations(data)
        chosen = sorted(data.draw(st.sets(st.integers(0, len(operations) - 1), min_size=1)))
        payload = rows_proposal(self.user, *operations, table_id=self.table_id)
        before = self.model.now
        response = self.api.post(apply_url(payload), {"operations": chosen})
        after = self.model.draft()
        if not all(may_do(before, operations[index]) for index in chosen):
            self.answered(response, status=422)
            assert self.api.get(f"/api/chat/payloads/{payload.pk}/").json()["status"] == "pending"
            return
        outcome = response.json()["outcome"]
        why = {entry["index"]: entry["reason"] for entry in outcome["skipped"]}
        like_that = {index for index, reason in why.items() if reason == "nothing_to_do"}
        told = [*outcome["applied"], *outcome["skipped"]]
        ids = {entry["index"]: entry["row_id"] for entry in told if "row_id" in entry}
        for index in chosen:
            do(after, operations[index], row_id=ids[index])
        answer = self.answered(response, status=200, content=after, proposal=str(payload.pk))
        assert sorted([*(entry["index"] for entry in outcome["applied"]), *like_that]) == chosen
        left_out = {index for index, reason in why.items() if reason == "not_chosen"}
        assert left_out == {*range(len(operations))} - {*chosen}
        again = self.answered(self.api.post(apply_url(payload), {"operations": "all"}), status=409)
        assert (again["error"], again["outcome"]) == (f"already_{answer['status']}", answer["outcome"])

    def drawn_operations(self, data: st.DataObject) -> list[Json]:
        """Adds, and at most one thing for each of some rows."""
        content = self.model.now
        operations: list[Json] = [
            {"action": "add", "data": row} for row in data.draw(st.lists(cells(content), min_size=1, max_size=2))
        ]
        for row_id in data.draw(st.lists(st.sampled_from(self.ids()), max_size=3, unique=True)) if self.ids() else ():
            change = {"action": "update", "row_id": row_id, "changes": data.draw(cells(content))}
            operations.append(data.draw(st.sampled_from([change, {"action": "delete", "row_id": row_id}])))
        return operations

    # Back and forth

    @precondition(lambda self: self.model.done)
    @rule(back=st.integers(1, 3))
    def undo_the_last(self, back: int) -> None:
        for _ in range(min(back, len(self.model.done))):
            step = self.model.undo()
            response = self.api.post(f"{self.address}changes/{step.change}/undo/")
            self.turned(response, proposal=step.proposal, undone=True)

    @precondition(lambda self: self.model.undone)
    @rule()
    def redo_the_last(self) -> None:
        step = self.model.redo()
        response = self.api.post(f"{self.address}changes/{step.change}/redo/")
        self.turned(response, proposal=step.proposal, undone=False)

    def turned(self, response: Any, *, proposal: str, undone: bool) -> None:
        assert (response.status_code, response.json()["version"]) == (200, self.model.version), response.content
        self.everything_is_as_the_model_says()
        if proposal:
            status = self.api.get(f"/api/chat/payloads/{proposal}/").json()["status"]
            assert (status == "undone") is undone

    @invariant()
    def everything_is_as_the_model_says(self) -> None:
        if not hasattr(self, "model"):
            return
        now, table = self.model.now, self.api.get(self.address).json()
        assert (table["version"], table["row_count"]) == (self.model.version, len(now.rows))
        shown = [{key: column[key] for key in ("id", "name", "type", "required")} for column in table["columns"]]
        assert shown == now.columns
        rows = self.api.get(f"{self.address}rows/", keys="id", limit=1_000).json()["rows"]
        assert [(row["id"], row["data"]) for row in rows] == now.rows


def may_do(content: Content, operation: Json) -> bool:
    if operation["action"] == "add":
        return content.may_add(operation["data"])
    return operation["action"] == "delete" or content.may_change(operation["row_id"], operation["changes"])


def do(content: Content, operation: Json, *, row_id: int) -> None:
    if operation["action"] == "add":
        content.add(row_id, operation["data"])
    elif operation["action"] == "update":
        content.change(row_id, operation["changes"])
    else:
        content.delete({row_id})


@pytest.mark.parametrize("lives", [20, pytest.param(300, marks=pytest.mark.soak)])
def test_every_answer_and_the_whole_state_agree_with_the_model(db: None, lives: int) -> None:
    chosen = settings(
        max_examples=lives,
        stateful_step_count=12,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        # Not shrunk: with requests behind every step that takes minutes, and the steps are few.
        phases=[Phase.generate],
    )
    run(Life, settings=chosen)
