"""Two proposals about the same rows, applied concurrently by two processes, give the result of one of the orders."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.models import Payload
from tables.operations import Origin
from tables.selectors import Table, read_rows, table_shape
from tables.services import create_table
from tests.stored_proposals import apply_url, columns_proposal, rows_proposal
from tests.tables.concurrency.conftest import At
from tests.tables.concurrency.threads import together

Json = dict[str, Any]
ROWS = 60
COLUMNS = [{"name": "Name", "type": "text"}, {"name": "Status", "type": "select", "options": ["Open", "Done"]}]


def each_row(table: Table, **operation: Any) -> list[Json]:
    return [{**operation, "row_id": row.id} for row in read_rows(table, limit=ROWS)]


def rename(user: User, table: Table, *, to: str) -> Payload:
    return rows_proposal(user, *each_row(table, action="update", changes={"Name": to}), table_id=table.pk)


def rename_to_a(user: User, table: Table) -> Payload:
    return rename(user, table, to="A")


def rename_to_b(user: User, table: Table) -> Payload:
    return rename(user, table, to="B")


def set_done(user: User, table: Table) -> Payload:
    return rows_proposal(user, *each_row(table, action="update", changes={"Status": "Done"}), table_id=table.pk)


def delete_half(user: User, table: Table) -> Payload:
    return rows_proposal(user, *each_row(table, action="delete")[::2], table_id=table.pk)


def add_rows(user: User, table: Table) -> Payload:
    return rows_proposal(user, *({"action": "add", "data": {"Name": f"new {n}"}} for n in range(20)), table_id=table.pk)


def remove_status(user: User, table: Table) -> Payload:
    return columns_proposal(user, {"action": "remove", "column_id": "Status"}, table_id=table.pk)


def convert_status(user: User, table: Table) -> Payload:
    modify = {"action": "modify", "column_id": "Status", "changes": {"type": "text", "name": "State"}}
    return columns_proposal(user, modify, table_id=table.pk)


def new_table(user: User) -> Table:
    rows = [{"Name": f"row {n}", "Status": "Open"} for n in range(ROWS)]
    return create_table(user=user, name="Race", columns=COLUMNS, rows=rows, origin=Origin("api"))


def state(table: Table, *, first_row: int) -> Any:
    """Return columns and rows in order, with ids relative to the first row of the table."""
    shape = table_shape(Table.objects.get(pk=table.pk))
    names = {column.id: f"{column.name} {column.type}" for column in shape.columns}
    rows = read_rows(table, limit=1_000)
    return sorted(names.values()), [
        (row.id - first_row, row.position, {names[key]: value for key, value in row.data.items()}) for row in rows
    ]


def outcome(at: At, user: User, *, proposals: Any, order: Sequence[int] | None, choice: Json) -> Any:
    """Apply the proposals in this order or concurrently; return the responses and the table."""
    table = new_table(user)
    first_row = read_rows(table, limit=1)[0].id
    urls = [apply_url(proposal(user, table)) for proposal in proposals]

    def send(number: int) -> tuple[int, int, Any]:
        status, response, _ = at(number).request("POST", urls[number], {"operations": "all", **choice})
        return number, status, response.get("error")

    responses = together(2, send) if order is None else [send(number) for number in order]
    assert any(status == 200 for _, status, _ in responses), responses
    return sorted(responses), state(table, first_row=first_row)


PAIRS = {
    "the same cells": (rename_to_a, rename_to_b),
    "other cells of the same rows": (rename_to_a, set_done),
    "cells and deletes": (rename_to_a, delete_half),
    "deletes twice": (delete_half, delete_half),
    "adds and deletes": (add_rows, delete_half),
    "cells and the removal of their column": (set_done, remove_status),
    "cells and another type of their column": (set_done, convert_status),
}
# Only these have conflicts for which `on_conflict` matters.
CONFLICTING = ("the same cells", "cells and deletes", "cells and another type of their column")
# SQLite has one writer at a time: for it, one pair of each kind is enough.
ON_SQLITE = ("the same cells", "adds and deletes", "cells and another type of their column")


@pytest.mark.parametrize("rounds", [1, pytest.param(5, marks=pytest.mark.soak)])
@pytest.mark.parametrize(
    ("proposals", "on_conflict"),
    [
        *(
            pytest.param(proposals, None, id=name, marks=[] if name in ON_SQLITE else pytest.mark.postgres_only)
            for name, proposals in PAIRS.items()
        ),
        *(
            pytest.param(PAIRS[name], choice, id=f"{name}, {choice}", marks=pytest.mark.postgres_only)
            for name in CONFLICTING
            for choice in ("overwrite", "skip")
        ),
    ],
)
def test_concurrent_proposals_give_the_result_of_one_order(
    at: At, user: User, proposals: Any, on_conflict: str | None, rounds: int
) -> None:
    choice = {"on_conflict": on_conflict} if on_conflict else {}
    orders = [outcome(at, user, proposals=proposals, order=order, choice=choice) for order in ((0, 1), (1, 0))]

    race_results = [outcome(at, user, proposals=proposals, order=None, choice=choice) for _ in range(rounds)]

    assert [result for result in race_results if result not in orders] == []
