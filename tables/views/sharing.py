"""The page that shares a table: its owner's with members, links and another owner; a member's with the way out."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

import strictjson
from retold import retold
from tables import selectors, services
from tables.exceptions import Forbidden, Invalid, TablesError
from tables.views.refusals import refused_as_pages
from tables.views.table import found_table

PAGE_MEMBERS = 100
MOST_NAME = 150
ROLES = {"viewer": gettext_lazy("Can read"), "editor": gettext_lazy("Can edit")}
# How long a link for reading opens its table; "" until it is removed.
LINK_DAYS = {
    "": gettext_lazy("Until it is removed"),
    "1": gettext_lazy("1 day"),
    "7": gettext_lazy("7 days"),
    "30": gettext_lazy("30 days"),
    "90": gettext_lazy("90 days"),
}


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache  # of what is shown alone: it tells the time, which would tell answers about what is not there apart
def table_sharing(request: HttpRequest, table_id: int) -> HttpResponse:
    """The page; a POST says with `do` which of its forms was sent."""
    table = found_table(request, table_id=table_id)
    if request.method != "POST":
        return _page(request, table)
    action = ACTIONS.get(request.POST.get("do", ""))
    if action is None:
        raise Http404
    try:
        with refused_as_pages():
            return action(request, table)
    except TablesError as error:
        messages.error(request, retold(error.detail))
        return _again(table)


def _add(request: HttpRequest, table: Any) -> HttpResponse:
    name = _name(request)
    services.add_member(user=request.user, table_id=table.pk, name=name, role=_role(request))
    messages.success(request, _("Shared with %(name)s, if there is somebody of this name.") % {"name": name})
    return _again(table)


def _change_role(request: HttpRequest, table: Any) -> HttpResponse:
    services.change_member(user=request.user, table_id=table.pk, name=_name(request), role=_role(request))
    messages.success(request, _("Saved."))
    return _again(table)


def _remove(request: HttpRequest, table: Any) -> HttpResponse:
    if not selectors.allowed(request.user, table, can="own"):
        raise Forbidden(_("Only the owner of this table may do this."))
    name = _name(request)
    services.remove_member(user=request.user, table_id=table.pk, name=name)
    messages.success(request, _("It is no longer shared with %(name)s.") % {"name": name})
    return _again(table)


def _leave(request: HttpRequest, table: Any) -> HttpResponse:
    name = request.user.get_username()
    services.remove_member(user=request.user, table_id=table.pk, name=name)
    messages.success(request, _("You have left “%(table)s”.") % {"table": table.name})
    return redirect("tables_list")


def _invite(request: HttpRequest, table: Any) -> HttpResponse:
    made = services.invite(user=request.user, table_id=table.pk, role=_role(request), now=timezone.now())
    # Shown in this answer alone: leading elsewhere first would mean keeping the secret somewhere.
    return _page(request, table, invitation=_whole(request, "invitation", made.token))


def _withdraw(request: HttpRequest, table: Any) -> HttpResponse:
    said = request.POST.get("invitation", "")
    if not (said.isascii() and said.isdecimal() and len(said) < 19):
        raise Http404
    services.withdraw_invitation(user=request.user, table_id=table.pk, invitation_id=int(said))
    messages.success(request, _("The invitation is withdrawn."))
    return _again(table)


def _link(request: HttpRequest, table: Any) -> HttpResponse:
    days, now = request.POST.get("days", ""), timezone.now()
    if days not in LINK_DAYS:
        raise Http404
    until = now + timedelta(days=int(days)) if days else None
    made = services.make_link(user=request.user, table_id=table.pk, expires_at=until, now=now)
    return _page(request, table, made_link=_whole(request, "shared_table", made.token))


def _unlink(request: HttpRequest, table: Any) -> HttpResponse:
    services.remove_link(user=request.user, table_id=table.pk)
    messages.success(request, _("The link is removed. Nobody can read this table without signing in."))
    return _again(table)


def _give(request: HttpRequest, table: Any) -> HttpResponse:
    """Asks first what it means; the answer is sent with `sure`."""
    name = _name(request)
    if not selectors.allowed(request.user, table, can="own"):
        raise Forbidden(_("Only the owner of this table may do this."))
    if not request.POST.get("sure"):
        return _page(request, table, heir=name)
    services.give_table(user=request.user, table_id=table.pk, to=name)
    said = {"name": name, "table": table.name}
    messages.success(request, _("“%(table)s” belongs to %(name)s now. You can still edit it.") % said)
    return _again(table)


ACTIONS: dict[str, Callable[[HttpRequest, Any], HttpResponse]] = {
    "add": _add,
    "role": _change_role,
    "remove": _remove,
    "leave": _leave,
    "invite": _invite,
    "withdraw": _withdraw,
    "link": _link,
    "unlink": _unlink,
    "give": _give,
}


def _again(table: Any) -> HttpResponse:
    return redirect("table_sharing", table_id=table.pk)


def _whole(request: HttpRequest, name: str, token: str) -> str:
    return request.build_absolute_uri(reverse(name, args=[token]))


def _name(request: HttpRequest) -> str:
    name = request.POST.get("user", "").strip()
    try:
        strictjson.refuse_unstorable(name)
    except strictjson.NotStrictJson as fault:
        raise Invalid(fault.detail, code=fault.code) from None
    if not 0 < len(name) <= MOST_NAME:
        raise Invalid(_("Type the name somebody signs in with."), code="not_a_name")
    return name


def _role(request: HttpRequest) -> str:
    role = request.POST.get("role", "")
    if role not in ROLES:
        raise Http404
    return role


def _page(request: HttpRequest, table: Any, **shown: Any) -> HttpResponse:
    context: dict[str, Any] = {"table": table, "role": table.role, "owner": table.owner.get_username(), **shown}
    if selectors.allowed(request.user, table, can="own"):
        members = Paginator(selectors.members_of(table), PAGE_MEMBERS).get_page(request.GET.get("page"))
        context |= {
            "owns": True,
            "roles": ROLES.items(),
            "page": members,
            "members": [(each.user.get_username() if each.user else each.name, each.role) for each in members],
            "invitations": selectors.open_invitations(table, now=timezone.now()),
            "link": selectors.link_of(table),
            "link_days": LINK_DAYS.items(),
        }
    return render(request, "tables/table_sharing.html", context)
