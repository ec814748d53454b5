"""What templates may ask about fills: of the table that a page is about, and of all tables."""
from __future__ import annotations

from typing import Any

from django.apps import apps
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from shared import strictjson


def fills(request: HttpRequest) -> dict[str, Any]:
    """Context processor: `fills_are_installed`, `fills_at_work`, `tray_notices`, `has_fills` and `standing_triggers`.

    `fills_at_work` are those of all tables that the user may view, `tray_notices` are about fills of the user that have
    ended. `has_fills`: a fill of the page's table has run. `standing_triggers` is when columns of that table are filled
    again, as JSON by column id. The latter two need a view that has checked the access to the table. All read only if a
    template asks, and are missing in a project that takes the settings of this one without this app.
    """
    if not apps.is_installed("fills"):
        return {}
    from fills import selectors

    match = request.resolver_match
    arguments: dict[str, Any] = match.kwargs if match else {}
    table_id = arguments.get("table_id", 0)
    return {
        "fills_are_installed": True,
        "fills_at_work": lambda: selectors.fills_at_work(request.user),
        "tray_notices": lambda: _notices(getattr(request, "user", None)),
        "has_fills": lambda: selectors.has_fills(table_id),
        "standing_triggers": lambda: strictjson.dumps(selectors.standing_triggers(table_id)),
    }


def _notices(user: Any) -> list[dict[str, str]]:
    """Return the icon, text and URLs of each notice of this user."""
    from fills import selectors

    # Pages of errors may be rendered before the user is known.
    if user is None or not user.is_authenticated:
        return []
    return [
        {
            "icon": "circle-check" if fill.state == "done" else "triangle-alert",
            "text": _text(str(fill.state)) % {"table": fill.table.name},
            "url": reverse("review_fill", args=[fill.table_id, fill.pk]),
            "label": _("Review"),
            "dismiss_url": reverse("dismiss_fill_notice", args=[fill.table_id, fill.pk]),
        }
        for fill in selectors.unseen_fills(user)
    ]


def _text(state: str) -> str:
    if state == "done":
        return _("A fill of “%(table)s” is finished.")
    return _("A fill of “%(table)s” is paused.") if state == "paused" else _("A fill of “%(table)s” has failed.")
