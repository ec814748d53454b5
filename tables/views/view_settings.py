"""The plain form for hiding columns. Scripts use the API."""
from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from shared.user_messages.rendering import message_text
from tables import selectors, services
from tables.exceptions import TablesError
from tables.views.table import get_table_or_404


@login_required
@require_POST
def table_columns_shown(request: HttpRequest, table_id: int) -> HttpResponse:
    """Hide the columns that are not in `shown`, and redirect to the table."""
    table = get_table_or_404(request, table_id=table_id)
    shape = selectors.table_shape(table)
    shown = set(request.POST.getlist("shown"))
    hidden = [column.id for column in shape.columns if column.id not in shown]
    widths = dict(selectors.get_view_settings(request.user, table, shape=shape).widths)
    try:
        settings = {"widths": widths, "hidden": hidden}
        services.update_view_settings(user=request.user, table_id=table.pk, settings=settings)
    except TablesError as error:
        messages.error(request, _("Nothing was hidden. %(reason)s") % {"reason": message_text(error.message)})
    return redirect("table_view", table_id=table.pk)
