"""Link kinds for tables, rows and columns."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.urls import reverse

from chat.links import Link, LinkKind, register_link_kind
from chat.pages.table_data import parse_id
from tables.selectors import tables_of_columns, tables_of_rows, viewable_tables


def link_to_table(table_id: int, *, anchor: str = "", **data: Any) -> Link:
    """Return a link to the page of a table; `data` identifies the row or column to show."""
    url = reverse("table_view", args=[table_id])
    return Link(href=f"{url}#{anchor}" if anchor else url, data={"table_id": table_id, **data})


def resolve_tables(user: Any, ids: Collection[str]) -> dict[str, Link]:
    """Return links to the tables that the user may see, by id."""
    return {str(table): link_to_table(table) for table in viewable_tables(user, _valid_ids(ids))}


def resolve_rows(user: Any, ids: Collection[str]) -> dict[str, Link]:
    """Return links to rows by id, deleted ones included; the page reports those."""
    found = tables_of_rows(user, _valid_ids(ids))
    return {str(row): link_to_table(table, anchor=f"row-{row}", row_id=row) for row, table in found.items()}


def resolve_columns(user: Any, ids: Collection[str]) -> dict[str, Link]:
    """Return links to columns by id."""
    found = tables_of_columns(user, ids)
    return {key: link_to_table(table, anchor=f"column-{key}", column_id=key) for key, table in found.items()}


def _valid_ids(ids: Collection[str]) -> list[int]:
    return [number for text in ids if (number := parse_id(text))]


register_link_kind(LinkKind(name="table", description="a table, by its `id`.", resolve=resolve_tables))
register_link_kind(LinkKind(name="row", description="a row, by its `row_id`.", resolve=resolve_rows))
register_link_kind(LinkKind(name="column", description="a column, by its `id`.", resolve=resolve_columns))
