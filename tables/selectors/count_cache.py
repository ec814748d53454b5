"""Counts and statistics that were computed before: kept for each version of a table, filter and search.

An unchanged table costs nothing to describe again. What is kept is bounded by the cache's own number of entries and
by the size of each. The last statistics of large tables are kept in the database too, where workers renew them.
"""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from django.core.cache import cache
from django.utils import timezone

from shared import strictjson
from tables.column_types import ColumnSpec, TableShape
from tables.models import KeptFigures, Table
from tables.operations.filters import Filter
from tables.operations.type_change_losses import losses_by_type
from tables.selectors.rows import count_rows, read_rows
from tables.selectors.statistics import choice_counts, column_stats
from tables.selectors.tables import table_shape
from tables.signals import figures_computed, figures_outdated

KEPT_SECONDS = 24 * 3600
MOST_CHARACTERS = 200_000
# Tables with more rows may be described as they were, where the reader says that this is enough.
LARGE = 10_000
# Rows and columns that are looked at for what another type would do to them.
TRIED_ROWS = 200
TRIED_COLUMNS = 60
# Newer figures that were asked for longer ago than this do not come: then the reader computes them.
PATIENCE = timedelta(minutes=1)


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
    question = Question("stats", table, shape or table_shape(table), filter, search)
    if (found := _cached(question)) is not None or (may_be_old and (found := _last(question)) is not None):
        return found
    value = column_stats(table, shape=question.shape, filter=filter, search=search)
    if _cache(question, value) and value["row_count"] > LARGE:
        figures_computed.send_robust(sender=Question, question=question, value=value)
    return Kept(value)


def kept_count(
    table: Table,
    *,
    shape: TableShape | None = None,
    filter: Filter | None = None,  # noqa: A002  the word of every door
    search: str = "",
    seen: int | None = None,
) -> int:
    """What `count_rows` says; nothing is counted where a page has shown it (`seen`, of `counted_by_page`)."""
    if not filter and not search.strip() and table.known_rows is not None:
        return table.known_rows
    question = Question("count", table, shape or table_shape(table), filter, search)
    found = _cached(question)
    if found is None:
        counted = count_rows(table, shape=question.shape, filter=filter, search=search) if seen is None else seen
        found = Kept(counted)
        _cache(question, counted)
    return int(found.value)


def kept_choices(
    table: Table,
    *,
    shape: TableShape,
    columns: Sequence[ColumnSpec],
    filter: Filter | None = None,  # noqa: A002  the word of every door
    search: str = "",
    only_known: bool = False,
) -> dict[str, dict[str, int]] | None:
    """What `choice_counts` says of these columns; `only_known`: None where that was not computed before."""
    asked = "choices " + ",".join(sorted(column.id for column in columns))
    question = Question(asked, table, shape, filter, search)
    if (found := _cached(question)) is not None:
        return dict(found.value)
    if only_known:
        return None
    value = choice_counts(table, columns=columns, filter=filter, search=search)
    _cache(question, value)
    return value


def kept_type_changes(table: Table, *, shape: TableShape | None = None) -> dict[str, Any]:
    """`{"rows_looked_at": n, "columns": …}` with what `losses_by_type` says of the first 60 columns in the first 200
    rows: the same work however many rows there are."""
    question = Question("type_changes", table, shape or table_shape(table), None, "")
    if (found := _cached(question)) is not None:
        return dict(found.value)
    tried = replace(question.shape, columns=question.shape.columns[:TRIED_COLUMNS])
    rows = [row.data for row in read_rows(table, shape=tried, limit=TRIED_ROWS)]
    value = {"rows_looked_at": len(rows), "columns": losses_by_type(tried.columns, rows=rows)}
    _cache(question, value)
    return value


@dataclass(frozen=True)
class Question:
    """What was asked about which table."""

    kind: str
    table: Table
    shape: TableShape
    filter: Filter | None
    search: str

    @property
    def filter_json(self) -> Any:
        """The filter with its days as they are today, None for none."""
        return self.filter.as_json(fixed=True) if self.filter else None

    @property
    def key(self) -> str:
        """The same for all versions of the table that have the same columns."""
        columns = [[column.id, column.type, list(column.options)] for column in self.shape.columns]
        return self._hash(columns)

    @property
    def state(self) -> str:
        """Another one for each version.

        The time of the last change stands beside the version: a transaction that failed may have used it before.
        """
        return self._hash([self.table.version, self.table.updated_at.isoformat()])

    def _hash(self, of: Any) -> str:
        asked = [self.kind, self.table.pk, of, self.filter_json, " ".join(self.search.split())]
        return str(strictjson.content_hash(asked))


def _cached(question: Question) -> Kept | None:
    text = cache.get(f"tables.{question.state}")
    return None if text is None else Kept(strictjson.read(text))


def _cache(question: Question, value: Any) -> bool:
    text = strictjson.dump(value)
    if len(text) > MOST_CHARACTERS:
        return False
    cache.set(f"tables.{question.state}", text, KEPT_SECONDS)
    return True


def _last(question: Question) -> Kept | None:
    """The last answer that was kept; None when there is none, or newer ones do not come although they are wanted."""
    kept = KeptFigures.objects.filter(pk=question.key).first()
    if kept is None:
        return None
    value = strictjson.read(kept.figures)
    if kept.state == question.state:
        _cache(question, value)
        return Kept(value)
    now = timezone.now()
    if kept.wanted_at is None or now - kept.wanted_at > PATIENCE:
        figures_outdated.send_robust(sender=Question, key=kept.pk)
    if kept.wanted_at is not None and now - kept.wanted_at > PATIENCE:
        return None
    return Kept(value, age=max(1, round((now - kept.computed_at).total_seconds())))
