"""Statistics of the assistant (use, cost, errors, ratings) in the admin, as charts and tables, with links."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from chat.admin.charts import Chart, Series, stacked_chart
from chat.admin.conversations import VIEW_CONVERSATIONS
from chat.admin.read_only import ReadOnlyAdmin, read_selection
from chat.models import Figures
from chat.selectors.configuration.names import name_of, readable_name
from chat.selectors.figures import DIMENSIONS, Statistics, TurnFigures, statistics

if TYPE_CHECKING:
    Number = Callable[[TurnFigures], float]

Json = dict[str, Any]

# Days.
PERIODS = (7, 30, 90)
DEFAULT_PERIOD = 30
# Each of these is enough.
PERMISSIONS = ("chat.view_figures", "chat.tune_assistant")
TITLES = {"page": "Pages", "tab": "Tabs", "configuration": "Versions of the configuration", "model": "Models"}
# Parameters of URLs by dimension.
PARAMETERS = {name: "version" if name == "configuration" else name for name in DIMENSIONS}
MAX_LINES = 12


@dataclass(frozen=True)
class Line:
    """The figures of one page, tab, version or model, with the URLs of its statistics and its conversations."""

    label: str
    name: str
    figures: TurnFigures
    url: str
    conversations_url: str


@dataclass(frozen=True)
class Links:
    """URLs of the statistics and of lists, with the values that are selected in them.

    Users who may not read conversations have no links to them.
    """

    selected: dict[str, str]
    period: int
    since: date
    to_conversations: bool

    def statistics(self, **changed: str | None) -> str:
        """Return the URL of the statistics with further values; None removes one."""
        values = {**self.selected, **changed}
        query = urlencode({"days": self.period} | {name: value for name, value in values.items() if value is not None})
        return f"?{query}"

    def conversations(self, *, day: date | None = None, **further: str) -> str:
        """Return the URL of the list of conversations with turns of the period, or of one day; "" if not permitted."""
        if not self.to_conversations:
            return ""
        days = {"since": (day or self.since).isoformat()} | ({"until": day.isoformat()} if day else {})
        return f"{reverse('admin:chat_conversation_changelist')}?{urlencode({**days, **self.selected, **further})}"


@admin.register(Figures)
class FiguresAdmin(ReadOnlyAdmin):
    """One page with totals, which identify no user."""

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.is_active and any(request.user.has_perm(name) for name in PERMISSIONS))

    def get_urls(self) -> list[URLPattern]:
        """Return the URL of the page, without those of a model's own pages."""
        return [path("", self.admin_site.admin_view(self.page), name="chat_figures_changelist")]

    def page(self, request: HttpRequest) -> HttpResponse:
        """Show the figures of the last `?days=`, one of PERIODS, of one page, tab, version or model if selected."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        requested = request.GET.get("days", "")
        period = int(requested) if requested in map(str, PERIODS) else DEFAULT_PERIOD
        selected = {name: request.GET[name] for name in PARAMETERS.values() if name in request.GET}
        found = statistics(read_selection(selected), days=period, now=timezone.now())
        links = Links(selected, period, found.days[0].day, request.user.has_perm(VIEW_CONVERSATIONS))
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": "Assistant statistics",
            "periods": [(days, links.statistics(days=str(days))) for days in PERIODS],
            "period": period,
            "selected": [
                (TITLES[dimension], _label(dimension, selected[name]), links.statistics(**{name: None}))
                for dimension, name in PARAMETERS.items() if name in selected
            ],
            "zone": timezone.get_current_timezone_name(),
            "charts": _charts(found, links=links),
            "breakdowns": _breakdowns(found, links=links),
            "codes": [
                (code, count, links.conversations(error=code)) for code, count in found.total.errors.most_common()
            ],
            "days": [(figures, links.conversations(day=figures.day)) for figures in found.days[::-1]],
            "first": found.days[0].day,
            "total": found.total,
            "has_figures": bool(found.total.turns or found.total.thumbs),
        }  # fmt: skip
        return TemplateResponse(request, "admin/chat/figures/page.html", context)


def _label(dimension: str, value: Any) -> str:
    """Return the readable name of a page, tab, version or model."""
    match dimension:
        case "page":
            return readable_name("page", value)
        case "tab":
            return name_of(None, name=value) if value else "Outside tabs"
        case "configuration":
            return "Defaults" if str(value) == "0" else f"Version {value}"
        case _:
            return value or "Unknown"


def _breakdowns(found: Statistics, *, links: Links) -> list[tuple[str, list[Line], int]]:
    """Return the title, the first lines, and the number of further ones of each dimension."""
    parts = []
    for dimension, values in found.by.items():
        lines = [_line(dimension, key, figures=figures, links=links) for key, figures in values.items()]
        # Without tabs there is one line that says so for each page.
        if dimension != "tab" or any(tab for _, tab in values):
            parts.append((TITLES[dimension], lines[:MAX_LINES], max(0, len(lines) - MAX_LINES)))
    return parts


def _line(dimension: str, key: Any, *, figures: TurnFigures, links: Links) -> Line:
    if dimension == "tab":
        page, tab = key
        label, name = f"{_label('page', page)}: {_label('tab', tab)}", f"{page}/{tab}".rstrip("/")
        chosen = {"page": page, "tab": tab}
    else:
        label, name = _label(dimension, key), str(key) if dimension == "page" else ""
        chosen = {PARAMETERS[dimension]: str(key)}
    return Line(label, name, figures, links.statistics(**chosen), links.conversations(**chosen))


def _charts(found: Statistics, *, links: Links) -> list[Chart]:
    days, total = found.days, found.total

    def series(label: str, tone: str, number: Number, *, negative: bool = False) -> Series:
        return Series(label, tone, [number(figures) for figures in days], negative)

    def chart(title: str, text: str, stacked: list[Series], *, unit: str = "", **further: str) -> Chart:
        dates = [figures.day for figures in days]
        url_of = (lambda day: links.conversations(day=day, **further)) if links.to_conversations else None
        return stacked_chart(title, total=text, days=dates, series=stacked, unit=unit, url_of=url_of)

    tokens, thumbs = total.tokens, total.thumbs
    charts = [
        chart("Turns", f"{total.turns:,}", [
            series("answered", "main", lambda f: f.turns - f.failed),
            series("failed", "bad", lambda f: f.failed),
        ]),
        chart("Tokens", f"{tokens['input_tokens'] + tokens['output_tokens']:,}", [
            series("input", "main", lambda f: f.tokens["input_tokens"] - f.tokens["cache_read_tokens"]),
            series("cached input", "soft", lambda f: f.tokens["cache_read_tokens"]),
            series("output", "dark", lambda f: f.tokens["output_tokens"]),
        ]),
        chart("Ratings", f"{thumbs['up']:,} up, {thumbs['down']:,} down", [
            series("up", "good", lambda f: f.thumbs["up"]),
            series("down", "bad", lambda f: f.thumbs["down"], negative=True),
        ], rating="any"),
        chart("Rejected output", f"{total.dropped:,}", [
            series("proposals, suggestions, actions", "odd", lambda f: f.dropped)
        ]),
    ]  # fmt: skip
    if total.cost is not None:
        cost = [series("cost", "main", lambda f: float(f.cost or 0))]
        charts.insert(2, chart("Cost", f"${float(total.cost):,.2f}", cost, unit="$"))
    return charts
