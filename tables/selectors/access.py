"""Who may do what with a table: the one function every door asks."""
from __future__ import annotations

from typing import Any, Literal

from tables.models import Table

Right = Literal["view", "edit", "own"]


def allowed(user: Any, table: Table, *, can: Right) -> bool:
    """Whether the person may view, edit or own (share, delete) the table; all of it is the owner's for now."""
    return bool(user and user.is_authenticated and user.is_active and table.owner_id == user.pk)
