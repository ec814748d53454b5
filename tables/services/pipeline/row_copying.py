"""New rows in the binary format of COPY, which PostgreSQL reads in four fifths of the time of text.

Nothing is escaped or parsed, except the JSON of the cells.
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from struct import Struct
from typing import Any

from django.db import connection

from tables.models import Row

# Position, data as JSON text, search text, running number.
Insert = tuple[int, str, str, int | None]
COLUMNS = (
    "id, position, data, search_text, running_number,"
    " table_id, version, created_at, updated_at, created_by_id, updated_by_id"
)
# Minimum number of bytes that are sent together: psycopg sends from 32 kB on.
MIN_SENT = 48_000
# The ids are returned one by one only if another transaction has taken some between them. The sequence is looked up
# once, in a subquery that OFFSET keeps apart, instead of for each row.
NEW_IDS = (
    "SELECT min(id), max(id), CASE WHEN max(id) - min(id) >= count(*) THEN array_agg(id) END FROM"
    " (SELECT nextval(s.name) AS id FROM"
    " (SELECT pg_get_serial_sequence('tables_row', 'id')::regclass AS name OFFSET 0) AS s, generate_series(1, %s)"
    ") AS taken"
)
SIGNATURE, END = b"PGCOPY\n\xff\r\n\0" + bytes(8), b"\xff\xff"
# Each value follows its length, -1 for NULL; a row begins with the number of its values.
LENGTH, INTEGER, BIGINT = Struct(">i").pack, Struct(">ii").pack, Struct(">iq").pack
BEGINNING = Struct(">hiqiqi").pack
NULL = LENGTH(-1)
JSONB_FORM = b"\x01"  # the version of the format, before the JSON text
FIRST_MOMENT = datetime(2000, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


def new_ids(count: int) -> Sequence[int]:
    """Return this number of unused ids of rows, in ascending order."""
    with connection.cursor() as cursor:
        cursor.execute(NEW_IDS, [count])
        first, last, ids = cursor.fetchone()
        return sorted(ids) if ids else range(first, last + 1)


def copy_rows(rows: Iterable[Insert], *, ids: Sequence[int], table_id: int, user: Any, now: datetime) -> None:
    """Add rows with these ids to a table, in one COPY. PostgreSQL writes the first while the next are read."""
    lines = _lines(rows, ids=ids, always=_common_values(table_id=table_id, user=user, now=now))
    with (
        connection.cursor() as cursor,
        connection.wrap_database_errors,
        cursor.copy(f"COPY tables_row ({COLUMNS}) FROM STDIN (FORMAT BINARY)") as copy,
    ):
        copy.write(SIGNATURE)
        for part in _parts(lines):
            copy.write(part)
        copy.write(END)


def _lines(rows: Iterable[Insert], *, ids: Sequence[int], always: bytes) -> Iterator[bytes]:
    count = len(COLUMNS.split(","))
    for pk, (position, data, text, number) in zip(ids, rows, strict=True):
        cells, searched = data.encode(), text.encode()
        beginning = BEGINNING(count, 8, pk, 8, position, len(cells) + len(JSONB_FORM))
        numbered = NULL if number is None else BIGINT(8, number)
        yield b"%b%b%b%b%b%b%b" % (beginning, JSONB_FORM, cells, LENGTH(len(searched)), searched, numbered, always)


def _parts(lines: Iterable[bytes]) -> Iterator[bytes]:
    part: list[bytes] = []
    size = 0
    for line in lines:
        part.append(line)
        size += len(line)
        if size >= MIN_SENT:
            yield b"".join(part)
            part, size = [], 0
    if part:
        yield b"".join(part)


def _common_values(*, table_id: int, user: Any, now: datetime) -> bytes:
    """Return the values of the columns from `table_id` on, which are the same for all new rows."""
    stamp = BIGINT(8, (now - FIRST_MOMENT) // MICROSECOND)
    author = _user_id(user.pk)
    return b"".join([BIGINT(8, table_id), BIGINT(8, 1), stamp, stamp, author, author])


def _user_id(pk: int) -> bytes:
    is_bigint = Row._meta.get_field("created_by").db_type(connection) == "bigint"
    return BIGINT(8, pk) if is_bigint else INTEGER(4, pk)
