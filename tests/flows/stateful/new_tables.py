"""New tables from proposals, whole and in part, with and without sample rows, and their undo."""
from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.flows.stateful.base import TableMachine
from tests.flows.stateful.content import EMPTY, Content, shown
from tests.flows.stateful.strategies import NAMES, different_definitions, good
from tests.stored_proposals import apply_url, stored_proposal

Json = dict[str, Any]


def sample_rows(columns: list[Json]) -> st.SearchStrategy[list[Json]]:
    """Return sample rows by column name; some cells are missing, some empty."""
    filled = {column["name"]: st.one_of(st.none(), good(column), good(column)) for column in columns}
    return st.lists(st.fixed_dictionaries({}, optional=filled), max_size=3)


class NewTableRules(TableMachine):
    """New tables do not change the table of this test."""

    @rule(
        columns=different_definitions(least=1, most=4),
        data=st.data(),
        with_samples=st.booleans(),
        stored=st.booleans(),
    )
    def make_another_table(self, columns: list[Json], data: st.DataObject, with_samples: bool, stored: bool) -> None:
        samples = data.draw(sample_rows(columns))
        operations = [{"action": "add", "column": column} for column in columns]
        words = {"reasoning": "Asked for.", "table_name": "Another", "table_description": ""}
        proposal = {"mode": "create", **words, "operations": operations, "sample_rows": samples}
        chosen = set(range(len(columns)))
        if stored:
            chosen = data.draw(st.sets(st.sampled_from(sorted(chosen)), min_size=1))
            name = data.draw(st.sampled_from(NAMES))
            edited = data.draw(st.sampled_from(sorted(chosen)))
            payload = stored_proposal(self.user, kind="schema_proposal", data=proposal)
            body = {"operations": sorted(chosen), "edits": {str(edited): {"name": name}}, "table_name": "Mine"}
            response = self.api.post(apply_url(payload), {**body, "include_sample_rows": with_samples})
            columns = [{**column, "name": name if index == edited else column["name"], "was": column["name"]}
                       for index, column in enumerate(columns)]  # fmt: skip
        else:
            query = "?include_sample_rows=true" if with_samples else ""
            response = self.api.post(f"/api/tables/proposals/schema/{query}", proposal)
        selected = [
            {"was": column["name"], **column, "id": ""} for index, column in enumerate(columns) if index in chosen
        ]
        created = Content(columns=[{**column, "name": column["name"].strip()} for column in selected])
        rows = rows_of(selected, samples=samples) if with_samples else []
        if rows is None or not created.names_differ():
            self.check_response(response, status=422)
            return
        answer = self.check_response(response, status=200 if stored else 201)
        table = answer["outcome"]["table"]["id"] if stored else answer["id"]
        name = "Mine" if stored else "Another"
        self.check_table(f"/api/tables/{table}/", columns=created.columns, rows=rows, name=name)
        self.undo_creation(f"/api/tables/{table}/", change=(answer["outcome"] if stored else answer)["change"])

    def check_table(self, address: str, *, columns: list[Json], rows: list[Json], name: str) -> None:
        table = self.api.get(address).json()
        assert (table["name"], table["role"], table["row_count"]) == (name, "owner", len(rows))
        assert [{**shown(column), "id": ""} for column in table["columns"]] == [shown(column) for column in columns]
        assert [row["data"] for row in self.api.get(f"{address}rows/").json()["rows"]] == rows

    def undo_creation(self, address: str, *, change: int) -> None:
        """An undone table is in the trash, and its redo restores it."""
        before = self.rows_in(address)
        self.check_response(self.api.post(f"{address}changes/{change}/undo/"), status=200)
        assert self.api.get(address).status_code == 404
        self.check_response(self.api.post(f"{address}changes/{change}/redo/"), status=200)
        assert self.rows_in(address) == before

    def rows_in(self, address: str) -> list[tuple[int, Json]]:
        return [(row["id"], row["data"]) for row in self.api.get(f"{address}rows/").json()["rows"]]


def rows_of(columns: list[Json], *, samples: list[Json]) -> list[Json] | None:
    """Return the sample rows under the chosen columns; None if a required value is missing."""
    rows = []
    for sample in samples:
        if not any(column["was"] in sample for column in columns):
            continue
        row = {column["name"].strip(): sample.get(column["was"], column["default"]) for column in columns}
        row = {name: value for name, value in row.items() if value not in EMPTY}
        if any(column["required"] and column["name"].strip() not in row for column in columns):
            return None
        rows.append(row)
    return [row for row in rows if row]
