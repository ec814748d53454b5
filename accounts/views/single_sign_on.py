"""To the identity provider and back."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps

from allauth.socialaccount.providers.openid_connect import views
from allauth.utils import get_request_param
from django.http import Http404, HttpRequest, HttpResponseBase
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET
from requests.exceptions import RequestException

from accounts.single_sign_on import failed

log = logging.getLogger(__name__)


def _answered(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Lead back to sign-in when the provider is away, or answers with something else than it should."""

    @never_cache
    @require_GET
    @wraps(view)
    def answer(request: HttpRequest, provider_id: str) -> HttpResponseBase:
        if get_request_param(request, "process", "login") != "login":
            raise Http404
        try:
            return view(request, provider_id)
        except RequestException as error:
            log.warning("the identity provider is away: %s", error)
        except (LookupError, ValueError, TypeError, AttributeError):
            log.exception("the identity provider sent something else than it should")
        return failed(request)

    return answer


start = _answered(views.login)
callback = _answered(views.callback)
