"""Changed rows are written without waiting for each statement, and not at all if one of the statements fails."""
from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction

from shared.db.statements import pipelined_statements
from tables.models import Table
from tables.operations import Origin
from tables.selectors.sql.conditions import among_ids
from tables.services import update_rows
from tests.tables.sample_tables import write_table


@pytest.fixture
def table(user: User) -> Table:
    return write_table(user, [("Number", "number")], [{"Number": number} for number in range(20)])


def rename(table: Table, name: str) -> int:
    """Rename a table and return how many rows the database says it has changed."""
    with connection.cursor() as cursor:
        cursor.execute("UPDATE tables_table SET name = %s WHERE id = %s", [name, table.pk])
        return int(cursor.rowcount)


def rename_and_fail(table: Table) -> None:
    with transaction.atomic(), pipelined_statements():
        rename(table, "Before")
        with connection.cursor() as cursor:
            cursor.execute("INSERT INTO tables_table SELECT * FROM tables_table WHERE id = %s", [table.pk])
        rename(table, "After")


def test_rows_with_ids_in_a_row_and_others_are_changed_alike(user: User, table: Table) -> None:
    ids = list(table.rows.order_by("pk").values_list("pk", flat=True))
    expected = dict(zip(ids, range(20), strict=True))
    in_a_row, others = (ids[:9], [*reversed(ids[9:15])]), ([*ids[:8], ids[19]], [ids[3], ids[1], ids[7]])
    for factor, chosen in enumerate([*in_a_row, *others], start=2):
        rows = [{"id": pk, "data": {"Number": factor * pk}} for pk in chosen]
        applied = update_rows(user=user, table_id=table.pk, rows=rows, origin=Origin("api"))
        assert [entry["row_id"] for entry in applied.applied] == chosen
        expected |= {pk: factor * pk for pk in chosen}
    assert {row.pk: next(iter(row.data.values())) for row in table.rows.all()} == expected
    repeated = [ids[0], ids[0], ids[2]]
    assert table.rows.filter(among_ids(repeated)).count() == 2


def test_statements_of_a_pipeline_are_sent_before_the_first_has_ended(table: Table) -> None:
    with transaction.atomic(), pipelined_statements():
        counts = [rename(table, "One"), rename(table, "Two")]
    # Not known yet on PostgreSQL.
    assert counts == ([1, 1] if connection.vendor == "sqlite" else [-1, -1])
    table.refresh_from_db()
    assert table.name == "Two"


def test_an_error_of_the_database_in_a_pipeline_is_raised_and_undoes_the_transaction(table: Table) -> None:
    before = table.name
    with pytest.raises(IntegrityError):
        rename_and_fail(table)
    table.refresh_from_db()
    assert table.name == before
