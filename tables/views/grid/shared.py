"""The page of a read-only share link, and copying its table."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from shared.sign_in import secret_page_login_required
from shared.user_messages.rendering import message_text
from tables import selectors, services
from tables.exceptions import Invalid, NotFound
from tables.operations import Origin
from tables.views.grid.exporting import draw_export
from tables.views.grid.table import grid_context
from tables.views.grid.table_query import read_view


@never_cache
@secret_page_login_required
@require_http_methods(["GET", "HEAD", "POST"])
def copy_shared_table(request: HttpRequest, token: str) -> HttpResponse:
    """Copy the table of the link for the user, and redirect to the copy."""
    if request.method != "POST":
        # After signing in, the user returns with a GET, to the page with the copy button.
        return redirect("shared_table", token=token)
    try:
        called = _("{name} (copy)")
        table = services.copy_linked_table(
            user=request.user, token=token, origin=Origin("form"), now=timezone.now(), name_template=called
        )
    except NotFound as error:
        raise Http404 from error
    except Invalid as error:
        messages.error(request, message_text(error.message))
        return redirect("tables_list")
    return redirect("table_view", table_id=table.pk)


@never_cache
@require_safe
def shared_table(request: HttpRequest, token: str) -> HttpResponse:
    """The rows of one table for anonymous readers of its link: no chat, history, members or editing."""
    try:
        table = selectors.linked_table(token, now=timezone.now())
    except NotFound as error:
        raise Http404 from error
    shape = selectors.table_shape(table)
    view = read_view(request, table=table, shape=shape)
    if view.redirect_to:
        return redirect(request.path + view.redirect_to)
    export = draw_export(view, address=reverse("shared_table_export", kwargs={"token": token}))
    context = grid_context(request, table=table, shape=shape, view=view)
    context |= {"read_only": True, "token": token, "export": export}
    response = render(request, "tables/shared_table.html", context)
    # The URL contains the secret token, so it must not be indexed.
    response["X-Robots-Tag"] = "noindex, nofollow"
    return response
