"""A person's own page: what they say about themselves, tokens of their programs, their password, their sign-ins."""
from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout, update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import get_language, get_language_from_request, override
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop as noop
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts.exceptions import AccountsError, NotFound, TooMany
from accounts.forms import ChangePasswordForm, NewPasswordForm
from accounts.guessing import count_mail, count_try
from accounts.mail_addresses import (
    address_of_person,
    checked_address,
    forget_address,
    waiting_address_of,
    want_address,
)
from accounts.profiles import FIELDS, change_profile, language_of, profile_of, remember_theme, time_zones
from accounts.sessions import count_sessions, end_sessions, renewed_session
from accounts.tasks import send_address_link
from accounts.tokens import USUAL_DAYS, make_token, revoke_token, tokens_for
from accounts.views.forgotten import origin_of
from user_messages.rendering import message_text

Json = dict[str, Any]
LOCALES = ("de", "en-GB", "en-US", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt-BR", "sv", "tr", "uk", "zh-CN")
DAYS = ((7, noop("7 days")), (30, noop("30 days")), (USUAL_DAYS, noop("90 days")), (365, noop("1 year")))
THEMES = (("system", noop("System")), ("light", noop("Light")), ("dark", noop("Dark")))


@never_cache
@sensitive_post_parameters()
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def profile(request: HttpRequest) -> HttpResponse:
    """The page; a POST says with `do` which of its forms was sent."""
    if request.method != "POST":
        return _page(request)
    action = ACTIONS.get(request.POST.get("do", ""))
    if action is None:
        raise Http404
    return action(request)


def _change(request: HttpRequest) -> HttpResponse:
    said = {name: request.POST.get(name, "") for name in FIELDS}
    try:
        changed = change_profile(user=request.user, said=said)
    except AccountsError as error:
        return _page(request, said=said, faults={error.path: message_text(error.message)})
    with override(language_of(request.user) or get_language_from_request(request)):
        # The page that says so is in the language that was chosen just now.
        messages.success(request, _("Saved."))
    answer = redirect("profile")
    remember_theme(answer, theme=changed.theme)
    return answer


def _make_token(request: HttpRequest) -> HttpResponse:
    said = {name: request.POST.get(name, "") for name in ("token_name", "scope", "days")}
    days: Any = int(said["days"]) if said["days"].isascii() and said["days"].isdigit() else said["days"]
    try:
        token, secret = make_token(
            user=request.user, name=said["token_name"], scope=said["scope"], days=days, now=timezone.now()
        )
    except AccountsError as error:
        where = {"name": "token_name"}.get(error.path, error.path or "token_name")
        return _page(request, new=said, faults={where: message_text(error.message)})
    # Shown in this answer alone: leading elsewhere first would mean keeping the secret somewhere.
    return _page(request, made=token, secret=secret)


def _revoke(request: HttpRequest) -> HttpResponse:
    asked = request.POST.get("token", "")
    try:
        revoke_token(user=request.user, token_id=int(asked) if asked.isascii() and asked.isdigit() else 0)
    except NotFound as error:
        raise Http404 from error
    messages.success(request, _("The token is revoked. Whatever used it is signed out."))
    return redirect("profile")


def _set_password(request: HttpRequest) -> HttpResponse:
    user: Any = request.user
    if user.has_usable_password():
        try:
            count_try(request, name=user.get_username(), now=timezone.now())
        except TooMany as error:
            return _page(request, faults={"old_password": error.detail}, status=429)
    form = _password_form(user, sent=request.POST)
    if not form.is_valid():
        return _page(request, form=form)
    # Changing it ends all other sessions; this one goes on.
    with renewed_session(request, user=form.user):
        form.save()
        update_session_auth_hash(request, form.user)
    messages.success(request, _("Your password is changed. You are signed out everywhere else."))
    return redirect("profile")


def _set_address(request: HttpRequest) -> HttpResponse:
    """An address, or with none the end of the one there is; who asks says the password."""
    if not settings.SENDS_MAIL:
        raise Http404
    user: Any = request.user
    said, now = request.POST.get("address", "").strip(), timezone.now()
    try:
        if user.has_usable_password():
            count_try(request, name=user.get_username(), now=now)
            if not user.check_password(request.POST.get("password", "")):
                return _page(request, faults={"address_password": _("This is not your password.")}, new_address=said)
        if said:
            address = checked_address(said)
            count_mail(request, address=address, now=now)
            want_address(user=user, address=address)
    except TooMany as error:
        return _page(request, faults={"address": error.detail}, status=429, new_address=said)
    except AccountsError as error:
        return _page(request, faults={"address": error.detail}, new_address=said)
    if said:
        send_address_link.enqueue(user.pk, origin_of(request), get_language() or settings.LANGUAGE_CODE)
        messages.success(request, _("A mail is on its way to %(address)s. Open the link in it.") % {"address": said})
    else:
        forget_address(user=user)
        messages.success(request, _("Your address is removed."))
    return redirect("profile")


def _sign_out_everywhere(request: HttpRequest) -> HttpResponse:
    end_sessions(user=request.user)
    logout(request)
    return redirect("sign_in")


ACTIONS: dict[str, Callable[[HttpRequest], HttpResponse]] = {
    "change": _change,
    "make_token": _make_token,
    "revoke": _revoke,
    "set_password": _set_password,
    "set_address": _set_address,
    "sign_out_everywhere": _sign_out_everywhere,
}


def _page(
    request: HttpRequest, *, form: Any = None, faults: Json | None = None, status: int = 0, **shown: Any
) -> HttpResponse:
    now: datetime = timezone.now()
    user: Any = request.user
    known = profile_of(user)
    context = {
        "said": {name: getattr(known, name) for name in FIELDS},
        "themes": [(theme, _(words)) for theme, words in THEMES],
        "time_zones": time_zones(),
        "locales": LOCALES,
        "languages": settings.LANGUAGES,
        "tokens": tokens_for(user, now=now),
        "new": {"scope": "read", "days": str(USUAL_DAYS)},
        "days": [(str(number), _(words)) for number, words in DAYS],
        "sign_ins": count_sessions(user, now=now),
        "has_password": user.has_usable_password(),
        "sends_mail": settings.SENDS_MAIL,
        "address": address_of_person(user) if settings.SENDS_MAIL else "",
        "waiting": waiting_address_of(user) if settings.SENDS_MAIL else "",
        "form": form or _password_form(user),
        "faults": faults or {},
        **shown,
    }
    wrong = bool(faults) or (form is not None and bool(form.errors))
    return render(request, "accounts/profile.html", context, status=status or (422 if wrong else 200))


def _password_form(user: Any, *, sent: Any = None) -> Any:
    """Who has no password yet, having come by a link, need not know one."""
    kind: Any = ChangePasswordForm if user.has_usable_password() else NewPasswordForm
    return kind(user, data=sent)
