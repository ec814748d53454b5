"""Rows that are equal in all their cells, or in some columns."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Count, F, IntegerField, Min, Q, QuerySet, Sum, TextField, Window
from django.db.models.expressions import RawSQL
from django.db.models.functions import FirstValue, RowNumber

from shared import strictjson
from tables.column_types import ColumnSpec, get_column_type
from tables.models import Row, Table
from tables.operations.queries.filters import Filter
from tables.selectors.rows.costs import max_row_count
from tables.selectors.rows.reading import live_rows
from tables.selectors.sql.conditions import comparable
from tables.selectors.sql.dialects import dialect
from tables.selectors.sql.expressions import row_column, row_is_live, row_text

MAX_IDS = 50
# Rows of a proposal are not compared with those of larger tables, since that reads the whole table.
MAX_COMPARED_ROWS = 200_000


@dataclass(frozen=True)
class EqualRows:
    """A group of equal rows: their number, and the ids of the first 50 in order."""

    row_count: int
    row_ids: tuple[int, ...]


@dataclass(frozen=True)
class Duplicates:
    """The number of groups of equal rows, of rows that repeat an earlier one, and the first groups."""

    group_count: int
    repeated: int
    groups: tuple[EqualRows, ...]


def find_duplicates(
    table: Table,
    *,
    columns: Sequence[ColumnSpec] = (),
    filter: Filter | None = None,  # noqa: A002
    search: str = "",
    limit: int = 100,
) -> Duplicates:
    """Return rows equal in these columns (regardless of case), or without `columns` in all cells exactly.

    Rows that are empty in all of them are not duplicates. Groups are in the order of their first rows.
    """
    rows, keys = _keyed(live_rows(table, filter=filter, search=search), columns=columns)
    doubled = rows.values(*keys).annotate(n=Count("pk")).filter(n__gt=1).order_by()
    totals = doubled.aggregate(groups=Count("n"), rows=Sum("n"))
    if not totals["groups"]:
        return Duplicates(group_count=0, repeated=0, groups=())
    return Duplicates(
        group_count=totals["groups"],
        repeated=totals["rows"] - totals["groups"],
        groups=_first_groups(rows, keys=keys, limit=limit),
    )


def _keyed(rows: QuerySet[Row], *, columns: Sequence[ColumnSpec]) -> tuple[QuerySet[Row], list[str]]:
    """Return the rows with the values they are compared by, and the names of these."""
    if not columns:
        return _keyed_by_all_cells(rows)
    read, keys = dialect(), {}
    for index, column in enumerate(columns):
        cell = comparable(column, read=read)
        # The field would only convert the value, which is never read.
        number = get_column_type(column.type).comparison in ("number", "boolean")
        field: Any = IntegerField() if number else TextField()
        keys[f"k{index}"] = RawSQL(cell.text, cell.params, output_field=field)
    filled = Q()
    for name in keys:
        filled |= Q(**{f"{name}__isnull": False})
    return rows.annotate(**keys).filter(filled), list(keys)


def _keyed_by_all_cells(rows: QuerySet[Row]) -> tuple[QuerySet[Row], list[str]]:
    """Return the rows with values, which are compared by all cells. A hash is faster to compare than JSON."""
    data = row_column("data").text
    texts = {"cells": data} if connection.vendor == "sqlite" else {"hash": f"jsonb_hash({data})", "cells": data}
    keys = {name: RawSQL(text, (), output_field=TextField()) for name, text in texts.items()}
    return rows.exclude(data={}).annotate(**keys), list(keys)


def _first_groups(rows: QuerySet[Row], *, keys: list[str], limit: int) -> tuple[EqualRows, ...]:
    partition: list[Any] = [F(key) for key in keys]
    order = ["position", "pk"]
    found = (
        rows.annotate(
            n=Window(Count("pk"), partition_by=partition),
            number=Window(RowNumber(), partition_by=partition, order_by=order),
            start=Window(Min("position"), partition_by=partition),
            head=Window(FirstValue("pk"), partition_by=partition, order_by=order),
        )
        .filter(n__gt=1, number__lte=MAX_IDS)
        .order_by("start", "head", "number")
        .values_list("head", "n", "pk")
    )
    groups: dict[int, tuple[int, list[int]]] = {}
    for head, count, pk in found.iterator(chunk_size=500):
        if head not in groups and len(groups) == limit:
            break
        groups.setdefault(head, (count, []))[1].append(pk)
    return tuple(EqualRows(row_count=count, row_ids=tuple(ids)) for count, ids in groups.values())


def equal_rows(table: Table, wanted: Mapping[str, str]) -> dict[str, int]:
    """Return for cells in their stored form, if a row has exactly these, the id of one such row.

    `wanted` are the JSON texts with the searchable texts. Reads the whole table: 100,000 rows take about 50 ms. Returns
    {} for tables that may have more than MAX_COMPARED_ROWS.
    """
    if not wanted or max_row_count(table) > MAX_COMPARED_ROWS:
        return {}
    live, pk, data = row_is_live(table), row_column("id").text, row_column("data").text
    texts = list(wanted)
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(
                f"SELECT {data}, {pk} FROM {Row._meta.db_table}"
                f" WHERE {live.text} AND {data} IN (SELECT value FROM json_each(%s))",
                [*live.params, strictjson.dumps(texts)],
            )
            return dict(cursor.fetchall())
        # Texts are compared in a fraction of the time of JSON, whose numbers may be written differently when read.
        cursor.execute(
            f"SELECT wanted.number, {pk} FROM {Row._meta.db_table}"
            " JOIN unnest(%s::text[], %s::jsonb[]) WITH ORDINALITY AS wanted (searched, cells, number)"
            f" ON wanted.searched = {row_text().text} AND wanted.cells = {data} WHERE {live.text}",
            [list(wanted.values()), texts, *live.params],
        )
        return {texts[number - 1]: found for number, found in cursor.fetchall()}
