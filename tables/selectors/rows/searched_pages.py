"""The first page of a search in a large table on PostgreSQL, in one statement for frequent words and two for rare ones.

The first reads the beginning of the table. It has the whole page if the words are frequent, and otherwise tells which
words an index should not be asked for. The second finds the rows with the index.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import connection

from tables.models import Row, Table
from tables.selectors.sql.cell_indexes import LARGE
from tables.selectors.sql.conditions import words_of
from tables.selectors.sql.dialects import dialect
from tables.selectors.sql.expressions import Sql, row_column, row_is_live, row_text
from tables.selectors.sql.search_indexes import IS_VALID, MAX_CANDIDATES, PART, contained, index_name

READ = ("id", "position", "version", "data")
# Minimum number of rows that are read from the beginning of the table.
MIN_FIRST = 200
# A word is frequent if more than one of so many of these rows has it. A GIN index takes several times as long to find
# the rows with a rare and a frequent word as to find those with the rare one.
USUAL = 4
# Id, position, version, and the JSON text of the cells.
ReadRow = tuple[Any, ...]


def first_page(table: Table, *, search: str, limit: int) -> list[ReadRow] | None:
    """Return the first rows with all words in the order of the table, at most `limit`.

    None if the search has no words to look up in an index, if there is no index, or if so many rows may match that they
    are found sooner in order. Raises Malformed.
    """
    words = [word.casefold() for word in words_of(search)]
    if table.next_position < LARGE or not any(len(word) >= PART for word in words):
        return None
    found, numbers, read = _from_the_beginning(table, words, limit=limit)
    if len(found) == limit:
        return found
    indexed = [(word, number) for word, number in zip(words, numbers, strict=True) if len(word) >= PART]
    rare = [word for word, number in indexed if number * USUAL <= read] or [word for word, _ in indexed]
    return _from_the_index(table, words, rare=rare, limit=limit)


def _tests(words: Sequence[str]) -> list[Sql]:
    """Return the tests for words that `containing` joins."""
    each = [dialect().found(row_text(), Sql("%s", (word,))) for word in words]
    return [Sql(f"{found.text} > 0", found.params) for found in each]


def _from_the_beginning(table: Table, words: Sequence[str], *, limit: int) -> tuple[list[ReadRow], list[int], int]:
    """Return matching rows among the first ones of the table, how many of these have each word, and their number."""
    live, names = row_is_live(table), [f"has_{number}" for number in range(len(words))]
    tests = Sql.joined(
        [Sql(f"{test.text} AS {name}", test.params) for name, test in zip(names, _tests(words), strict=True)],
        between=", ",
    )
    first = (
        f"SELECT {_listed()}, {tests.text} FROM {Row._meta.db_table} WHERE {live.text}"
        f" ORDER BY {row_column('position').text}, {row_column('id').text} LIMIT %s"
    )
    counts = ", ".join(f"count(*) FILTER (WHERE {name})" for name in names)
    # The counts are needed, and returned, even if no row matches.
    text = (
        f"WITH first AS MATERIALIZED ({first}) SELECT page.*, numbers.*"
        f" FROM (SELECT count(*), {counts} FROM first) AS numbers LEFT JOIN"
        f" (SELECT {', '.join(READ)} FROM first WHERE {' AND '.join(names)} ORDER BY position, id LIMIT %s) AS page"
        " ON true ORDER BY page.position, page.id"
    )
    rows = _fetched(text, [*tests.params, *live.params, max(MIN_FIRST, 2 * limit), limit])
    read, *numbers = rows[0][len(READ) :]
    return _without_others(rows), numbers, read


def _from_the_index(table: Table, words: Sequence[str], *, rare: Sequence[str], limit: int) -> list[ReadRow] | None:
    """Return the first matching rows, which the index finds by the rare words. As `first_page`."""
    name, live = index_name(table.pk), row_is_live(table)
    tests = Sql.joined([contained(rare), *_tests(words)], between=" AND ")
    found = (
        f"SELECT {_listed()} FROM {Row._meta.db_table} WHERE ({IS_VALID}) AND {live.text} AND {tests.text}"
        f" LIMIT {MAX_CANDIDATES + 1}"
    )
    text = (
        f"SELECT page.*, valid.* FROM (SELECT ({IS_VALID})) AS valid LEFT JOIN"
        f" (SELECT {', '.join(READ)}, count(*) OVER () AS count FROM ({found}) AS found"
        " ORDER BY position, id LIMIT %s) AS page ON true ORDER BY page.position, page.id"
    )
    rows = _fetched(text, [name, name, *live.params, *tests.params, limit])
    count, is_valid = rows[0][len(READ) :]
    return _without_others(rows) if is_valid and (count or 0) <= MAX_CANDIDATES else None


def _listed() -> str:
    return ", ".join(row_column(name).text for name in READ)


def _fetched(text: str, params: Sequence[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(text, params)
        return list(cursor.fetchall())


def _without_others(rows: Sequence[tuple[Any, ...]]) -> list[ReadRow]:
    """Return what was read of rows, without other columns; a row without an id means that there are none."""
    return [row[: len(READ)] for row in rows if row[0] is not None]
