"""Sign-in for pages with secret URLs: users return there afterwards, but no other address contains the URL."""
from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

NEXT_URL = "next_url"
# Time to sign in or to create an account.
NEXT_URL_SECONDS = 60 * 60
View = Callable[..., HttpResponse]


def secret_page_login_required(view: View) -> View:
    """Redirect visitors to sign-in like Django's `login_required`, with the URL in the session instead of in `next`.

    Proxies and browsers log addresses and send them as referrers.
    """

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.user.is_authenticated:
            return view(request, *args, **kwargs)
        if request.session.session_key is None:
            request.session.set_expiry(NEXT_URL_SECONDS)
        request.session[NEXT_URL] = request.get_full_path()
        return redirect(settings.LOGIN_URL)

    return checked


def pop_next_url(request: HttpRequest) -> str:
    """Return the URL of the page that required sign-in, "" if there is none, and remove it from the session."""
    return str(request.session.pop(NEXT_URL, ""))
