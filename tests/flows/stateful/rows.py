"""Endpoints of rows."""
from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.flows.stateful.base import TableMachine
from tests.flows.stateful.content import EMPTY, Content, equal
from tests.flows.stateful.strategies import cells, good, values

Json = dict[str, Any]


class RowRules(TableMachine):
    """Rows are added, edited, deleted and merged, one by one and in bulk."""

    @rule(data=st.data())
    def add_rows(self, data: st.DataObject) -> None:
        rows = data.draw(st.lists(cells(self.now), min_size=1, max_size=4))
        response = self.api.post(f"{self.address}rows/?keys=id", {"rows": rows})
        after = self.model.draft()
        if not all(after.may_add(row) for row in rows):
            self.check_response(response, status=422)
            return
        for row, created in zip(rows, response.json()["rows"], strict=True):
            after.add(created["id"], after.completed(row))
        answer = self.check_response(response, status=201, content=after)
        assert [(row["id"], row["data"]) for row in answer["rows"]] == after.rows[-len(rows) :]

    @rule(data=st.data(), knows=st.integers(0, 4))
    def edit_a_cell(self, data: st.DataObject, knows: int) -> None:
        if not self.now.rows or not self.now.columns:
            return
        row_id = data.draw(st.sampled_from(self.now.ids()))
        column = data.draw(st.sampled_from(self.now.columns))
        value = data.draw(values(column))
        held = self.now.cells(row_id).get(column["id"])
        expected = held if knows else data.draw(good(column))
        expected = None if expected == "" else expected
        body = {"data": {column["id"]: value}, "expected": {column["id"]: expected}}
        response = self.api.patch(f"{self.address}rows/{row_id}/?keys=id", body)
        after = self.model.draft()
        if not after.may_change(row_id, body["data"]):
            self.check_response(response, status=422)
        elif not equal(expected, held):
            assert self.check_response(response, status=409)["errors"][0].get("value") == held
        else:
            after.change(row_id, body["data"])
            assert self.check_response(response, status=200, content=after)["data"] == after.cells(row_id)

    @rule(data=st.data())
    def edit_many_rows(self, data: st.DataObject) -> None:
        if not self.now.rows or not self.now.columns:
            return
        chosen = data.draw(st.lists(st.sampled_from(self.now.ids()), min_size=1, max_size=3, unique=True))
        rows = [{"id": row_id, "data": data.draw(cells(self.now, needed=False))} for row_id in chosen]
        response = self.api.patch(f"{self.address}rows/?keys=id", {"rows": rows})
        after = self.model.draft()
        if not all(after.may_change(row["id"], row["data"]) for row in rows):
            self.check_response(response, status=422)
            return
        for row in rows:
            after.change(row["id"], row["data"])
        answer = self.check_response(response, status=200, content=after)
        assert {row["id"]: row["data"] for row in answer["rows"]} == {key: after.cells(key) for key in chosen}

    @rule(data=st.data())
    def delete_rows(self, data: st.DataObject) -> None:
        chosen = data.draw(st.lists(st.sampled_from([*self.now.ids(), 2**40]), min_size=1, max_size=3, unique=True))
        response = self.api.post(f"{self.address}rows/delete/", {"ids": chosen})
        after = self.model.draft()
        if 2**40 in chosen:
            self.check_response(response, status=422)
            return
        after.delete(set(chosen))
        assert self.check_response(response, status=200, content=after)["deleted"] == chosen

    @rule(data=st.data())
    def merge_rows(self, data: st.DataObject) -> None:
        if not self.now.columns:
            return
        merge_on = data.draw(st.lists(st.sampled_from(self.now.column_ids()), min_size=1, max_size=2, unique=True))
        rows = data.draw(st.lists(cells(self.now), min_size=1, max_size=3))
        body = {"merge_on": merge_on, "rows": rows}
        response = self.api.client.put(f"{self.address}rows/?keys=id", body, content_type="application/json")
        targets = merge_targets(self.now, merge_on=merge_on, rows=rows)
        after = self.model.draft()
        if targets is None or not all(
            after.may_add(row) if target is None else after.may_change(target, row)
            for row, target in zip(rows, targets, strict=True)
        ):
            self.check_response(response, status=422)
            return
        created = iter(response.json()["created"])
        for row, target in zip(rows, targets, strict=True):
            if target is None:
                after.add(next(created)["id"], after.completed(row))
            else:
                after.change(target, row)
        answer = self.check_response(response, status=200, content=after)
        assert [row["id"] for row in answer["updated"]] == [target for target in targets if target is not None]
        assert all(row["data"] == after.cells(row["id"]) for row in [*answer["created"], *answer["updated"]])


def merge_targets(content: Content, *, merge_on: list[str], rows: list[Json]) -> list[int | None] | None:
    """Return the row that each is merged into, None for a new one; None for all if a target is ambiguous."""
    targets: list[int | None] = []
    seen: list[list[Any]] = []
    for row in rows:
        key = [row.get(column_id) for column_id in merge_on]
        if any(value in EMPTY for value in key) or not content.cells_fit(dict(zip(merge_on, key, strict=True))):
            targets.append(None)
            continue
        found = [row_id for row_id, held in content.rows if [held.get(each) for each in merge_on] == key]
        if len(found) > 1 or key in seen:
            return None
        seen.append(key)
        targets.append(found[0] if found else None)
    return targets
