"""Other tables made of proposals, whole and in part, with and without their sample rows; and taken back."""
from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.flows.stateful.base import Living
from tests.flows.stateful.content import EMPTY, Content, shown
from tests.flows.stateful.strategies import NAMES, different_definitions, good
from tests.stored_proposals import apply_url, stored_proposal

Json = dict[str, Any]


def sample_rows(columns: list[Json]) -> st.SearchStrategy[list[Json]]:
    """By column name; some cells are missing, some empty."""
    filled = {column["name"]: st.one_of(st.none(), good(column), good(column)) for column in columns}
    return st.lists(st.fixed_dictionaries({}, optional=filled), max_size=3)


class NewTablesOfALife(Living):
    """The table of this life stays as it is, whatever others are made."""

    @rule(columns=different_definitions(least=1, most=4), data=st.data(), wanted=st.booleans(), stored=st.booleans())
    def make_another_table(self, columns: list[Json], data: st.DataObject, wanted: bool, stored: bool) -> None:
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
            response = self.api.post(apply_url(payload), {**body, "include_sample_rows": wanted})
            columns = [{**column, "name": name if place == edited else column["name"], "was": column["name"]}
                       for place, column in enumerate(columns)]  # fmt: skip
        else:
            query = "?include_sample_rows=true" if wanted else ""
            response = self.api.post(f"/api/tables/proposals/schema/{query}", proposal)
        kept = [{"was": column["name"], **column, "id": ""} for place, column in enumerate(columns) if place in chosen]
        made = Content(columns=[{**column, "name": column["name"].strip()} for column in kept])
        rows = rows_of(kept, samples=samples) if wanted else []
        if rows is None or not made.names_differ():
            self.answered(response, status=422)
            return
        answer = self.answered(response, status=200 if stored else 201)
        table = answer["outcome"]["table"]["id"] if stored else answer["id"]
        self.is_there(f"/api/tables/{table}/", columns=made.columns, rows=rows, name="Mine" if stored else "Another")
        self.taken_back(f"/api/tables/{table}/", change=(answer["outcome"] if stored else answer)["change"])

    def is_there(self, address: str, *, columns: list[Json], rows: list[Json], name: str) -> None:
        table = self.api.get(address).json()
        assert (table["name"], table["role"], table["row_count"]) == (name, "owner", len(rows))
        assert [{**shown(column), "id": ""} for column in table["columns"]] == [shown(column) for column in columns]
        assert [row["data"] for row in self.api.get(f"{address}rows/").json()["rows"]] == rows

    def taken_back(self, address: str, *, change: int) -> None:
        """A table that is undone is in the trash, and comes back as it was."""
        before = self.rows_in(address)
        self.answered(self.api.post(f"{address}changes/{change}/undo/"), status=200)
        assert self.api.get(address).status_code == 404
        self.answered(self.api.post(f"{address}changes/{change}/redo/"), status=200)
        assert self.rows_in(address) == before

    def rows_in(self, address: str) -> list[tuple[int, Json]]:
        return [(row["id"], row["data"]) for row in self.api.get(f"{address}rows/").json()["rows"]]


def rows_of(columns: list[Json], *, samples: list[Json]) -> list[Json] | None:
    """The sample rows under the columns that were kept; None when one of them lacks what it must have."""
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
