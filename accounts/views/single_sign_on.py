"""Views of single sign-on: redirect to the identity provider and its callback."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from urllib.parse import urlencode

from allauth.account.utils import get_login_redirect_url
from allauth.socialaccount.providers.openid_connect import views
from django.core.exceptions import ImproperlyConfigured
from django.db import IntegrityError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET
from requests.exceptions import RequestException

from accounts.exceptions import TooMany
from accounts.rate_limits import count_single_sign_on
from accounts.sessions.user_sessions import set_visitor_expiry
from accounts.sign_in.single_sign_on import redirect_after_failure

log = logging.getLogger(__name__)
View = Callable[[HttpRequest, str], HttpResponseBase]
# Other parameters, such as `scope`, would let a link change the request to the provider.
PARAMETERS = ("next", "code", "state", "error")


def _answered(view: View) -> View:
    """Redirect to sign-in when the provider does not answer or sends invalid data.

    A user who is signed in stays signed in: the link may come from an attacker.
    """

    @never_cache
    @require_GET
    @wraps(view)
    def answer(request: HttpRequest, provider_id: str) -> HttpResponseBase:
        if request.GET.get("process", "login") != "login":
            raise Http404
        if request.user.is_authenticated:
            return redirect(get_login_redirect_url(request))
        request.GET = QueryDict(urlencode({name: request.GET[name] for name in PARAMETERS if name in request.GET}))
        try:
            return view(request, provider_id)
        except RequestException as error:
            log.warning("the identity provider is not available: %s", error)
        except IntegrityError:
            log.warning("two concurrent first sign-ins of the same user")
        except (LookupError, ValueError, TypeError, AttributeError, ImproperlyConfigured):
            log.exception("the identity provider sent invalid data")
        return redirect_after_failure(request)

    return answer


@_answered
def start(request: HttpRequest, provider_id: str) -> HttpResponseBase:
    """Redirect to the provider. The number of starts per network address is limited."""
    try:
        count_single_sign_on(request, now=timezone.now())
    except TooMany as error:
        return _too_often(request, wait=error.extra["retry_after"])
    set_visitor_expiry(request)
    return views.login(request, provider_id)


callback = _answered(views.callback)


def _too_often(request: HttpRequest, *, wait: int) -> HttpResponse:
    response = render(request, "429.html", status=429)
    response["Retry-After"] = str(wait)
    return response
