"""The page on which users delete their account, with the choices that the data of other apps needs."""
from __future__ import annotations

from typing import Any

from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts.deletion import close_account
from accounts.exceptions import TooMany
from accounts.owned_data import owned_data
from accounts.rate_limits import count_password_attempt
from shared.user_messages import CodedError
from shared.user_messages.rendering import message_text

NOT_PASSED_ON = {"csrfmiddlewaretoken", "name", "password"}


@never_cache
@sensitive_post_parameters("password")
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def delete_account(request: HttpRequest) -> HttpResponse:
    """Show the form. A POST with name, password and choices deletes the account."""
    if request.method != "POST":
        return _page(request)
    try:
        faults = _faults(request)
    except TooMany as error:
        return _page(request, refusal=error.detail, status=429)
    if faults:
        return _page(request, faults=faults, status=422)
    try:
        close_account(user=request.user, choices=_choices(request), now=timezone.now())
    except CodedError as error:
        return _page(request, refusal=message_text(error.message), status=422)
    logout(request)
    return render(request, "accounts/account_deleted.html")


def _choices(request: HttpRequest) -> dict[str, str]:
    """Return the fields of the form for other apps, without the password."""
    return {name: value for name, value in request.POST.dict().items() if name not in NOT_PASSED_ON}


def _faults(request: HttpRequest) -> dict[str, str]:
    """Return the faults of the form by field. Raises TooMany."""
    user: Any = request.user
    if request.POST.get("name", "") != user.get_username():
        return {"name": _("This is not your username.")}
    if not user.has_usable_password():
        return {}
    count_password_attempt(request, name=user.get_username(), now=timezone.now())
    right = user.check_password(request.POST.get("password", ""))
    return {} if right else {"password": _("Incorrect password.")}


def _page(
    request: HttpRequest, *, faults: dict[str, str] | None = None, refusal: str = "", status: int = 200
) -> HttpResponse:
    user: Any = request.user
    context: dict[str, Any] = {
        "has_password": user.has_usable_password(),
        "confirmation": request.POST.get("name", ""),
        "faults": faults or {},
        "refusal": refusal,
    }
    for data in owned_data():
        context |= data.deletion_context(user, choices=_choices(request))
    return render(request, "accounts/delete_account.html", context, status=status)
