"""Offsets of rows, known from earlier pages, so that not all rows before a page far down are counted again."""
from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.core.cache import cache

from tables.models import Table
from tables.selectors.sql.expressions import Sql, row_column

CACHE_SECONDS = 3600
MAX_KNOWN = 64


class KnownRow(NamedTuple):
    """A row with its offset in the order of the table."""

    offset: int
    position: int
    id: int

    def onwards(self) -> Sql:
        """Return the condition for this row and those after it."""
        columns = f"({row_column('position').text}, {row_column('id').text})"
        return Sql(f"{columns} >= (%s, %s)", (self.position, self.id))


def nearest_known_row(table: Table, *, offset: int) -> KnownRow | None:
    """Return the last known row up to this offset, of the same version of the table."""
    known = [row for row in _known(table) if row.offset <= offset]
    return max(known, default=None)


def remember_rows(table: Table, rows: Sequence[KnownRow]) -> None:
    """Remember rows of this version of the table. Only the last 64 are stored."""
    known = dict.fromkeys([*_known(table), *rows])
    cache.set(_key(table), [tuple(row) for row in known][-MAX_KNOWN:], CACHE_SECONDS)


def _known(table: Table) -> list[KnownRow]:
    return [KnownRow(*row) for row in cache.get(_key(table), [])]


def _key(table: Table) -> str:
    # With the time of the last change, because a transaction that failed may have used the version before.
    return f"tables.offsets.{table.pk}.{table.version}.{table.updated_at.timestamp()}"
