"""What templates may ask about fills: of the table that a page is about, and of all tables."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.apps import apps
from django.http import HttpRequest
from django.urls import reverse
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from shared import strictjson
from shared.locales.active import current_tag
from shared.locales.formats import moment_text

if TYPE_CHECKING:
    from fills.selectors import Fill


def fills(request: HttpRequest) -> dict[str, Any]:
    """Context processor about fills.

    `fills_at_work` are those of all tables that the user may view, and own ones that have ended.
    `tray_notices` are about fills of the user that have ended; `tray_notices_url` shows them as they are now.
    `has_fills`: a fill of the page's table has run. `standing_triggers` is when columns of that table are filled again,
    as JSON by column id. The latter two need a view that has checked the access to the table. Notices and fills are
    read only if a template asks. All are missing in a project that takes the settings of this one without this app.
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
        "tray_notices_url": reverse("fill_notices"),
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
    unseen = selectors.unseen_fills(user)
    texts, outcomes = [_text(fill) for fill in unseen], selectors.outcomes_of(unseen)
    return [
        {
            "icon": "circle-check" if fill.state == "done" else "triangle-alert",
            "text": text if texts.count(text) == 1 else f"{text} ({_time(fill)})",
            "url": reverse("review_fill", args=[fill.table_id, fill.pk]),
            "label": _("Review") if (found := outcomes.get(fill.pk)) and found.open else _("Open"),
            "dismiss_url": reverse("dismiss_fill_notice", args=[fill.table_id, fill.pk]),
        }
        for fill, text in zip(unseen, texts, strict=True)
    ]


def _text(fill: Fill) -> str:
    """Return what happened, with the names of the columns that still exist."""
    columns = ", ".join(column.name for column in fill.table.columns.all() if column.pk in fill.columns)
    names = {"table": fill.table.name, "columns": columns or "–"}
    if fill.state == "done":
        return _("Filling %(columns)s in “%(table)s” is finished.") % names
    if fill.state == "paused":
        return _("Filling %(columns)s in “%(table)s” is paused.") % names
    return _("Filling %(columns)s in “%(table)s” has failed.") % names


def _time(fill: Fill) -> str:
    return moment_text(localtime(fill.ended_at or fill.updated_at), tag=current_tag())
