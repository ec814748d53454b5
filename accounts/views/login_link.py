"""Signing in by a one-time link."""
from __future__ import annotations

from django.conf import settings
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.clients import remember_browser
from accounts.sign_in.login_links import redeem_login_link


@never_cache
@require_safe
def sign_in_link(request: HttpRequest, token: str) -> HttpResponse:
    """Sign the link's user in and redirect to their tables, or explain an invalid link.

    The link is for users who cannot sign in otherwise, so it does not ask for the second step.
    """
    if request.method == "HEAD":
        # A mail program that fetches the link must not invalidate it.
        return HttpResponse()
    user = redeem_login_link(token)
    if user is None:
        return render(request, "accounts/link_expired.html", status=410)
    login(request, user, backend=settings.AUTHENTICATION_BACKENDS[0])
    response = redirect(settings.LOGIN_REDIRECT_URL)
    remember_browser(response, user=user)
    return response
