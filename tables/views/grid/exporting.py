"""Downloads of tables, and pages for exports that fail."""
from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from asgiref.sync import sync_to_async
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from shared.user_messages.rendering import message_text
from shared.websockets.credentials import Credential, credential_of
from tables import selectors
from tables.api.exporting import export_response
from tables.exceptions import Invalid, NotFound, TablesError, TooMany
from tables.interchange.exporting import WITH_FILES, Find
from tables.views.grid.table_query import View

STATUS: dict[type[TablesError], int] = {Invalid: 422, TooMany: 429}
# Format names are the same in every language.
LABELS = (("csv", "CSV"), ("xlsx", "Excel"), ("json", "JSON"))


@dataclass(frozen=True)
class ExportMenu:
    """The links of the export menu, each `(ending, label, URL)`: for the filtered rows, and for all rows."""

    address: str
    shown: tuple[tuple[str, str, str], ...]
    everything: tuple[tuple[str, str, str], ...]


def draw_export(view: View, *, address: str, has_files: bool = False) -> ExportMenu:
    """Return the menu for the URL's view; all rows are exported in the same order.

    `has_files`: whether the table has files that the reader may download.
    """
    labels = (*LABELS, *([(WITH_FILES, _("ZIP with files"))] if has_files else []))

    def links(**words: str) -> tuple[tuple[str, str, str], ...]:
        given = {key: value for key, value in words.items() if value}
        return tuple(
            (ending, label, f"{address}?{urlencode({**given, 'format': ending})}") for ending, label in labels
        )

    shown = links(search=view.search, filter=view.filter_text, sort=view.sort)
    return ExportMenu(address, shown, links(sort=view.sort))


@login_required
@require_GET
async def table_export(request: HttpRequest, table_id: int) -> HttpResponseBase:
    """Return the file of a table, with the query parameters of the API."""
    user = await request.auser()
    page = reverse("table_view", kwargs={"table_id": table_id})
    credential = credential_of(request, user=user)
    return await _file(request, find=lambda: selectors.get_table(user, table_id), page=page, credential=credential)


@require_GET
async def shared_table_export(request: HttpRequest, token: str) -> HttpResponseBase:
    """Return the file for a share link, which shows all of the table anyway, but not the files in its cells."""
    if request.GET.get("format") == WITH_FILES:
        raise Http404
    page = reverse("shared_table", kwargs={"token": token})
    return await _file(request, find=lambda: selectors.linked_table(token, now=timezone.now()), page=page)


async def _file(
    request: HttpRequest, *, find: Find, page: str, credential: Credential | None = None
) -> HttpResponseBase:
    try:
        return await export_response(request, find=find, credential=credential)
    except NotFound as error:
        raise Http404 from error
    except TablesError as error:
        return await sync_to_async(_refusal)(request, error=error, page=page)


def _refusal(request: HttpRequest, *, error: TablesError, page: str) -> HttpResponse:
    """Return a page with the reason, a link back to the table and one to a format that works."""
    query = request.GET.copy()
    query.pop("format", None)
    instead = f"?{query.urlencode()}&format=csv" if error.extra.get("instead") == "csv" else ""
    again = f"?{request.GET.urlencode()}" if isinstance(error, TooMany) else ""
    context = {"detail": message_text(error.message), "instead": instead, "again": again}
    context["page"] = f"{page}?{query.urlencode()}"
    response = render(request, "tables/table_export.html", context, status=STATUS.get(type(error), 400))
    if "retry_after" in error.extra:
        response["Retry-After"] = str(error.extra["retry_after"])
    # The URL may contain a secret token.
    response["Referrer-Policy"] = "no-referrer"
    return response
