"""How a person looks at a table, as they last left it."""
from __future__ import annotations

from typing import Any

from tables.column_types import TableShape
from tables.models import PersonalView, Table
from tables.operations.view_settings import ViewSettings, stored_view_settings


def look_of(user: Any, table: Table, *, shape: TableShape) -> ViewSettings:
    """This person's widths and hidden columns; the usual look for who has changed nothing."""
    kept = PersonalView.objects.filter(table_id=table.pk, user_id=user.pk).first()
    return stored_view_settings(widths=kept.widths, hidden=kept.hidden, shape=shape) if kept else ViewSettings()
