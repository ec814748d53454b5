"""Tables of the current user, with Django's error pages."""

from __future__ import annotations

from typing import Any, Literal

from django.http import HttpRequest

from tables import selectors
from tables.page_errors import http_errors


def get_table_or_404(request: HttpRequest, *, table_id: int, can: Literal["view", "edit"] = "view") -> Any:
    """Return the table. Raises Http404 if it is missing or of another user, PermissionDenied if it is read-only."""
    with http_errors():
        return selectors.get_table(request.user, table_id, can=can)
