"""The page for sharing a table: members, links and ownership transfer for its owner; leaving it for members."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.core.validators import validate_email
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from shared import strictjson
from shared.user_messages import declare
from shared.user_messages.rendering import message_text
from tables import selectors, services
from tables.exceptions import Forbidden, Invalid, TablesError
from tables.page_errors import http_errors
from tables.selectors.access import REFUSALS
from tables.views.shortcuts import get_table_or_404

NOT_A_USER_NAME = declare("not_a_user_name", "Enter a username.")
PAGE_MEMBERS = 100
MAX_NAME_LENGTH = 150
MAX_ADDRESS_LENGTH = 254
ROLES = {"viewer": gettext_lazy("Can view"), "editor": gettext_lazy("Can edit")}
INVITATION_DAYS = {
    "1": gettext_lazy("1 day"),
    "7": gettext_lazy("7 days"),
    "14": gettext_lazy("14 days"),
    "30": gettext_lazy("30 days"),
    "90": gettext_lazy("90 days"),
}
# Days until a share link expires; "" for never.
LINK_DAYS = {
    "": gettext_lazy("No expiration"),
    "1": gettext_lazy("1 day"),
    "7": gettext_lazy("7 days"),
    "30": gettext_lazy("30 days"),
    "90": gettext_lazy("90 days"),
}


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache  # below `login_required`, whose redirects must be the same at any time: this adds the current time
def table_sharing(request: HttpRequest, table_id: int) -> HttpResponse:
    """The page; a POST names the submitted form in `do`."""
    table = get_table_or_404(request, table_id=table_id)
    if request.method != "POST":
        return _page(request, table)
    action = ACTIONS.get(request.POST.get("do", ""))
    if action is None:
        raise Http404
    try:
        with http_errors():
            return action(request, table)
    except TablesError as error:
        messages.error(request, message_text(error.message))
        return _redirect(table)


def _invite(request: HttpRequest, table: Any) -> HttpResponse:
    name = request.POST.get("name", "").strip()
    kind = "email" if _looks_like_address(name) and "email" in selectors.invitation_kinds() else "user"
    _check_name(name, kind=kind)
    _send(request, table, kind=kind, name=name)
    messages.success(request, _("Invitation sent to “%(name)s”.") % {"name": name})
    return _redirect(table)


def _invite_by_link(request: HttpRequest, table: Any) -> HttpResponse:
    # The link is only in this response: for a redirect, the secret would have to be stored.
    return _page(request, table, invitation=_token_url(request, "invitation", _send(request, table, kind="link")))


def _renew(request: HttpRequest, table: Any) -> HttpResponse:
    sent = services.renew_invitation(
        user=request.user, table_id=table.pk, invitation_id=_invitation_id(request), now=timezone.now(),
        site_url=_site_url(request),
    )  # fmt: skip
    if sent.token:
        return _page(request, table, invitation=_token_url(request, "invitation", sent.token))
    messages.success(request, _("Invitation sent to “%(name)s”.") % {"name": sent.invitation.name})
    return _redirect(table)


def _withdraw(request: HttpRequest, table: Any) -> HttpResponse:
    services.withdraw_invitation(user=request.user, table_id=table.pk, invitation_id=_invitation_id(request))
    messages.success(request, _("Invitation withdrawn."))
    return _redirect(table)


def _send(request: HttpRequest, table: Any, *, kind: str, name: str = "") -> str:
    """Send the invitation; return the token of a link."""
    days = request.POST.get("days", str(services.INVITATION_DAYS))
    if days not in INVITATION_DAYS:
        raise Http404
    return services.invite(
        user=request.user, table_id=table.pk, kind=kind, name=name, role=_role(request), days=int(days),
        now=timezone.now(), site_url=_site_url(request),
    ).token  # fmt: skip


def _invitation_id(request: HttpRequest) -> int:
    text = request.POST.get("invitation", "")
    if not (text.isascii() and text.isdecimal() and len(text) < 19):
        raise Http404
    return int(text)


def _change_role(request: HttpRequest, table: Any) -> HttpResponse:
    services.change_member(user=request.user, table_id=table.pk, name=_name(request), role=_role(request))
    messages.success(request, _("Saved."))
    return _redirect(table)


def _remove(request: HttpRequest, table: Any) -> HttpResponse:
    if not selectors.allowed(request.user, table, can="own"):
        raise Forbidden(REFUSALS["own"])
    name = _name(request)
    services.remove_member(user=request.user, table_id=table.pk, name=name)
    messages.success(request, _("Table no longer shared with %(name)s.") % {"name": name})
    return _redirect(table)


def _leave(request: HttpRequest, table: Any) -> HttpResponse:
    name = request.user.get_username()
    services.remove_member(user=request.user, table_id=table.pk, name=name)
    messages.success(request, _("You have left “%(table)s”.") % {"table": table.name})
    return redirect("tables_list")


def _link(request: HttpRequest, table: Any) -> HttpResponse:
    days, now = request.POST.get("days", ""), timezone.now()
    if days not in LINK_DAYS:
        raise Http404
    expires_at = now + timedelta(days=int(days)) if days else None
    created = services.create_link(user=request.user, table_id=table.pk, expires_at=expires_at, now=now)
    return _page(request, table, created_link=_token_url(request, "shared_table", created.token))


def _unlink(request: HttpRequest, table: Any) -> HttpResponse:
    services.remove_link(user=request.user, table_id=table.pk)
    messages.success(request, _("Link removed. Only members can view this table."))
    return _redirect(table)


def _transfer(request: HttpRequest, table: Any) -> HttpResponse:
    """Ask for confirmation first; it is sent as `sure`."""
    name = _name(request)
    if not selectors.allowed(request.user, table, can="own"):
        raise Forbidden(REFUSALS["own"])
    if not request.POST.get("sure"):
        return _page(request, table, heir=name)
    services.transfer_ownership(user=request.user, table_id=table.pk, to=name)
    params = {"name": name, "table": table.name}
    messages.success(request, _("“%(table)s” now belongs to %(name)s. You can still edit it.") % params)
    return _redirect(table)


ACTIONS: dict[str, Callable[[HttpRequest, Any], HttpResponse]] = {
    "role": _change_role,
    "remove": _remove,
    "leave": _leave,
    "invite": _invite,
    "invite_by_link": _invite_by_link,
    "renew": _renew,
    "withdraw": _withdraw,
    "link": _link,
    "unlink": _unlink,
    "give": _transfer,
}


def _redirect(table: Any) -> HttpResponse:
    return redirect("table_sharing", table_id=table.pk)


def _token_url(request: HttpRequest, name: str, token: str) -> str:
    return request.build_absolute_uri(reverse(name, args=[token]))


def _site_url(request: HttpRequest) -> str:
    return f"{request.scheme}://{request.get_host()}"


def _name(request: HttpRequest) -> str:
    name = request.POST.get("user", "").strip()
    _check_name(name, kind="user")
    return name


def _check_name(name: str, *, kind: str) -> None:
    try:
        strictjson.check_storable(name)
    except strictjson.StrictJsonError as fault:
        raise Invalid(fault.message, code=fault.code) from None
    if not 0 < len(name) <= (MAX_ADDRESS_LENGTH if kind == "email" else MAX_NAME_LENGTH):
        raise Invalid(NOT_A_USER_NAME(), code="not_a_name")


def _looks_like_address(text: str) -> bool:
    """Return whether this is an e-mail address rather than a user name."""
    try:
        validate_email(text)
    except ValidationError:
        return False
    return True


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
            "members": [(each.user.get_username() if each.user else "", each.role) for each in members],
            "invitations": selectors.invitations_of(table),
            "now": timezone.now(),
            "by_mail": "email" in selectors.invitation_kinds(),
            "invitation_days": INVITATION_DAYS.items(),
            "usual_days": str(services.INVITATION_DAYS),
            "link": selectors.read_only_link_of(table),
            "link_days": LINK_DAYS.items(),
        }
    return render(request, "tables/table_sharing.html", context)
