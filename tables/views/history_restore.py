"""The page for restoring a table to the state after one of its changes."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from shared.user_messages.rendering import message_html, message_text, moment_html
from tables import selectors, services
from tables.exceptions import NotFound, Outdated, TablesError
from tables.views.error_pages import http_errors
from tables.views.history import parse_number, undo_step
from tables.views.table import get_table_or_404


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def table_restore(request: HttpRequest, table_id: int, change_id: int) -> HttpResponse:
    """Show how many changes would be undone; a POST with the shown `version` undoes them."""
    table = get_table_or_404(request, table_id=table_id, can="edit")
    with http_errors():
        change = selectors.get_change(table, change_id)
    if request.method == "POST":
        return _restore(request, table=table, change=change)
    later = table.version - change.version
    context = {"table": table, "change": change, "summary_html": message_html(change.message), "later": later}
    context["time_html"] = moment_html(change.created_at)
    return render(request, "tables/table_restore.html", context)


def _restore(request: HttpRequest, *, table: selectors.Table, change: selectors.ChangeView) -> HttpResponse:
    version = parse_number(request.POST.get("version", ""))
    if version is None:
        raise Http404
    try:
        done = services.restore_as_of(user=request.user, table_id=table.pk, change_id=change.id, version=version)
    except NotFound as error:
        raise Http404 from error
    except Outdated:
        messages.error(request, _("The table has changed meanwhile, so nothing was restored. Check the number again."))
        return redirect("table_restore", table_id=table.pk, change_id=change.id)
    except TablesError as error:
        messages.error(request, _("Nothing was restored. %(reason)s") % {"reason": message_text(error.message)})
        return redirect("table_history", table_id=table.pk)
    text = format_html("{}.", message_html(done.message))
    messages.success(request, text, extra_tags=undo_step("made", done.pk, by=done))
    return redirect("table_history", table_id=table.pk)
