"""Figures about the assistant by day (use, cost, errors, ratings) in the admin, as charts and as a table."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils import timezone

from chat.admin.charts import Chart, Series, stacked_chart
from chat.admin.read_only import ReadOnlyAdmin
from chat.models import Figures
from chat.selectors.usage import DayFigures, figures_by_day, total_of

if TYPE_CHECKING:
    Number = Callable[[DayFigures], float]

# Days.
PERIODS = (7, 30, 90)
DEFAULT_PERIOD = 30
# Each of these is enough.
PERMISSIONS = ("chat.view_figures", "chat.tune_assistant")


@admin.register(Figures)
class FiguresAdmin(ReadOnlyAdmin):
    """One page with totals, which identify no user."""

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.is_active and any(request.user.has_perm(name) for name in PERMISSIONS))

    def get_urls(self) -> list[URLPattern]:
        """Return the URL of the page, without those of a model's own pages."""
        return [path("", self.admin_site.admin_view(self.page), name="chat_figures_changelist")]

    def page(self, request: HttpRequest) -> HttpResponse:
        """Show the figures of the last `?days=`, one of PERIODS."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        requested = request.GET.get("days", "")
        period = int(requested) if requested in map(str, PERIODS) else DEFAULT_PERIOD
        days = figures_by_day(days=period, now=timezone.now())
        total = total_of(days)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": "Assistant statistics",
            "periods": PERIODS,
            "period": period,
            "zone": timezone.get_current_timezone_name(),
            "charts": _charts(days, total=total),
            "codes": total.errors.most_common(),
            "days": days[::-1],
            "first": days[0].day,
            "total": total,
            "has_figures": bool(total.turns or total.thumbs),
        }
        return TemplateResponse(request, "admin/chat/figures/page.html", context)


def _charts(days: Sequence[DayFigures], *, total: DayFigures) -> list[Chart]:
    dates = [figures.day for figures in days]

    def series(label: str, tone: str, number: Number, *, negative: bool = False) -> Series:
        return Series(label, tone, [number(figures) for figures in days], negative)

    tokens, thumbs = total.tokens, total.thumbs
    parts = [
        ("Turns", f"{total.turns:,}", [
            series("answered", "main", lambda f: f.turns - f.failed),
            series("failed", "bad", lambda f: f.failed),
        ]),
        ("Tokens", f"{tokens['input_tokens'] + tokens['output_tokens']:,}", [
            series("input", "main", lambda f: f.tokens["input_tokens"] - f.tokens["cache_read_tokens"]),
            series("cached input", "soft", lambda f: f.tokens["cache_read_tokens"]),
            series("output", "dark", lambda f: f.tokens["output_tokens"]),
        ]),
        ("Ratings", f"{thumbs['up']:,} up, {thumbs['down']:,} down", [
            series("up", "good", lambda f: f.thumbs["up"]),
            series("down", "bad", lambda f: f.thumbs["down"], negative=True),
        ]),
        ("Rejected output", f"{total.dropped:,}", [
            series("proposals, suggestions, actions", "odd", lambda f: f.dropped)
        ]),
    ]  # fmt: skip
    charts = [stacked_chart(title, total=text, days=dates, series=stacked) for title, text, stacked in parts]
    if total.cost is not None:
        cost = [series("cost", "main", lambda f: float(f.cost or 0))]
        text = f"${float(total.cost):,.2f}"
        charts.insert(2, stacked_chart("Cost", total=text, days=dates, series=cost, unit="$"))
    return charts
