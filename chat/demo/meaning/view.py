"""Which filter stands for the rows a person means: their own words, or what the page is showing."""

from __future__ import annotations

from typing import Any

from chat.demo.meaning.conditions import Rows
from chat.demo.page import Page

Json = dict[str, Any]


def filter_of(rows: Rows, *, page: Page) -> Json | None:
    """The filter for rows that are not ticked one by one; None for the whole table."""
    if rows.filter is not None:
        return rows.filter
    return shown_filter(page) if rows.selected else None


def shown_filter(page: Page) -> Json | None:
    """The filter that is set on the page, in the form with "and"."""
    if not page.filter:
        return None
    if isinstance(page.filter, dict) and "and" in page.filter:
        return page.filter if page.filter["and"] else None
    return {"and": page.filter if isinstance(page.filter, list) else [page.filter]}
