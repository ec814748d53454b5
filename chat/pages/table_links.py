"""The kinds of link that lead to a table, a row or a column."""
from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.urls import reverse

from chat.links import Link, LinkKind, register_link_kind
from chat.pages.table_data import object_number
from tables.selectors import tables_of_columns, tables_of_rows, viewable_tables


def link_to_table(table_id: int, *, anchor: str = "", **data: Any) -> Link:
    """A link to the page of a table, with what the page should show of it."""
    address = reverse("table_view", args=[table_id])
    return Link(href=f"{address}#{anchor}" if anchor else address, data={"table_id": table_id, **data})


def resolve_tables(user: Any, ids: Collection[str]) -> dict[str, Link]:
    """Links to tables by their ids."""
    return {str(found): link_to_table(found) for found in viewable_tables(user, _numbers(ids))}


def resolve_rows(user: Any, ids: Collection[str]) -> dict[str, Link]:
    """Links to rows by their ids; the page says so where a row was deleted."""
    found = tables_of_rows(user, _numbers(ids))
    return {str(row): link_to_table(table, anchor=f"row-{row}", row_id=row) for row, table in found.items()}


def resolve_columns(user: Any, ids: Collection[str]) -> dict[str, Link]:
    """Links to columns by their ids, which stay the same when a column is renamed."""
    found = tables_of_columns(user, ids)
    return {key: link_to_table(table, anchor=f"column-{key}", column_id=key) for key, table in found.items()}


def _numbers(ids: Collection[str]) -> list[int]:
    return [number for each in ids if (number := object_number(each))]


register_link_kind(LinkKind(name="table", description="a table, by its `id`.", resolve=resolve_tables))
register_link_kind(LinkKind(name="row", description="a row, by its `row_id`.", resolve=resolve_rows))
register_link_kind(LinkKind(name="column", description="a column, by its `id`.", resolve=resolve_columns))
