"""The view that a table's URL requests: search, sort order, filter, and a condition from the plain form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

from shared import strictjson
from shared.user_messages.rendering import message_text
from tables.column_types import TableShape
from tables.exceptions import TablesError
from tables.operations.queries.filters import Filter, parse_filter
from tables.operations.queries.sorts import SortKey, parse_sort
from tables.selectors import Table, refuse_costly
from tables.views.grid.new_condition import ConditionForm, add_condition

MAX_WORDS = 50


@dataclass(frozen=True)
class View:
    """The requested view, by column id.

    `problem` describes invalid parameters, which are ignored; `redirect_to` is the URL to redirect to, "" for none;
    `form` asks for what a condition of the plain form does not have.
    """

    search: str
    sort: str
    filter_text: str
    filter: Filter | None
    keys: tuple[SortKey, ...]
    problem: str = ""
    redirect_to: str = ""
    form: ConditionForm | None = None

    @property
    def base_query(self) -> dict[str, str]:
        """The search and sort parameters of the URL."""
        return {key: value for key, value in (("search", self.search), ("sort", self.sort)) if value}

    def address(self, **other: str) -> str:
        """Return the query of this view with another `search`, `sort` or `filter`; "" removes one."""
        words = {"search": self.search, "filter": self.filter_text, "sort": self.sort, **other}
        return "?" + urlencode({key: value for key, value in words.items() if value})


def read_search(request: HttpRequest) -> str:
    """Return the words of `search`. Words that cannot be searched are ignored, because a URL has no error message."""
    return " ".join(request.GET.get("search", "").replace("\0", " ").split()[:MAX_WORDS])


def read_view(request: HttpRequest, *, table: Table, shape: TableShape) -> View:
    """Return the view of the URL. A condition of the plain form (`add_column`, …) redirects to the URL with it."""
    problems = []
    sort, keys, problem = _sort(request.GET.get("sort", ""), shape=shape)
    problems.append(problem)
    filter_text, parsed, problem = _filter(request.GET.get("filter", ""), table=table, shape=shape)
    problems.append(problem)
    search, problem = _search(request, table=table, filter_=parsed)
    problems.append(problem)
    view = View(search, sort, filter_text, parsed, keys)
    redirect_to, form = "", None
    if "add_op" in request.GET:
        more, form = add_condition(filter_text, given=request.GET, shape=shape)
        if form is None:
            more, _parsed, problem = _filter(more, table=table, shape=shape, kind=_("Filter not added."))
            problems.append(problem)
            redirect_to = "" if problem else view.address(filter=more)
    problem = " ".join(problem for problem in problems if problem)
    return View(view.search, sort, filter_text, parsed, keys, problem, redirect_to, form)


def _search(request: HttpRequest, *, table: Table, filter_: Filter | None) -> tuple[str, str]:
    """Return the search, "" if it is too expensive, and the reason."""
    search = read_search(request)
    try:
        refuse_costly(table, [filter_] if filter_ else [], words=len(search.split()))
    except TablesError as error:
        return "", message_text(error.message)
    return search, ""


def _sort(text: str, *, shape: TableShape) -> tuple[str, tuple[SortKey, ...], str]:
    try:
        keys = parse_sort(text, shape=shape)
    except TablesError as error:
        template = _("The sort in this link does not fit the table. %(reason)s")
        return "", (), template % {"reason": message_text(error.message)}
    return ",".join(key.as_json() for key in keys), keys, ""


def _filter(text: str, *, table: Table, shape: TableShape, kind: str = "") -> tuple[str, Filter | None, str]:
    if not text:
        return "", None, ""
    try:
        raw: Any = strictjson.loads(text)
    except strictjson.StrictJsonError:
        return "", None, _("The filter in this link is not valid. Part of the link may be missing.")
    try:
        parsed = parse_filter(raw, shape=shape, today=timezone.localdate())
        refuse_costly(table, [parsed])
    except TablesError as error:
        problem = kind or _("The filter in this link does not fit the table.")
        return "", None, f"{problem} {message_text(error.message)}"
    return (strictjson.dumps(parsed.as_json()), parsed, "") if parsed else ("", None, "")
