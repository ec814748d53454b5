"""Finds rows that say the same: in all their cells, or in some columns."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, IntegerField, Min, Q, QuerySet, Sum, TextField, Window
from django.db.models.expressions import RawSQL
from django.db.models.functions import FirstValue, RowNumber

from tables.column_types import ColumnSpec, get_column_type
from tables.models import Row, Table
from tables.operations.filters import Filter
from tables.selectors.conditions import comparable
from tables.selectors.dialects import dialect
from tables.selectors.rows import live_rows

IDS_OF_ONE = 50


@dataclass(frozen=True)
class Doubles:
    """Rows that are equal: how many, and the ids of the first 50 in their order."""

    row_count: int
    row_ids: tuple[int, ...]


@dataclass(frozen=True)
class Duplicates:
    """How many groups of equal rows there are, how many rows repeat an earlier one, and the first of the groups."""

    group_count: int
    repeated: int
    groups: tuple[Doubles, ...]


def find_duplicates(
    table: Table,
    *,
    columns: Sequence[ColumnSpec] = (),
    filter: Filter | None = None,  # noqa: A002  the word of every door
    search: str = "",
    limit: int = 100,
) -> Duplicates:
    """Rows equal in these columns (texts without regard to case), or, without any, in every cell exactly.

    Rows that are empty in all of them are no duplicates. Groups come in the order of their first rows.
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
    """The rows with what they are compared by, and the names of that."""
    if not columns:
        return rows.exclude(cells_hash=""), ["cells_hash"]
    read, keys = dialect(), {}
    for index, column in enumerate(columns):
        cell = comparable(column, read=read)
        # What the field says only matters for reading the value, and none is read.
        number = get_column_type(column.type).comparison in ("number", "boolean")
        field: Any = IntegerField() if number else TextField()
        keys[f"k{index}"] = RawSQL(cell.text, cell.params, output_field=field)
    filled = Q()
    for name in keys:
        filled |= Q(**{f"{name}__isnull": False})
    return rows.annotate(**keys).filter(filled), list(keys)


def _first_groups(rows: QuerySet[Row], *, keys: list[str], limit: int) -> tuple[Doubles, ...]:
    partition: list[Any] = [F(key) for key in keys]
    order = ["position", "pk"]
    found = (
        rows.annotate(
            n=Window(Count("pk"), partition_by=partition),
            place=Window(RowNumber(), partition_by=partition, order_by=order),
            start=Window(Min("position"), partition_by=partition),
            head=Window(FirstValue("pk"), partition_by=partition, order_by=order),
        )
        .filter(n__gt=1, place__lte=IDS_OF_ONE)
        .order_by("start", "head", "place")
        .values_list("head", "n", "pk")
    )
    groups: dict[int, tuple[int, list[int]]] = {}
    for head, count, pk in found.iterator(chunk_size=500):
        if head not in groups and len(groups) == limit:
            break
        groups.setdefault(head, (count, []))[1].append(pk)
    return tuple(Doubles(row_count=count, row_ids=tuple(ids)) for count, ids in groups.values())
