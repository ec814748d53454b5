"""The list of a user's sessions, which can be ended one by one or all at once."""
from __future__ import annotations

from typing import Any

from allauth.usersessions.adapter import get_adapter
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.clients import browser_name
from accounts.sessions.user_sessions import NO_IP, end_sessions, sessions_of


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def sessions(request: HttpRequest) -> HttpResponse:
    """List the sessions. A POST ends the session with the sent id, or all of them."""
    if request.method == "POST":
        return _end(request)
    user: Any = request.user
    own = sessions_of(user, now=timezone.now())
    listed = [
        {
            "id": each.pk,
            "browser": browser_name(each.user_agent),
            "ip": "" if each.ip == NO_IP else each.ip,
            "since": each.created_at,
            "is_here": each.session_key == request.session.session_key,
        }
        for each in own
    ]
    context = {"sessions": listed, "has_password": user.has_usable_password()}
    return render(request, "usersessions/usersession_list.html", context)


def _end(request: HttpRequest) -> HttpResponse:
    chosen = request.POST.get("session", "")
    if chosen == "all":
        end_sessions(user=request.user)
        logout(request)
        return redirect("account_login")
    if not (chosen.isascii() and chosen.isdecimal()):
        raise Http404
    # No database has longer numbers.
    number = int(chosen) if len(chosen) < 19 else 0
    found = sessions_of(request.user, now=timezone.now()).filter(pk=number).first()
    if found is not None and found.session_key == request.session.session_key:
        logout(request)
        return redirect("account_login")
    # A session that has ended already and one of another user are answered alike.
    if found is not None:
        get_adapter().end_sessions([found])
    messages.success(request, _("Browser signed out."))
    return redirect("usersessions_list")
