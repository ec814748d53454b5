"""The page of an invitation link, and the invitations in the list of tables."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from shared.sign_in import secret_page_login_required
from shared.user_messages.rendering import message_text
from tables import selectors, services
from tables.exceptions import Invalid, NotFound

# Limit in the list of tables; further ones follow once these are answered.
MAX_SHOWN = 20


@never_cache
@secret_page_login_required
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Show an invitation to a table; a POST accepts it, or declines it with `do`."""
    now = timezone.now()
    try:
        if request.method == "POST":
            return answer_invitation(request, key=token)
        found = selectors.acceptable_invitation(request.user, key=token, now=now)
    except NotFound:
        return render(request, "tables/invitation.html", status=410)
    context = {
        "table": found.table,
        "inviter": found.invited_by.get_username(),
        "role": found.role,
        "declinable": found.kind != "link",
    }
    return render(request, "tables/invitation.html", context)


def answer_invitation(request: HttpRequest, *, key: str | int) -> HttpResponse:
    """Accept the invitation and open its table, or decline it. Raises NotFound, and Http404 for other answers."""
    do, now = request.POST.get("do", ""), timezone.now()
    if do == "decline":
        table = services.decline_invitation(user=request.user, key=key, now=now)
        messages.success(request, _("You declined the invitation to “%(table)s”.") % {"table": table.name})
        return redirect("tables_list")
    if do != "accept":
        raise Http404
    try:
        table = services.accept_invitation(user=request.user, key=key, now=now)
    except Invalid as error:
        messages.error(request, message_text(error.message))
        return redirect("tables_list")
    return redirect("table_view", table_id=table.pk)


def shown_invitations(user: Any) -> list[Any]:
    """Return the invitations to show above the user's tables."""
    return list(selectors.invitations_to(user, now=timezone.now())[:MAX_SHOWN])
