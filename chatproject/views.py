"""Views that belong to no app: liveness, readiness and error pages."""
from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import REASON_NO_CSRF_COOKIE
from django.shortcuts import render, resolve_url
from django.template.loader import render_to_string
from django.urls import is_valid_path, reverse
from django.utils import translation
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_safe
from django.views.generic import RedirectView
from drf_spectacular.utils import extend_schema

from chatproject import uploads
from chatproject.errors import (
    BODY_TOO_LARGE,
    NOTHING_HERE,
    RETRY_AFTER_SECONDS,
    UNREADABLE_REQUEST,
    is_unavailable,
    localized_body,
    unavailable,
)
from chatproject.observability.readiness import is_ready, overrides_are_valid, redis_is_available, tasks_are_done
from shared.rest.openapi import TEXT, described, enum, named, response
from shared.user_messages import Message, declare, message_fields
from shared.user_messages.request_language import requested_language
from shared.user_messages.request_messages import LOGGED_ERROR, SIGN_IN_FIRST

WITH_SLASH = declare("url_with_slash", " URLs end with a slash: {url}")
FOREIGN_CALL = declare(
    "foreign_call", "This request did not come from this site. Reload the page and try again."
)
RETRY_SECONDS = 60
STATUS = described(TEXT, "“ok”, or “unavailable” (503).")


class HomeView(RedirectView):
    """Redirects to the page that follows sign-in."""

    def get_redirect_url(self, *args: Any, **kwargs: Any) -> str:
        return resolve_url(settings.LOGIN_REDIRECT_URL)


@extend_schema(auth=[], responses={200: named("Health", response(status=STATUS))})
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """Check whether the process responds."""
    return JsonResponse({"status": "ok"})


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return 400 for requests that no view can read (unknown host, malformed form), as JSON below /api/.

    Django's own handler fails for some of them, because it reads the form again for the CSRF token.
    """
    if isinstance(exception, RequestDataTooBig):
        return _too_large(request)
    if request.path.startswith("/api/"):
        return _api_error(request, status=400, code="malformed", message=UNREADABLE_REQUEST())
    return _page(request, "400.html", status=400)


def _too_large(request: HttpRequest) -> HttpResponse:
    max_mb = settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 1024 // 1024
    if request.path.startswith("/api/"):
        return _api_error(request, status=413, code="too_large", message=BODY_TOO_LARGE(count=max_mb))
    upload = request.get_full_path() if request.path == uploads.PAGE_PATH else ""
    context = {"most": max_mb, "most_of_file": settings.IMPORT_MAX_MB, "upload": upload}
    return _page(request, "413.html", status=413, **context)


@extend_schema(
    auth=[],
    responses={
        200: named(
            "Readiness",
            response(
                {part: described(enum("degraded"), "Absent if it works.") for part in ("config", "redis", "workers")},
                status=STATUS,
            ),
        ),
        503: response(status=STATUS),
    },
)
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """Check whether requests can be served.

    `config` is degraded if a change by administrators cannot be used, `redis` if live updates are slower without it,
    `workers` if background tasks wait and no worker runs.
    """
    if not is_ready():
        response = JsonResponse({"status": "unavailable"}, status=503)
        # `is_ready` has logged when the outage began; Django would log each probe.
        response._has_been_logged = True  # type: ignore[attr-defined]  # of Django, not in its stubs
        return response
    works = {"config": overrides_are_valid(), "redis": redis_is_available(), "workers": tasks_are_done()}
    return JsonResponse({"status": "ok", **{part: "degraded" for part, is_ok in works.items() if not is_ok}})


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return 404, as JSON below /api/."""
    if request.path.startswith("/api/"):
        whole = f"{request.path}/"
        hint = WITH_SLASH(url=whole) if is_valid_path(whole) else ""
        return _api_error(request, status=404, code="not_found", message=NOTHING_HERE(hint=hint))
    return _page(request, "404.html", status=404)


def too_many_requests(request: HttpRequest) -> HttpResponse:
    """Return 429 for the rate limits of django-allauth, which are per hour where mail is sent, else per minute."""
    response = _page(request, "429.html", status=429)
    by_hour = request.path in (reverse("account_email"), reverse("account_reset_password"))
    response["Retry-After"] = str(RETRY_SECONDS * 60 if by_hour else RETRY_SECONDS)
    return response


def server_error(request: HttpRequest) -> HttpResponse:
    """Return 500, or 503 if the database was unavailable, as JSON below /api/."""
    failure = _failure(request, error=sys.exc_info()[1])
    if failure.status_code == 503:
        failure["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return failure


def _failure(request: HttpRequest, *, error: BaseException | None) -> HttpResponse:
    status, request_id = (503 if is_unavailable(error) else 500), getattr(request, "id", "")
    if request.path.startswith("/api/"):
        code, message = "internal", LOGGED_ERROR(id=request_id)
        if is_unavailable(error):
            code, message = unavailable(error, request_id=request_id)
        return _api_error(request, status=status, code=code, message=message)
    # The page must not use the database, which may be unavailable, so it does not get the user.
    page_request = SimpleNamespace(id=request_id, COOKIES=request.COOKIES)
    with translation.override(_language(request)):
        return HttpResponse(render_to_string("500.html", {"request": page_request}), status=status)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Return 403 for a form or API request that failed the CSRF check, as JSON below /api/.

    An API request without a session and a valid token gets 401.
    """
    if request.path.startswith("/api/"):
        if settings.SESSION_COOKIE_NAME not in request.COOKIES:
            refused = _api_error(request, status=401, code="not_authenticated", message=SIGN_IN_FIRST())
            refused["WWW-Authenticate"] = "Bearer"
            return refused
        return _api_error(request, status=403, code="forbidden", message=FOREIGN_CALL())
    # A link back to the form, unless another site sent it.
    referrer, hosts = request.headers.get("Referer", ""), {request.get_host()}
    is_own = url_has_allowed_host_and_scheme(referrer, allowed_hosts=hosts, require_https=request.is_secure())
    back = referrer if is_own else resolve_url(settings.LOGIN_REDIRECT_URL)
    context = {"back": back, "no_cookie": reason == REASON_NO_CSRF_COOKIE}
    return _page(request, "403_csrf.html", status=403, **context)


def _page(request: HttpRequest, template: str, *, status: int, **context: Any) -> HttpResponse:
    with translation.override(_language(request)):
        return render(request, template, context, status=status)


def _language(request: HttpRequest) -> str:
    """Return the language of the request, which may have been refused before LanguageMiddleware ran."""
    return getattr(request, "LANGUAGE_CODE", "") or requested_language(request)


def _api_error(request: HttpRequest, *, status: int, code: str, message: Message) -> JsonResponse:
    fields = {"error": code, **message_fields(message), "request_id": getattr(request, "id", "")}
    return JsonResponse(localized_body(fields, request=request), status=status)
