"""The base of the views of one fill: the fill in the URL, and the rights to it, come before other errors."""
from __future__ import annotations

from typing import Any
from uuid import UUID

from fills import selectors
from tables.api.table_view import TableView


class FillView(TableView):
    """A view of the fill in the URL. The rights are those of `selectors.get_fill`."""

    def check_access(self, *, table_id: int = 0, fill_id: UUID | None = None, **_names: Any) -> None:
        """Raise NotFound and Forbidden for the table and the fill in the URL."""
        assert fill_id is not None
        selectors.get_fill(self.request.user, table_id, fill_id=fill_id, can=self.right())


class StandingFillView(TableView):
    """A view of the standing fill in the URL. The rights are those of `selectors.get_fill`."""

    def check_access(self, *, table_id: int = 0, fill_id: UUID | None = None, **_names: Any) -> None:
        """Raise NotFound and Forbidden for the table and the standing fill in the URL."""
        assert fill_id is not None
        selectors.get_standing_fill(self.request.user, table_id, fill_id=fill_id, can=self.right())
