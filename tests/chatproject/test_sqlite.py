"""The pool of SQLite connections: reuse, isolation and its size."""
from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from django.db import OperationalError, connections, transaction
from django.db.utils import ConnectionHandler

from chatproject.backends.sqlite.connection_pool import MAX_FREE, pool

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _empty_pool() -> Iterator[None]:
    pool.close()
    yield
    pool.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Create a database with one number."""
    file = tmp_path / "numbers.sqlite3"
    create_database(file, number=1)
    return file


def create_database(file: Path, *, number: int) -> None:
    """Create a database with this number."""
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("CREATE TABLE numbers (number)")
        database.execute("INSERT INTO numbers VALUES (?)", [number])


def new_connection(path: Path) -> Any:
    """Return a new Django connection to this file."""
    return ConnectionHandler({"default": {"ENGINE": "chatproject.backends.sqlite", "NAME": str(path)}})["default"]


def numbers(connection: Any) -> list[int]:
    """Return the numbers in the database."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT number FROM numbers")
        return [number for (number,) in cursor.fetchall()]


def add(connection: Any, *, number: int) -> None:
    """Insert a number."""
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO numbers VALUES (%s)", [number])


def test_closed_connections_are_reused(path: Path) -> None:
    first, second = new_connection(path), new_connection(path)
    numbers(first)
    pooled = first.connection
    first.close()

    numbers(second)

    assert second.connection is pooled
    assert first.connection is None


def test_open_connections_are_not_shared(path: Path) -> None:
    first, second = new_connection(path), new_connection(path)

    numbers(first)
    numbers(second)

    assert first.connection is not second.connection


def test_unread_cursors_do_not_hold_a_snapshot(path: Path) -> None:
    first = new_connection(path)
    add(first, number=2)
    cursor = first.cursor()
    cursor.execute("SELECT number FROM numbers")
    cursor.fetchone()
    first.close()
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("INSERT INTO numbers VALUES (3)")

    second = new_connection(path)

    assert numbers(second) == [1, 2, 3]


def test_uncommitted_changes_are_rolled_back(path: Path) -> None:
    first = new_connection(path)
    with first.cursor() as cursor:
        cursor.execute("BEGIN")
    add(first, number=2)
    first.close()

    second = new_connection(path)

    assert numbers(second) == [1]
    add(second, number=3)
    with closing(sqlite3.connect(path)) as other:
        assert other.execute("SELECT count(*) FROM numbers").fetchone() == (2,)


def test_a_transaction_waits_for_other_writers_and_its_connection_is_reused(path: Path) -> None:
    first, second = new_connection(path), new_connection(path)
    first.settings_dict["OPTIONS"] = {"transaction_mode": "IMMEDIATE"}
    failed = []
    with closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")

        def unlock_after_first_attempt(execute: Any, sql: str, *arguments: Any) -> Any:
            try:
                return execute(sql, *arguments)
            except OperationalError:
                failed.append(sql)
                other.rollback()
                raise

        connections["numbers"] = first
        try:
            with first.execute_wrapper(unlock_after_first_attempt), transaction.atomic(using="numbers"):
                add(first, number=2)
        finally:
            del connections["numbers"]
    pooled = first.connection
    first.close()

    assert (failed, numbers(second), second.connection is pooled) == (["BEGIN IMMEDIATE"], [1, 2], True)


def test_connections_closed_within_a_transaction_are_not_reused(path: Path) -> None:
    first, second = new_connection(path), new_connection(path)
    connections["numbers"] = first
    try:
        with transaction.atomic(using="numbers"):
            add(first, number=2)
            pooled = first.connection
            first.close()
    finally:
        del connections["numbers"]

    assert numbers(second) == [1]
    assert second.connection is not pooled


def test_a_new_file_with_the_same_name_is_another_database(path: Path) -> None:
    first = new_connection(path)
    assert numbers(first) == [1]
    first.close()
    for file in path.parent.iterdir():
        file.unlink()
    create_database(path, number=7)

    assert numbers(new_connection(path)) == [7]


def test_the_pool_size_is_limited(path: Path) -> None:
    barrier = Barrier(MAX_FREE + 4)

    def use() -> Any:
        connection = new_connection(path)
        numbers(connection)
        barrier.wait()
        pooled = connection.connection
        connection.close()
        return pooled

    with ThreadPoolExecutor(MAX_FREE + 4) as threads:
        pooled = [future.result() for future in [threads.submit(use) for _ in range(MAX_FREE + 4)]]

    assert sum(_is_open(each) for each in pooled) == MAX_FREE


def _is_open(connection: sqlite3.Connection) -> bool:
    try:
        connection.in_transaction  # noqa: B018  may raise
        connection.execute("SELECT 1")
    except sqlite3.ProgrammingError:
        return False
    return True
