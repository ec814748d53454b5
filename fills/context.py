"""What templates may ask about fills: of the table that a page is about, and of all tables."""
from __future__ import annotations

from typing import Any

from django.apps import apps
from django.http import HttpRequest


def fills(request: HttpRequest) -> dict[str, Any]:
    """Context processor: `fills_are_installed`, `has_fills` and `fills_at_work`.

    `has_fills`: a fill of the page's table has run; its view has checked the access. `fills_at_work` are those of all
    tables that the user may view. Both read only if a template asks. All are missing in a project that takes the
    settings of this one without this app.
    """
    if not apps.is_installed("fills"):
        return {}
    from fills import selectors

    def has_fills() -> bool:
        match = request.resolver_match
        arguments: dict[str, Any] = match.kwargs if match else {}
        return selectors.has_fills(arguments.get("table_id", 0))

    def fills_at_work() -> list[selectors.FillAtWork]:
        return selectors.fills_at_work(request.user)

    return {"fills_are_installed": True, "has_fills": has_fills, "fills_at_work": fills_at_work}
