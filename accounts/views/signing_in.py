"""Signing in by password or one-time link, and signing up where that is allowed."""
from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.views import LoginView
from django.db import IntegrityError, transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from accounts.exceptions import TooMany
from accounts.forms import TAKEN, SignInForm, SignUpForm
from accounts.guessing import count_new_name
from accounts.known_browsers import remember_browser
from accounts.login_links import redeem
from accounts.sessions import renewed_session


class SignIn(LoginView):
    """Django's, with our form; what is refused is no success."""

    template_name = "accounts/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def get_context_data(self, **context: Any) -> dict[str, Any]:
        """Also whether somebody may sign up, and whether a forgotten password is a matter of a mail."""
        doors = {"may_sign_up": settings.ALLOW_SIGNUP, "sends_mail": settings.SENDS_MAIL}
        return super().get_context_data(**context, **doors)

    def form_valid(self, form: Any) -> HttpResponse:
        """Where the person wanted to go; from now on this is a browser of theirs."""
        response = super().form_valid(form)
        remember_browser(response, user=form.get_user())
        return response

    def form_invalid(self, form: Any) -> HttpResponse:
        """The page again, with the reason."""
        response = super().form_invalid(form)
        response.status_code = 422 if form.retry_after is None else 429
        if form.retry_after is not None:
            response["Retry-After"] = str(form.retry_after)
        return response


@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def sign_up(request: HttpRequest) -> HttpResponse:
    """Makes an account and signs in with it; where nobody may, there is no such page."""
    if not settings.ALLOW_SIGNUP:
        raise Http404
    if request.user.is_authenticated:
        return redirect(_next(request))
    if request.method != "POST":
        return _sign_up_page(request, SignUpForm())
    try:
        count_new_name(request, now=timezone.now())
    except TooMany as error:
        response = _sign_up_page(request, SignUpForm(), status=429, refusal=error.detail)
        response["Retry-After"] = str(error.extra["retry_after"])
        return response
    form = SignUpForm(request.POST)
    if not form.is_valid():
        return _sign_up_page(request, form, status=422)
    try:
        with transaction.atomic():
            user = form.save()
    except IntegrityError:
        # Somebody else took it between the look and the writing.
        form.add_error("username", TAKEN)
        return _sign_up_page(request, form, status=422)
    return _signed_in(request, user=user, to=_next(request))


def _sign_up_page(request: HttpRequest, form: Any, *, status: int = 200, refusal: str = "") -> HttpResponse:
    asked = request.POST.get("next", request.GET.get("next", ""))
    context = {"form": form, "next": asked, "refusal": refusal}
    return render(request, "accounts/sign_up.html", context, status=status)


def _next(request: HttpRequest) -> str:
    """Where the person wanted to go; never to another site."""
    asked = request.POST.get("next", request.GET.get("next", ""))
    own = url_has_allowed_host_and_scheme(asked, allowed_hosts={request.get_host()}, require_https=request.is_secure())
    return asked if own else resolve_url(settings.LOGIN_REDIRECT_URL)


@never_cache
@require_safe
def sign_in_link(request: HttpRequest, token: str) -> HttpResponse:
    """Signs the link's user in and leads to their tables; a void link says what to do."""
    if request.method == "HEAD":
        # A mail program that looks at the link must not use it up.
        return HttpResponse()
    user = redeem(token)
    if user is None:
        return render(request, "accounts/link_expired.html", status=410)
    return _signed_in(request, user=user, to=settings.LOGIN_REDIRECT_URL)


def _signed_in(request: HttpRequest, *, user: Any, to: str) -> HttpResponse:
    with renewed_session(request, user=user):
        login(request, user, backend=settings.AUTHENTICATION_BACKENDS[0])
    response = redirect(to)
    remember_browser(response, user=user)
    return response
