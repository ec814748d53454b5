"""Notices about fills that have ended: show them, open the review, or dismiss one."""
from __future__ import annotations

from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_GET, require_POST

from fills import selectors, services
from fills.views import http_errors


@login_required
@require_GET
def fill_notices(request: HttpRequest) -> HttpResponse:
    """Return the notices of this user as a part of a page, for pages that are open."""
    return render(request, "chat/_notices.html")


@login_required
@require_GET
def review_fill(request: HttpRequest, table_id: int, fill_id: UUID) -> HttpResponse:
    """Open the table with the results of a fill. The link of notices and mails."""
    with http_errors():
        selectors.get_fill(request.user, table_id, fill_id=fill_id)
    services.mark_seen(user=request.user, fill_id=fill_id)
    return redirect(f"{reverse('table_view', args=[table_id])}?fill={fill_id}")


@login_required
@require_POST
def dismiss_fill_notice(request: HttpRequest, table_id: int, fill_id: UUID) -> HttpResponse:
    """Remove the notice and return to the page that had it."""
    if services.mark_seen(user=request.user, fill_id=fill_id) != table_id:
        raise Http404
    back, hosts = request.headers.get("Referer", ""), {request.get_host()}
    is_own = url_has_allowed_host_and_scheme(back, allowed_hosts=hosts, require_https=request.is_secure())
    return redirect(back if is_own else reverse("table_view", args=[table_id]))
