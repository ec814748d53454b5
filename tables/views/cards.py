"""Tables as cards in the list of tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tables import selectors
from tables.column_types import get_column_type

MAX_ICONS = 6


@dataclass(frozen=True)
class Card:
    """One table as a card.

    `by` is the user who changed it last, "" if that is no longer stored; `by_user`: it is the current user. `shared_by`
    is its owner, "" for the user's own. `purge_at` is when a table in the trash is deleted for good, else None.
    """

    table: Any
    icons: tuple[str, ...]
    more: int
    columns: int
    rows: int
    by: str
    by_user: bool
    shared_by: str
    purge_at: datetime | None

    @property
    def own(self) -> bool:
        """Whether the current user may move it to the trash."""
        return not self.shared_by


def draw_cards(tables: Iterable[Any], *, user: Any) -> list[Card]:
    """Return the cards of tables with `row_count`, `changed_by`, owner and columns loaded."""
    return [_card(table, user=user) for table in tables]


def _card(table: Any, *, user: Any) -> Card:
    columns = list(table.columns.all())
    icons = tuple(get_column_type(column.type).icon for column in columns[:MAX_ICONS])
    by = table.changed_by or ""
    return Card(
        table=table,
        icons=icons,
        more=len(columns) - len(icons),
        columns=len(columns),
        rows=table.row_count,
        by=by,
        by_user=by == user.get_username(),
        shared_by="" if table.owner_id == user.pk else table.owner.get_username(),
        purge_at=table.deleted_at + selectors.TRASH_RETENTION if table.deleted_at else None,
    )
