"""Endpoints for single columns, and their effect on values."""
from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.flows.stateful.base import TableMachine
from tests.flows.stateful.content import EMPTY, OPTIONS, fits, shown
from tests.flows.stateful.strategies import NAMES, TYPES, definitions, values

Json = dict[str, Any]
MANY = [*OPTIONS, "Later"]


class ColumnRules(TableMachine):
    """Columns are added, renamed, deleted, and get other types or options."""

    @rule(definition=definitions(), data=st.data())
    def add_a_column(self, definition: Json, data: st.DataObject) -> None:
        after_column = data.draw(st.sampled_from([None, *self.now.column_ids()]))
        body = {**definition, "after_column_id": after_column}
        response = self.api.post(f"{self.address}columns/?on_empty_cells=keep", body)
        after = self.model.draft()
        if not after.name_is_free(definition["name"]):
            self.check_response(response, status=422)
            return
        at = len(after.columns) if after_column is None else after.column_ids().index(after_column) + 1
        after.columns.insert(at, {**definition, "id": response.json()["id"], "name": definition["name"].strip()})
        self.check_response(response, status=201, content=after)

    @precondition(lambda self: self.now.columns)
    @rule(data=st.data(), name=st.sampled_from(NAMES))
    def rename_a_column(self, data: st.DataObject, name: str) -> None:
        column = data.draw(st.sampled_from(self.now.columns))
        response = self.api.patch(f"{self.address}columns/{column['id']}/", {"name": name})
        after = self.model.draft()
        if not after.name_is_free(name, for_column=column["id"]):
            self.check_response(response, status=422)
            return
        after.column(column["id"])["name"] = name.strip()
        self.check_response(response, status=200, content=after)

    @precondition(lambda self: self.now.columns)
    @rule(data=st.data(), required=st.sampled_from([None, True, False]), nothing=st.booleans())
    def change_required_and_default(self, data: st.DataObject, required: bool | None, nothing: bool) -> None:
        """Change whether a value is required, and the default of new rows: existing rows stay the same."""
        column = data.draw(st.sampled_from(self.now.columns))
        default = "" if nothing else data.draw(values(column))
        changes = {"required": required, "default": default}
        response = self.api.patch(f"{self.address}columns/{column['id']}/?on_empty_cells=keep", changes)
        after = self.model.draft()
        if required is None and default is None:
            self.check_response(response, status=400)
        elif default not in EMPTY and not fits(default, column):
            self.check_response(response, status=400 if isinstance(default, list) else 422)
        else:
            there = after.column(column["id"])
            there["required"] = there["required"] if required is None else required
            there["default"] = there["default"] if default is None else None if default == "" else default
            assert shown(self.check_response(response, status=200, content=after)) == there

    @precondition(lambda self: self.now.columns)
    @rule(data=st.data())
    def remove_a_column(self, data: st.DataObject) -> None:
        column = data.draw(st.sampled_from(self.now.columns))
        after = self.model.draft()
        after.remove_column(column["id"])
        self.check_response(self.api.delete(f"{self.address}columns/{column['id']}/"), status=200, content=after)

    @precondition(lambda self: self.now.columns)
    @rule(data=st.data(), clear=st.booleans(), options=st.sampled_from([None, list(OPTIONS)]))
    def give_a_column_another_type(self, data: st.DataObject, clear: bool, options: list[str] | None) -> None:
        column = data.draw(st.sampled_from(self.now.columns))
        kind = data.draw(st.sampled_from([kind for kind in TYPES if kind != column["type"]]))
        options = options if kind == "select" else None
        body = {"type": kind} | ({"options": options} if options else {})
        query = "?on_unconvertible=clear" if clear else ""
        response = self.api.patch(f"{self.address}columns/{column['id']}/{query}", body)
        after = self.model.draft()
        if after.retype(column["id"], kind=kind, options=options, clear=clear):
            answer = self.check_response(response, status=200, content=after)
            assert shown(answer) == after.column(column["id"])
        else:
            self.check_response(response, status=422)

    @precondition(lambda self: any(column["type"] == "select" for column in self.now.columns))
    @rule(
        data=st.data(),
        options=st.lists(st.sampled_from(MANY), min_size=1, unique=True),
        removed=st.sampled_from(["", "clear", {"Open": "Done"}, {"Done": "Later", "Open": "Later"}]),
    )
    def change_options(self, data: st.DataObject, options: list[str], removed: Any) -> None:
        column = data.draw(st.sampled_from([each for each in self.now.columns if each["type"] == "select"]))
        removed_option = json.dumps(removed) if isinstance(removed, dict) else removed
        query = f"?on_removed_option={removed_option}" if removed_option else ""
        response = self.api.patch(f"{self.address}columns/{column['id']}/{query}", {"options": options})
        after = self.model.draft()
        if after.give_options(column["id"], options=options, removed=removed):
            self.check_response(response, status=200, content=after)
        else:
            self.check_response(response, status=422)
