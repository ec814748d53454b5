"""How much the assistant is used, what it costs and how well it does, over time: charts, and the same as a table."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils import timezone

from chat.admin.charts import Chart, Series, chart_of
from chat.admin.read_only import ReadOnly
from chat.models import Figures
from chat.selectors.figures import DayFigures, figures_by_day, total_of

if TYPE_CHECKING:
    Number = Callable[[DayFigures], float]

PERIODS = (7, 30, 90)
USUAL = 30
PERMISSIONS = ("chat.view_figures", "chat.tune_assistant")


@admin.register(Figures)
class FiguresAdmin(ReadOnly):
    """One page, for those with the permission and for those who tune the assistant: numbers that tell of nobody."""

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.is_active and any(request.user.has_perm(name) for name in PERMISSIONS))

    def get_urls(self) -> list[URLPattern]:
        """Nothing but the page itself."""
        return [path("", self.admin_site.admin_view(self.page), name="chat_figures_changelist")]

    def page(self, request: HttpRequest) -> HttpResponse:
        """The figures of the chosen period; one that is not offered is the usual one."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        asked = request.GET.get("days", "")
        period = int(asked) if asked in {str(days) for days in PERIODS} else USUAL
        days = figures_by_day(days=period, now=timezone.now())
        total = total_of(days)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": "Assistant figures",
            "periods": PERIODS,
            "period": period,
            "zone": timezone.get_current_timezone_name(),
            "charts": _charts(days, total=total),
            "codes": total.errors.most_common(),
            "days": days[::-1],
            "first": days[0].day,
            "total": total,
            "anything": bool(total.turns or total.thumbs),
        }
        return TemplateResponse(request, "admin/chat/figures/page.html", context)


def _charts(days: Sequence[DayFigures], *, total: DayFigures) -> list[Chart]:
    dates = [figures.day for figures in days]

    def series(label: str, tone: str, number: Number, *, down: bool = False) -> Series:
        return Series(label, tone, [number(figures) for figures in days], down)

    tokens, thumbs = total.tokens, total.thumbs
    shown = [
        ("Turns", f"{total.turns:,}", [
            series("answered", "main", lambda f: f.turns - f.failed),
            series("failed", "bad", lambda f: f.failed),
        ]),
        ("Tokens", f"{tokens['input_tokens'] + tokens['output_tokens']:,}", [
            series("in", "main", lambda f: f.tokens["input_tokens"] - f.tokens["cache_read_tokens"]),
            series("in, from the cache", "soft", lambda f: f.tokens["cache_read_tokens"]),
            series("out", "dark", lambda f: f.tokens["output_tokens"]),
        ]),
        ("Thumbs", f"{thumbs['up']:,} up, {thumbs['down']:,} down", [
            series("up", "good", lambda f: f.thumbs["up"]),
            series("down", "bad", lambda f: f.thumbs["down"], down=True),
        ]),
        ("Written but not shown", f"{total.dropped:,}", [
            series("proposals, suggestions, actions", "odd", lambda f: f.dropped)
        ]),
    ]  # fmt: skip
    charts = [chart_of(title, sum_said=said, days=dates, series=parts) for title, said, parts in shown]
    if total.cost is not None:
        cost = [series("cost", "main", lambda f: float(f.cost or 0))]
        said = f"${float(total.cost):,.2f}"
        charts.insert(2, chart_of("Cost", sum_said=said, days=dates, series=cost, unit="$"))
    return charts
