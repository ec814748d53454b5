"""The profile page: settings and API tokens."""
from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import get_language_from_request, override
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop as noop
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts.exceptions import AccountsError, NotFound
from accounts.mail.addresses import confirmed_address_of, unconfirmed_address_of
from accounts.profiles import FIELDS, change_profile, language_of, profile_of, remember_theme, time_zones
from accounts.sessions.user_sessions import sessions_of
from accounts.sign_in.second_step import has_second_step
from accounts.tokens import DEFAULT_DAYS, create_token, revoke_token, tokens_for
from shared.user_messages.rendering import message_text

Json = dict[str, Any]
LOCALES = ("de", "en-GB", "en-US", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt-BR", "sv", "tr", "uk", "zh-CN")
DAYS = ((7, noop("7 days")), (30, noop("30 days")), (DEFAULT_DAYS, noop("90 days")), (365, noop("1 year")))
THEMES = (("system", noop("System")), ("light", noop("Light")), ("dark", noop("Dark")))


@never_cache
@sensitive_post_parameters()
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def profile(request: HttpRequest) -> HttpResponse:
    """Show the page. `do` of a POST names the submitted form."""
    if request.method != "POST":
        return _page(request)
    action = ACTIONS.get(request.POST.get("do", ""))
    if action is None:
        raise Http404
    return action(request)


def _change(request: HttpRequest) -> HttpResponse:
    data = {name: request.POST.get(name, "") for name in FIELDS}
    try:
        changed = change_profile(user=request.user, data=data)
    except AccountsError as error:
        return _page(request, values=data, faults={error.path: message_text(error.message)})
    with override(language_of(request.user) or get_language_from_request(request)):
        # The response is already in the new language.
        messages.success(request, _("Saved."))
    answer = redirect("profile")
    remember_theme(answer, theme=changed.theme)
    return answer


def _create_token(request: HttpRequest) -> HttpResponse:
    data = {name: request.POST.get(name, "") for name in ("token_name", "scope", "days")}
    days: Any = int(data["days"]) if data["days"].isascii() and data["days"].isdigit() else data["days"]
    try:
        token, secret = create_token(
            user=request.user, name=data["token_name"], scope=data["scope"], days=days, now=timezone.now()
        )
    except AccountsError as error:
        where = {"name": "token_name"}.get(error.path, error.path or "token_name")
        return _page(request, new=data, faults={where: message_text(error.message)})
    # Shown in this response, because a redirect would require storing the secret.
    return _page(request, made=token, secret=secret)


def _revoke(request: HttpRequest) -> HttpResponse:
    token_id = request.POST.get("token", "")
    try:
        revoke_token(user=request.user, token_id=int(token_id) if token_id.isascii() and token_id.isdigit() else 0)
    except NotFound as error:
        raise Http404 from error
    messages.success(request, _("Token revoked. Programs that use it no longer have access."))
    return redirect("profile")


ACTIONS: dict[str, Callable[[HttpRequest], HttpResponse]] = {
    "change": _change,
    "make_token": _create_token,
    "revoke": _revoke,
}


def _page(request: HttpRequest, *, faults: Json | None = None, **shown: Any) -> HttpResponse:
    now: datetime = timezone.now()
    user: Any = request.user
    known = profile_of(user)
    context = {
        "values": {name: getattr(known, name) for name in FIELDS},
        "themes": [(theme, _(words)) for theme, words in THEMES],
        "time_zones": time_zones(),
        "locales": LOCALES,
        "languages": settings.LANGUAGES,
        "tokens": tokens_for(user, now=now),
        "new": {"scope": "read", "days": str(DEFAULT_DAYS)},
        "days": [(str(number), _(words)) for number, words in DAYS],
        "sign_ins": sessions_of(user, now=now).count(),
        "second_steps": has_second_step(user),
        "has_password": user.has_usable_password(),
        "sends_mail": settings.SENDS_MAIL,
        "address": confirmed_address_of(user) if settings.SENDS_MAIL else "",
        "waiting": unconfirmed_address_of(user) if settings.SENDS_MAIL else "",
        "faults": faults or {},
        **shown,
    }
    return render(request, "accounts/profile.html", context, status=422 if faults else 200)
