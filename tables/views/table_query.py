"""What the address of a table asks to see: search, order, filter; and where it should rather lead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

import strictjson
from tables.column_types import TableShape
from tables.exceptions import TablesError
from tables.operations.filters import Filter, parse_filter
from tables.operations.sorts import SortKey, parse_sort
from tables.selectors import Table, refuse_costly
from tables.views.added_condition import NotAdded, added_to
from user_messages.rendering import message_text

MOST_WORDS = 50


@dataclass(frozen=True)
class View:
    """What the address asks to see, by column id.

    `problem` says what of it was not understood, and is shown without that; `leads_to` is where the reader is sent
    instead, "" for nowhere.
    """

    search: str
    sort: str
    filter_text: str
    filter: Filter | None
    keys: tuple[SortKey, ...]
    problem: str = ""
    leads_to: str = ""

    @property
    def kept(self) -> dict[str, str]:
        """Search and sort order as they stand in an address."""
        return {key: value for key, value in (("search", self.search), ("sort", self.sort)) if value}

    def address(self, **other: str) -> str:
        """The query of this view with another `search`, `sort` or `filter`; "" takes one away."""
        words = {"search": self.search, "filter": self.filter_text, "sort": self.sort, **other}
        return "?" + urlencode({key: value for key, value in words.items() if value})


def asked_search(request: HttpRequest) -> str:
    """The words of `search`: an address is no place for errors, so that what cannot be looked for is left out."""
    return " ".join(request.GET.get("search", "").replace("\0", " ").split()[:MOST_WORDS])


def read_view(request: HttpRequest, *, table: Table, shape: TableShape) -> View:
    """The view of an address. A condition of the plain form (`add_column`, …) leads to the address that has it."""
    problems = []
    sort, keys, problem = _sort(request.GET.get("sort", ""), shape=shape)
    problems.append(problem)
    filter_text, parsed, problem = _filter(request.GET.get("filter", ""), table=table, shape=shape)
    problems.append(problem)
    search, problem = _search(request, table=table, filter_=parsed)
    problems.append(problem)
    view = View(search, sort, filter_text, parsed, keys)
    leads_to = ""
    if "add_op" in request.GET:
        try:
            more = added_to(filter_text, given=request.GET, shape=shape)
            more, _parsed, problem = _filter(more, table=table, shape=shape, kind=_("This filter was not added."))
            problems.append(problem)
            leads_to = "" if problem else view.address(filter=more)
        except NotAdded as error:
            problems.append(str(error))
    told = " ".join(problem for problem in problems if problem)
    return View(view.search, sort, filter_text, parsed, keys, told, leads_to)


def _search(request: HttpRequest, *, table: Table, filter_: Filter | None) -> tuple[str, str]:
    """The search, "" for one that costs too much; and the reason of that."""
    search = asked_search(request)
    try:
        refuse_costly(table, [filter_] if filter_ else [], words=len(search.split()))
    except TablesError as error:
        return "", message_text(error.message)
    return search, ""


def _sort(text: str, *, shape: TableShape) -> tuple[str, tuple[SortKey, ...], str]:
    try:
        keys = parse_sort(text, shape=shape)
    except TablesError as error:
        said = _("This link asks for an order that the table does not have. %(reason)s")
        return "", (), said % {"reason": message_text(error.message)}
    return ",".join(key.as_json() for key in keys), keys, ""


def _filter(text: str, *, table: Table, shape: TableShape, kind: str = "") -> tuple[str, Filter | None, str]:
    if not text:
        return "", None, ""
    try:
        raw: Any = strictjson.read(text)
    except strictjson.NotStrictJson:
        return "", None, _("The filter of this link cannot be read. Part of the link may be missing.")
    try:
        parsed = parse_filter(raw, shape=shape, today=timezone.localdate())
        refuse_costly(table, [parsed])
    except TablesError as error:
        problem = kind or _("This link asks for a filter that does not fit the table.")
        return "", None, f"{problem} {message_text(error.message)}"
    return (strictjson.dump(parsed.as_json()), parsed, "") if parsed else ("", None, "")
