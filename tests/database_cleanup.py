"""Delete what a committing test wrote, and leave the rows that migrations created.

Django empties all tables and creates content types and permissions again, which takes longer than most tests.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.db import OperationalError, connection, transaction
from django.db.backends.utils import CursorWrapper
from django.test import TransactionTestCase

FILLED_BY_MIGRATIONS = (ContentType, Permission)
# PostgreSQL frees the space of deleted rows only by TRUNCATE, which is slow even for small tables.
MAX_TABLE_SIZE = 256 * 1024  # bytes
MAX_ATTEMPTS = 5

Rows = list[tuple[Any, ...]]


def migrated_rows() -> list[Rows]:
    """Return the rows that migrations created."""
    return [list(model.objects.order_by("pk").values_list()) for model in FILLED_BY_MIGRATIONS]


def other_tables() -> list[str]:
    """Return the names of all other tables of models."""
    tables = connection.introspection.django_table_names(only_existing=True, include_views=False)
    return sorted(set(tables) - {model._meta.db_table for model in FILLED_BY_MIGRATIONS})


def empty_after_tests() -> None:
    """Have each committing test from now on leave the database as it is now."""
    expected, tables = migrated_rows(), other_tables()
    django_teardown = TransactionTestCase._fixture_teardown

    def teardown(case: TransactionTestCase) -> None:
        if migrated_rows() == expected:
            empty(tables)
        else:
            django_teardown(case)

    TransactionTestCase._fixture_teardown = teardown


def empty(tables: list[str]) -> None:
    """Empty these tables, also while servers in threads still finish transactions on them."""
    for attempts_left in reversed(range(MAX_ATTEMPTS)):
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                if connection.vendor == "postgresql":
                    _empty_postgres(cursor, tables)
                else:
                    _empty_sqlite(cursor, tables)
        except OperationalError:  # a deadlock
            if not attempts_left:
                raise
        else:
            return


def _empty_postgres(cursor: CursorWrapper, tables: list[str]) -> None:
    # Like TRUNCATE, wait for transactions that have written.
    cursor.execute(f"LOCK TABLE {_names(tables)} IN SHARE ROW EXCLUSIVE MODE")
    # Partitioned tables have no size of their own.
    cursor.execute(
        "SELECT relname, pg_relation_size(oid) + COALESCE((SELECT sum(pg_relation_size(inhrelid)) FROM pg_inherits"
        " WHERE inhparent = pg_class.oid), 0) FROM pg_class WHERE relname = ANY(%s) AND relkind IN ('r', 'p')",
        [tables],
    )
    sizes = {name: size for name, size in cursor.fetchall() if size}
    large = [name for name, size in sizes.items() if size > MAX_TABLE_SIZE]
    if large:
        # CASCADE also truncates tables that refer to these; none of them is filled by migrations.
        cursor.execute(f"TRUNCATE {_names(large)} CASCADE")
    for name in sizes.keys() - set(large):
        cursor.execute(f"DELETE FROM {_names([name])}")


def _empty_sqlite(cursor: CursorWrapper, tables: list[str]) -> None:
    cursor.execute("SELECT " + ", ".join(f"EXISTS (SELECT 1 FROM {_names([name])})" for name in tables))
    for name, filled in zip(tables, cursor.fetchone(), strict=True):
        if filled:
            cursor.execute(f"DELETE FROM {_names([name])}")


def _names(tables: list[str]) -> str:
    return ", ".join(connection.ops.quote_name(name) for name in tables)
