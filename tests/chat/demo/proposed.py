"""What a reply proposes, after the tables' own reading of it: a test that asks for a proposal gets one that holds."""

from __future__ import annotations

from datetime import date
from itertools import count
from typing import Any

from chat.demo.reply import Reply
from tables.column_types import ColumnSpec, TableShape
from tables.operations.data_proposal import read_data_proposal
from tables.operations.schema_proposal import read_schema_proposal
from tests.chat.demo.asking import COLUMNS, TODAY, element

Json = dict[str, Any]


def shape(columns: list[Json] = COLUMNS) -> TableShape:
    """The table of a context as tables know it."""
    specs = tuple(ColumnSpec.from_json(column) for column in columns)
    return TableShape(id=5, name="Job Applications", description="", version=1, columns=specs)


def data(reply: Reply, *, columns: list[Json] = COLUMNS) -> list[Json]:
    """The operations of a proposal for rows; fails if tables would find any fault in it."""
    proposal = element(reply, "DATA_PROPOSAL")
    drafts, _ = read_data_proposal(
        proposal, shape=shape(columns), typecast=False, today=date.fromisoformat(TODAY), written_limit=5_000
    )
    assert [fault for draft in drafts for fault in draft.cells.faults] == []
    return list(proposal["operations"])


def creation(reply: Reply) -> Json:
    """A proposal for a new table, with its columns by name; fails if tables would find any fault in it."""
    proposal = element(reply, "SCHEMA_PROPOSAL")
    stored = read_schema_proposal(
        proposal,
        shape=TableShape(id=None, name="", description="", version=0, columns=()),
        new_id=_ids(),
        typecast=False,
    )
    assert stored["warnings"] == []
    columns = [operation["column"] for operation in proposal["operations"]]
    known: Json = {**proposal, "columns": {column["name"]: column for column in columns}}
    return known


def changes(reply: Reply, *, columns: list[Json] = COLUMNS) -> list[Json]:
    """The operations of a proposal for the open table's columns; fails if tables would find any fault in it."""
    proposal = element(reply, "SCHEMA_PROPOSAL")
    read_schema_proposal(proposal, shape=shape(columns), new_id=_ids())
    return list(proposal["operations"])


def _ids() -> Any:
    numbers = count(1)
    return lambda: f"col_new{next(numbers):05d}"
