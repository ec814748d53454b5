"""SQLite connections are kept for the next who asks, as new as if they had just been opened."""
from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from django.db import connections, transaction
from django.db.utils import ConnectionHandler

from chatproject.backends.sqlite.connection_pool import MAX_FREE, pool

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _nothing_kept() -> Iterator[None]:
    pool.close()
    yield
    pool.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database with one number in it."""
    file = tmp_path / "numbers.sqlite3"
    made(file, number=1)
    return file


def made(file: Path, *, number: int) -> None:
    """Makes a database with this number in it."""
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("CREATE TABLE numbers (number)")
        database.execute("INSERT INTO numbers VALUES (?)", [number])


def opened(path: Path) -> Any:
    """A connection of Django's, on this file."""
    return ConnectionHandler({"default": {"ENGINE": "chatproject.backends.sqlite", "NAME": str(path)}})["default"]


def numbers(connection: Any) -> list[int]:
    """What is in the database."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT number FROM numbers")
        return [number for (number,) in cursor.fetchall()]


def add(connection: Any, *, number: int) -> None:
    """Adds one."""
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO numbers VALUES (%s)", [number])


def test_what_one_closes_the_next_goes_on_with(path: Path) -> None:
    first, second = opened(path), opened(path)
    numbers(first)
    behind = first.connection
    first.close()

    numbers(second)

    assert second.connection is behind
    assert first.connection is None


def test_two_at_the_same_time_never_share_one(path: Path) -> None:
    first, second = opened(path), opened(path)

    numbers(first)
    numbers(second)

    assert first.connection is not second.connection


def test_rows_that_nobody_read_to_the_end_do_not_hold_the_next_in_the_past(path: Path) -> None:
    first = opened(path)
    add(first, number=2)
    cursor = first.cursor()
    cursor.execute("SELECT number FROM numbers")
    cursor.fetchone()
    first.close()
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("INSERT INTO numbers VALUES (3)")

    second = opened(path)

    assert numbers(second) == [1, 2, 3]


def test_what_was_not_committed_is_gone(path: Path) -> None:
    first = opened(path)
    with first.cursor() as cursor:
        cursor.execute("BEGIN")
    add(first, number=2)
    first.close()

    second = opened(path)

    assert numbers(second) == [1]
    add(second, number=3)
    with closing(sqlite3.connect(path)) as other:
        assert other.execute("SELECT count(*) FROM numbers").fetchone() == (2,)


def test_one_that_is_closed_within_a_transaction_is_nobody_elses(path: Path) -> None:
    first, second = opened(path), opened(path)
    connections["numbers"] = first
    try:
        with transaction.atomic(using="numbers"):
            add(first, number=2)
            behind = first.connection
            first.close()
    finally:
        del connections["numbers"]

    assert numbers(second) == [1]
    assert second.connection is not behind


def test_another_file_under_the_same_name_is_another_database(path: Path) -> None:
    first = opened(path)
    assert numbers(first) == [1]
    first.close()
    for file in path.parent.iterdir():
        file.unlink()
    made(path, number=7)

    assert numbers(opened(path)) == [7]


def test_no_more_are_kept_than_are_likely_to_be_needed(path: Path) -> None:
    together = Barrier(MAX_FREE + 4)

    def use() -> Any:
        connection = opened(path)
        numbers(connection)
        together.wait()
        behind = connection.connection
        connection.close()
        return behind

    with ThreadPoolExecutor(MAX_FREE + 4) as threads:
        behind = [future.result() for future in [threads.submit(use) for _ in range(MAX_FREE + 4)]]

    assert sum(_is_open(one) for one in behind) == MAX_FREE


def _is_open(connection: sqlite3.Connection) -> bool:
    try:
        connection.in_transaction  # noqa: B018  asked for what it raises
        connection.execute("SELECT 1")
    except sqlite3.ProgrammingError:
        return False
    return True
