"""Keeps how a person looks at a table: theirs alone, no change of the table, and so without undo."""
from __future__ import annotations

from typing import Any

from tables.models import PersonalView
from tables.operations.view_settings import ViewSettings, read_view_settings
from tables.selectors.tables import get_table, table_shape


def change_look(*, user: Any, table_id: int, look: Any) -> ViewSettings:
    """Replaces this person's look by `{"widths", "hidden"}`. Raises NotFound, Malformed, Invalid."""
    table = get_table(user, table_id)
    new = read_view_settings(look, shape=table_shape(table))
    values = {"widths": dict(new.widths), "hidden": sorted(new.hidden)}
    PersonalView.objects.update_or_create(table=table, user=user, defaults=values)
    return new
