"""What templates may ask about the fills of the table that a page is about."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.apps import apps
from django.http import HttpRequest


def fills(request: HttpRequest) -> dict[str, bool | Callable[[], bool]]:
    """Context processor: `fills_are_installed`, and `has_fills`, whether a fill of the page's table has run.

    The latter reads only if a template asks, whose view has checked the access to the table. Both are missing in a
    project that takes the settings of this one without this app.
    """
    if not apps.is_installed("fills"):
        return {}
    from fills import selectors

    def has_fills() -> bool:
        match = request.resolver_match
        arguments: dict[str, Any] = match.kwargs if match else {}
        return selectors.has_fills(arguments.get("table_id", 0))

    return {"fills_are_installed": True, "has_fills": has_fills}
