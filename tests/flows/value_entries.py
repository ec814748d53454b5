"""All ways to write a cell, each as a method from cases to their outcomes."""
from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from django.contrib.auth.models import User

from chat.agent.tools import ToolContext, tools
from chat.exceptions import ToolFailure
from tests.conftest import Api
from tests.stored_proposals import apply_url, rows_proposal
from tests.tables.value_cases import DEFINITIONS, Case, Refused

Json = dict[str, Any]
Outcomes = dict[str, Any]
# Sends cases and returns responses, whose errors name each case by its index.
Send = Callable[[Sequence[Case]], Any]
INDEX = re.compile(r"(?:\[|edits\.)(\d+)")


class ValueEntries:
    """A table with a column of every type, and all ways to write it. `query` is "" or like "?typecast=true"."""

    def __init__(self, api: Api, *, user: User, cases: Sequence[Case], query: str = "") -> None:
        self.api, self.user, self.cases, self.query = api, user, cases, query
        columns = [{"name": "Case", "type": "text"}, *DEFINITIONS.values()]
        self.created = api.post("/api/tables/", {"name": "Values", "columns": columns}).json()
        self.url = f"/api/tables/{self.created['id']}/"

    def posted(self) -> Outcomes:
        """POST rows, many at once."""
        return self._in_bulk(lambda some: self._post({"rows": [self._named(case) for case in some]}))

    def posted_one_by_one(self) -> Outcomes:
        """POST rows, one per request."""
        return self._one_by_one(lambda some: self._post(self._named(some[0])))

    def patched(self) -> Outcomes:
        """PATCH rows, many at once."""
        ids = self._bare_rows()
        rows = "rows/" + self.query
        return self._in_bulk(
            lambda some: self.api.patch(
                self.url + rows, {"rows": [{"id": ids[case.id], "data": self._cell(case)} for case in some]}
            )
        )

    def saved_in_the_grid(self) -> Outcomes:
        """PATCH one row as the grid saves a cell: with the previous value."""
        ids = self._bare_rows()
        return self._one_by_one(
            lambda some: self.api.patch(
                f"{self.url}rows/{ids[some[0].id]}/{self.query}",
                {"data": self._cell(some[0]), "expected": {some[0].column: None}},
            )
        )

    def upserted(self) -> Outcomes:
        """PUT rows that do not exist."""
        return self._in_bulk(self._put)

    def upserted_over(self) -> Outcomes:
        """PUT rows that exist."""
        self._bare_rows()
        return self._in_bulk(self._put)

    def proposed_adds(self) -> Outcomes:
        """POST proposals/data, adding."""
        return self._in_bulk(lambda some: self._propose([{"action": "add", "data": self._named(c)} for c in some]))

    def proposed_updates(self) -> Outcomes:
        """POST proposals/data, updating."""
        return self._in_bulk(lambda some: self._propose(self._updates(some, ids=self._ids() or self._bare_rows())))

    def stored_adds(self) -> Outcomes:
        """An applied proposal of the assistant that adds."""
        return self._in_bulk(lambda some: self._apply([{"action": "add", "data": self._named(c)} for c in some]))

    def stored_updates(self) -> Outcomes:
        """An applied proposal of the assistant that updates."""
        return self._in_bulk(lambda some: self._apply(self._updates(some, ids=self._ids() or self._bare_rows())))

    def edited(self) -> Outcomes:
        """A proposal of the assistant, edited in each operation while it is applied."""
        return self._in_bulk(
            lambda some: self._apply(
                [{"action": "add", "data": {"Case": case.id}} for case in some],
                edits={str(index): self._cell(case) for index, case in enumerate(some)},
            )
        )

    def created_with_its_rows(self) -> Outcomes:
        """POST tables with rows. Afterwards the table of the last request is read."""
        columns = [{"name": "Case", "type": "text"}, *DEFINITIONS.values()]

        def send(some: Sequence[Case]) -> Any:
            body = {"name": "New", "columns": columns, "rows": [self._named(case) for case in some]}
            answer = self.api.post("/api/tables/" + self.query, body)
            if answer.status_code == 201:
                self.url = f"/api/tables/{answer.json()['id']}/"
            return answer

        return self._in_bulk(send)

    def created_by_a_tool(self) -> Outcomes:
        """The assistant's create_row."""
        return self._by_tool("create_row", lambda case: {"data": self._named(case)})

    def updated_by_a_tool(self) -> Outcomes:
        """The assistant's update_row."""
        ids = self._bare_rows()
        return self._by_tool("update_row", lambda case: {"row_id": ids[case.id], "changes": self._cell(case)})

    def defaulted(self) -> Outcomes:
        """The default of a new column."""

        # Column names are unique ignoring case, and those of some cases differ only in case.
        names = {case.id: f"{index}: {case.type}" for index, case in enumerate(self.cases)}

        def send(some: Sequence[Case]) -> Any:
            columns = [{**DEFINITIONS[case.type], "name": names[case.id], "default": case.given} for case in some]
            operations = [{"action": "add", "column": column} for column in columns]
            return self.api.post(self.url + "proposals/schema/", {"mode": "update", "operations": operations})

        refused, accepted = self._refused(self.cases, send=send)
        columns = self.api.get(self.url + "columns/").json()["columns"]
        defaults = {column["name"]: column["default"] for column in columns}
        return refused | {case.id: defaults[names[case.id]] for case in accepted}

    def converted(self) -> Outcomes:
        """Texts in a column that is converted to the case's type; values that cannot be converted become empty."""
        self._in_bulk(
            lambda some: self._post({"rows": [{"Case": case.id, f"{case.type} text": case.given} for case in some]}),
            prepare=lambda: self._add_columns([{"name": f"{name} text", "type": "text"} for name in DEFINITIONS]),
        )
        for name, definition in DEFINITIONS.items():
            columns = self.api.get(self.url + "columns/").json()["columns"]
            column = next(column for column in columns if column["name"] == f"{name} text")
            changes = {key: value for key, value in definition.items() if key != "name"}
            address = f"{self.url}columns/{column['id']}/"
            undecided = self.api.patch(address, changes)
            assert undecided.status_code in (200, 422), undecided.json()
            if undecided.status_code == 422:
                assert self.api.patch(f"{address}?on_unconvertible=clear", changes).status_code == 200
        rows = self._rows()
        return {case.id: rows[case.id].get(f"{case.type} text") for case in self.cases}

    def _in_bulk(self, send: Send, *, prepare: Callable[[], None] = lambda: None) -> Outcomes:
        prepare()
        refused, accepted = self._refused(self.cases, send=send)
        rows = self._rows()
        return refused | {case.id: rows[case.id].get(case.column) for case in accepted}

    def _refused(self, cases: Sequence[Case], *, send: Send) -> tuple[Outcomes, list[Case]]:
        """Send all at once; if some are refused, nothing was written, and the others are sent again without them."""
        refused: Outcomes = {}
        accepted = list(cases)
        # Unreadable values are reported before inapplicable ones.
        for _ in range(3):
            answer = send(accepted)
            if answer.status_code < 300:
                break
            assert answer.status_code in (400, 422)
            errors = [(int(INDEX.findall(fault["path"])[0]), fault["code"]) for fault in answer.json()["errors"]]
            refused |= {accepted[index].id: Refused(code) for index, code in errors}
            accepted = [case for case in accepted if case.id not in refused]
        assert answer.status_code < 300, answer.json()
        return refused, accepted

    def _one_by_one(self, send: Send) -> Outcomes:
        outcomes: Outcomes = {}
        for case in self.cases:
            answer = send([case])
            if answer.status_code >= 300:
                (fault,) = answer.json()["errors"]
                assert fault["path"].removeprefix("data.") == case.column
                outcomes[case.id] = Refused(fault["code"])
        rows = self._rows()
        return {case.id: outcomes.get(case.id) or rows[case.id].get(case.column) for case in self.cases}

    def _by_tool(self, name: str, params: Callable[[Case], Json]) -> Outcomes:
        outcomes: Outcomes = {}
        tool = tools.get(name)
        assert tool is not None
        for case in self.cases:
            context = ToolContext(page="table_view", object_id=str(self.created["id"]))
            try:
                tool.executor(params(case), user=self.user, context=context)
            except ToolFailure as failure:
                outcomes[case.id] = "refused" if str(failure).startswith(f"{case.column}: ") else str(failure)
        rows = self._rows()
        return {case.id: outcomes.get(case.id) or rows[case.id].get(case.column) for case in self.cases}

    def _post(self, body: Json) -> Any:
        return self.api.post(f"{self.url}rows/{self.query}", body)

    def _put(self, some: Sequence[Case]) -> Any:
        body = {"merge_on": ["Case"], "rows": [self._named(case) for case in some]}
        return self.api.client.put(f"{self.url}rows/{self.query}", body, content_type="application/json")

    def _propose(self, operations: list[Json]) -> Any:
        query = self.query or "?typecast=false"
        return self.api.post(f"{self.url}proposals/data/{query}", {"operations": operations})

    def _apply(self, operations: list[Json], **choice: Any) -> Any:
        payload = rows_proposal(self.user, *operations, table_id=self.created["id"])
        return self.api.post(apply_url(payload), {"operations": "all", **choice})

    def _updates(self, some: Sequence[Case], *, ids: dict[str, int]) -> list[Json]:
        return [{"action": "update", "row_id": ids[case.id], "changes": self._cell(case)} for case in some]

    def _add_columns(self, columns: list[Json]) -> None:
        operations = [{"action": "add", "column": column} for column in columns]
        answer = self.api.post(self.url + "proposals/schema/", {"mode": "update", "operations": operations})
        assert answer.status_code == 200, answer.json()

    def _bare_rows(self) -> dict[str, int]:
        """Create rows with only the names of their cases."""
        answer = self.api.post(self.url + "rows/", {"rows": [{"Case": case.id} for case in self.cases]})
        return {row["data"]["Case"]: row["id"] for row in answer.json()["rows"]}

    def _ids(self) -> dict[str, int]:
        rows = self.api.get(self.url + "rows/", limit=1_000).json()["rows"]
        return {row["data"]["Case"]: row["id"] for row in rows}

    def _rows(self) -> dict[str, Json]:
        rows = self.api.get(self.url + "rows/", limit=1_000).json()["rows"]
        return {row["data"]["Case"]: row["data"] for row in rows}

    @staticmethod
    def _named(case: Case) -> Json:
        return {"Case": case.id, case.column: case.given}

    @staticmethod
    def _cell(case: Case) -> Json:
        return {case.column: case.given}
