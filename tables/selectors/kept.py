"""Counts and statistics that were computed before: kept for each version of a table, filter and search.

An unchanged table costs nothing to describe again. What is kept is bounded by the cache's own number of entries and
by the size of each.
"""
from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.core.cache import cache

import strictjson
from tables.column_types import TableShape
from tables.models import Table
from tables.operations.filters import Filter
from tables.selectors.rows import count_rows
from tables.selectors.statistics import column_stats
from tables.selectors.tables import table_shape

KEPT_SECONDS = 24 * 3600
MOST_CHARACTERS = 200_000
# Tables with more rows may be described as they were up to a minute ago, where the reader says that this is enough.
LARGE = 10_000
OLDEST_SECONDS = 60


@dataclass(frozen=True)
class Kept:
    """A computed value; `age` is 0 for the table as it is, else how many seconds ago it was as the value says."""

    value: Any
    age: int = 0


def kept_stats(
    table: Table,
    *,
    shape: TableShape | None = None,
    filter: Filter | None = None,  # noqa: A002  the word of every door
    search: str = "",
    may_be_old: bool = False,
) -> Kept:
    """What `column_stats` says; `may_be_old` allows that of an earlier version of a large table."""
    shape = shape or table_shape(table)
    return _kept(
        _Question("stats", table, shape, filter, search),
        compute=lambda: column_stats(table, shape=shape, filter=filter, search=search),
        rows_of=lambda value: value["row_count"],
        may_be_old=may_be_old,
    )


def kept_count(
    table: Table,
    *,
    shape: TableShape | None = None,
    filter: Filter | None = None,  # noqa: A002  the word of every door
    search: str = "",
) -> int:
    """What `count_rows` says."""
    shape = shape or table_shape(table)
    found = _kept(
        _Question("count", table, shape, filter, search),
        compute=lambda: count_rows(table, shape=shape, filter=filter, search=search),
        rows_of=lambda value: value,
        may_be_old=False,
    )
    return int(found.value)


@dataclass(frozen=True)
class _Question:
    kind: str
    table: Table
    shape: TableShape
    filter: Filter | None
    search: str

    def key(self, *, exact: bool) -> str:
        """Where the answer is kept: for this very version, or for any that has the same columns.

        The time of the last change stands beside the version: a transaction that failed may have used it before.
        """
        narrowed = [self.filter.as_json(fixed=True) if self.filter else None, " ".join(self.search.split())]
        columns = [[column.id, column.type, list(column.options)] for column in self.shape.columns]
        of = [self.table.version, self.table.updated_at.isoformat()] if exact else columns
        return f"tables.{self.kind}.{strictjson.content_hash([self.table.pk, of, narrowed])}"


def _kept(question: _Question, *, compute: Callable[[], Any], rows_of: Callable[[Any], int], may_be_old: bool) -> Kept:
    exact = question.key(exact=True)
    text = cache.get(exact)
    if text is not None:
        return Kept(strictjson.read(text))
    if may_be_old and (old := _last(question)) is not None and rows_of(old.value) > LARGE:
        return old
    value = compute()
    text = strictjson.dump(value)
    if len(text) <= MOST_CHARACTERS:
        cache.set(exact, text, KEPT_SECONDS)
        if rows_of(value) > LARGE:
            cache.set(question.key(exact=False), strictjson.dump([time.time(), value]), OLDEST_SECONDS)
    return Kept(value)


def _last(question: _Question) -> Kept | None:
    """The answer of the last minute, whichever version it was for."""
    text = cache.get(question.key(exact=False))
    if text is None:
        return None
    computed_at, value = strictjson.read(text)
    return Kept(value, age=max(1, round(time.time() - computed_at)))
