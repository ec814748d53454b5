"""The rows of an open proposal, looked at as if they stood in the table: what is said of them is read the same way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

from chat.demo.language.words import key
from chat.demo.page import Page, Row

Json = dict[str, Any]


@dataclass(frozen=True)
class Proposed:
    """The operations of an open proposal, and what is known of the row of each, cells by column name."""

    operations: tuple[Json, ...]
    cells: tuple[Json, ...]

    def page(self, page: Page, *, picked: Sequence[int] | None = None) -> Page:
        """The page as if it showed the proposed rows, numbered from 1, with those at `picked` ticked."""
        rows = tuple(Row(row_id=at + 1, data=data) for at, data in enumerate(self.cells))
        ticked = rows if picked is None else tuple(rows[at] for at in picked)
        return replace(page, samples=rows, selected=ticked, filter=None, search="")

    def matching(self, filter_: Json, *, page: Page) -> list[int]:
        """Where the rows stand that a filter leaves."""
        return [
            at for at, data in enumerate(self.cells) if all(_holds(c, data=data, page=page) for c in filter_["and"])
        ]


def proposed_rows(operations: Sequence[Json], *, page: Page) -> Proposed:
    """The operations with the cells that each one leaves, as far as they are known here."""
    shown = {row.row_id: dict(row.data) for row in (*page.samples, *page.selected)}
    cells = []
    for operation in operations:
        known = shown.get(operation.get("row_id", 0), {})
        cells.append({**known, **(operation.get("data") or {}), **(operation.get("changes") or {})})
    return Proposed(operations=tuple(operations), cells=tuple(cells))


def _holds(clause: Json, *, data: Json, page: Page) -> bool:
    if "or" in clause:
        return any(_holds(item, data=data, page=page) for item in clause["or"])
    column = page.column(str(clause["column"]))
    cell = data.get(column.name) if column else None
    op, value = clause["op"], clause.get("value")
    if cell in (None, ""):
        return op in ("empty", "ne", "none_of", "not_contains")
    if isinstance(cell, str):
        cell = key(cell)
    if op in _DAYS:
        return _on_days(op, cell, value=value, today=page.today)
    if op == "between" and isinstance(value, list):
        return _ordered(value[0], cell) and _ordered(cell, value[1])
    if isinstance(value, list):
        among = cell in {key(str(item)) for item in value}
        return among if op == "any_of" else not among
    value = key(value) if isinstance(value, str) else value
    return _compared(op, cell=cell, value=value)


def _compared(op: str, *, cell: Any, value: Any) -> bool:
    match op:
        case "eq" | "is":
            return bool(cell == value)
        case "ne":
            return bool(cell != value)
        case "not_empty":
            return True
        case "contains":
            return str(value) in str(cell)
        case "not_contains":
            return str(value) not in str(cell)
        case "starts_with":
            return str(cell).startswith(str(value))
        case "lt" | "gte":
            return (not _ordered(value, cell)) == (op == "lt")
        case "lte" | "gt":
            return _ordered(cell, value) == (op == "lte")
    return False


def _ordered(first: Any, second: Any) -> bool:
    try:
        return bool(first <= second)
    except TypeError:
        return False


_DAYS = ("today", "this_week", "this_month", "last_n_days", "next_n_days")


def _on_days(op: str, cell: Any, *, value: Any, today: date) -> bool:
    try:
        day = date.fromisoformat(str(cell))
    except ValueError:
        return False
    many = timedelta(days=value if isinstance(value, int) else 0)
    return {
        "today": day == today,
        "this_week": day.isocalendar()[:2] == today.isocalendar()[:2],
        "this_month": (day.year, day.month) == (today.year, today.month),
        "last_n_days": today - many <= day <= today,
        "next_n_days": today <= day <= today + many,
    }[op]
