"""Signing in by one-time link; by password through Django's own view."""
from __future__ import annotations

from django.conf import settings
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.login_links import redeem


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
    login(request, user, backend=settings.AUTHENTICATION_BACKENDS[0])
    return redirect(settings.LOGIN_REDIRECT_URL)
