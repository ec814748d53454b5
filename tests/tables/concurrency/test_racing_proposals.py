"""Two proposals about the same rows, applied at the same time by two processes: what came is what one order gives."""
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


def to_a(user: User, table: Table) -> Payload:
    return rename(user, table, to="A")


def to_b(user: User, table: Table) -> Payload:
    return rename(user, table, to="B")


def done(user: User, table: Table) -> Payload:
    return rows_proposal(user, *each_row(table, action="update", changes={"Status": "Done"}), table_id=table.pk)


def half_gone(user: User, table: Table) -> Payload:
    return rows_proposal(user, *each_row(table, action="delete")[::2], table_id=table.pk)


def more(user: User, table: Table) -> Payload:
    return rows_proposal(user, *({"action": "add", "data": {"Name": f"new {n}"}} for n in range(20)), table_id=table.pk)


def no_status(user: User, table: Table) -> Payload:
    return columns_proposal(user, {"action": "remove", "column_id": "Status"}, table_id=table.pk)


def status_is_text(user: User, table: Table) -> Payload:
    modify = {"action": "modify", "column_id": "Status", "changes": {"type": "text", "name": "State"}}
    return columns_proposal(user, modify, table_id=table.pk)


def fresh(user: User) -> Table:
    rows = [{"Name": f"row {n}", "Status": "Open"} for n in range(ROWS)]
    return create_table(user=user, name="Race", columns=COLUMNS, rows=rows, origin=Origin("api"))


def state(table: Table, *, first_row: int) -> Any:
    """Columns and rows in order, ids counted from the table's first row."""
    shape = table_shape(Table.objects.get(pk=table.pk))
    names = {column.id: f"{column.name} {column.type}" for column in shape.columns}
    rows = read_rows(table, limit=1_000)
    return sorted(names.values()), [
        (row.id - first_row, row.position, {names[key]: value for key, value in row.data.items()}) for row in rows
    ]


def outcome(at: At, user: User, *, proposals: Any, order: Sequence[int] | None, choice: Json) -> Any:
    """What both answered and what the table holds: applied in this order, or at the same time."""
    table = fresh(user)
    first_row = read_rows(table, limit=1)[0].id
    addresses = [apply_url(proposal(user, table)) for proposal in proposals]

    def send(number: int) -> tuple[int, int, Any]:
        status, answer, _ = at(number).request("POST", addresses[number], {"operations": "all", **choice})
        return number, status, answer.get("error")

    said = together(2, send) if order is None else [send(number) for number in order]
    assert any(status == 200 for _, status, _ in said), said
    return sorted(said), state(table, first_row=first_row)


PAIRS = {
    "the same cells": (to_a, to_b),
    "other cells of the same rows": (to_a, done),
    "cells and deletes": (to_a, half_gone),
    "deletes twice": (half_gone, half_gone),
    "adds and deletes": (more, half_gone),
    "cells and the removal of their column": (done, no_status),
    "cells and another type of their column": (done, status_is_text),
}
# Only these run into conflicts that `on_conflict` decides.
CONFLICTING = ("the same cells", "cells and deletes", "cells and another type of their column")


@pytest.mark.parametrize("rounds", [1, pytest.param(5, marks=pytest.mark.soak)])
@pytest.mark.parametrize(
    ("proposals", "on_conflict"),
    [
        *(pytest.param(proposals, None, id=name) for name, proposals in PAIRS.items()),
        *(
            pytest.param(PAIRS[name], choice, id=f"{name}, {choice}")
            for name in CONFLICTING
            for choice in ("overwrite", "skip")
        ),
    ],
)
def test_a_race_of_two_proposals_ends_as_one_of_the_two_orders(
    at: At, user: User, proposals: Any, on_conflict: str | None, rounds: int
) -> None:
    choice = {"on_conflict": on_conflict} if on_conflict else {}
    orders = [outcome(at, user, proposals=proposals, order=order, choice=choice) for order in ((0, 1), (1, 0))]

    raced = [outcome(at, user, proposals=proposals, order=None, choice=choice) for _ in range(rounds)]

    assert [result for result in raced if result not in orders] == []
