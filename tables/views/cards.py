"""Tables as cards: what the list says of each, and where its buttons lead."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tables import selectors
from tables.column_types import get_column_type

MOST_ICONS = 6


@dataclass(frozen=True)
class Card:
    """One table as a card.

    `by` is who changed it last, "" where that is not kept any more, `by_reader` whether that was who reads this;
    `shared_by` its owner, "" for one's own. A table in the trash is `gone_at` for good, and None elsewhere.
    """

    table: Any
    icons: tuple[str, ...]
    more: int
    columns: int
    rows: int
    by: str
    by_reader: bool
    shared_by: str
    gone_at: datetime | None

    @property
    def own(self) -> bool:
        """Whether this reader may put it in the trash."""
        return not self.shared_by


def draw_cards(tables: Iterable[Any], *, reader: Any) -> list[Card]:
    """The cards of tables that have `row_count`, `changed_by`, their owner and their columns at hand."""
    return [_card(table, reader=reader) for table in tables]


def _card(table: Any, *, reader: Any) -> Card:
    columns = list(table.columns.all())
    icons = tuple(get_column_type(column.type).icon for column in columns[:MOST_ICONS])
    by = table.changed_by or ""
    return Card(
        table=table,
        icons=icons,
        more=len(columns) - len(icons),
        columns=len(columns),
        rows=table.row_count,
        by=by,
        by_reader=by == reader.get_username(),
        shared_by="" if table.owner_id == reader.pk else table.owner.get_username(),
        gone_at=table.deleted_at + selectors.TRASH_KEPT if table.deleted_at else None,
    )
