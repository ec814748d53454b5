"""The test database after a test that committed: what the test wrote is gone, what migrating put there has stayed.

Django's own way is to empty all tables there are and to make content types and permissions anew: most of such a test.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.db import OperationalError, connection, transaction
from django.db.backends.utils import CursorWrapper
from django.test import TransactionTestCase

MADE_BY_MIGRATING = (ContentType, Permission)
# PostgreSQL keeps the room of deleted rows until a table is truncated, which takes long whatever is in it.
MOST_ROOM = 256 * 1024  # bytes
TRIES = 5

Rows = list[tuple[Any, ...]]


def made_by_migrating() -> list[Rows]:
    """The rows that every test finds."""
    return [list(model.objects.order_by("pk").values_list()) for model in MADE_BY_MIGRATING]


def written_tables() -> list[str]:
    """The names of all other tables of models."""
    tables = connection.introspection.django_table_names(only_existing=True, include_views=False)
    return sorted(set(tables) - {model._meta.db_table for model in MADE_BY_MIGRATING})


def empty_after_tests() -> None:
    """From now on a test that commits leaves the database as it is now: with these rows `made_by_migrating`."""
    found, written = made_by_migrating(), written_tables()
    as_django_does = TransactionTestCase._fixture_teardown

    def leave_as_found(case: TransactionTestCase) -> None:
        if made_by_migrating() == found:
            empty(written)
        else:
            as_django_does(case)

    TransactionTestCase._fixture_teardown = leave_as_found


def empty(tables: list[str]) -> None:
    """Returns when these tables are empty, whatever servers in threads were still about to do with them."""
    for left in reversed(range(TRIES)):
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                if connection.vendor == "postgresql":
                    _empty_postgres(cursor, tables)
                else:
                    _empty_sqlite(cursor, tables)
        except OperationalError:  # each has waited for the other
            if not left:
                raise
        else:
            return


def _empty_postgres(cursor: CursorWrapper, tables: list[str]) -> None:
    """A transaction that has written is waited for, as it is by TRUNCATE."""
    cursor.execute(f"LOCK TABLE {_names(tables)} IN SHARE ROW EXCLUSIVE MODE")
    cursor.execute("SELECT relname, pg_relation_size(oid) FROM pg_class WHERE relname = ANY(%s)", [tables])
    sizes = {name: size for name, size in cursor.fetchall() if size}
    large = [name for name, size in sizes.items() if size > MOST_ROOM]
    if large:
        # Those that point at them too, which is none that migrating has filled.
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
