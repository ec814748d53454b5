"""Answers that belong to no app: liveness, readiness and the error pages."""
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
from drf_spectacular.utils import extend_schema

from chatproject import uploads
from chatproject.errors import (
    AWAY_SECONDS,
    BODY_TOO_LARGE,
    NOTHING_HERE,
    UNREADABLE_REQUEST,
    is_away,
    localized_body,
    unavailable,
)
from chatproject.readiness import configuration_holds, is_ready
from shared.rest.schemas import TEXT, enum, response
from shared.user_messages import Message, declare, message_fields
from shared.user_messages.request_language import requested_language
from shared.user_messages.request_messages import LOGGED_ERROR

WITH_SLASH = declare("url_with_slash", " URLs end with a slash: {url}")
FOREIGN_CALL = declare(
    "foreign_call", "This call did not come from our own page. Reload the page and try again."
)
RETRY_SECONDS = 60


@extend_schema(auth=[], responses={200: response(status=TEXT)})
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """Check whether the process responds."""
    return JsonResponse({"status": "ok"})


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """400 for what no view can read (a foreign host, a form in another encoding), as JSON under /api/.

    Django's own handler reads the form again for its CSRF token, and fails on what it is there to answer.
    """
    if isinstance(exception, RequestDataTooBig):
        return _too_large(request)
    if request.path.startswith("/api/"):
        return _api_error(request, status=400, code="malformed", message=UNREADABLE_REQUEST())
    return _page(request, "400.html", status=400)


def _too_large(request: HttpRequest) -> HttpResponse:
    most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 1024 // 1024
    if request.path.startswith("/api/"):
        return _api_error(request, status=413, code="too_large", message=BODY_TOO_LARGE(count=most))
    upload = request.get_full_path() if request.path == uploads.PAGE else ""
    return _page(request, "413.html", status=413, most=most, most_of_file=settings.IMPORT_MAX_MB, upload=upload)


@extend_schema(
    auth=[], responses={200: response({"config": enum("degraded")}, status=TEXT), 503: response(status=TEXT)}
)
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """Check whether requests can be served; config is degraded if a change by administrators cannot be used."""
    if not is_ready():
        return JsonResponse({"status": "unavailable"}, status=503)
    degraded = {} if configuration_holds() else {"config": "degraded"}
    return JsonResponse({"status": "ok", **degraded})


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """404, as JSON under /api/."""
    if request.path.startswith("/api/"):
        whole = f"{request.path}/"
        hint = WITH_SLASH(url=whole) if is_valid_path(whole) else ""
        return _api_error(request, status=404, code="not_found", message=NOTHING_HERE(hint=hint))
    return _page(request, "404.html", status=404)


def too_many_requests(request: HttpRequest) -> HttpResponse:
    """Answer 429 for the limits of django-allauth: per minute, or per hour where mail is sent."""
    response = _page(request, "429.html", status=429)
    by_hour = request.path in (reverse("account_email"), reverse("account_reset_password"))
    response["Retry-After"] = str(RETRY_SECONDS * 60 if by_hour else RETRY_SECONDS)
    return response


def server_error(request: HttpRequest) -> HttpResponse:
    """500, or 503 where only the database was away, as JSON under /api/."""
    answer = _failure(request, error=sys.exc_info()[1])
    if answer.status_code == 503:
        answer["Retry-After"] = str(AWAY_SECONDS)
    return answer


def _failure(request: HttpRequest, *, error: BaseException | None) -> HttpResponse:
    status, number = (503 if is_away(error) else 500), getattr(request, "id", "")
    if request.path.startswith("/api/"):
        failure = unavailable(error, request_id=number) if is_away(error) else ("internal", LOGGED_ERROR(id=number))
        code, message = failure
        return _api_error(request, status=status, code=code, message=message)
    # Nothing of it may ask the database, which may be what went wrong: not even who reads this.
    known = SimpleNamespace(id=number, COOKIES=request.COOKIES)
    with translation.override(_language(request)):
        return HttpResponse(render_to_string("500.html", {"request": known}), status=status)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """403 for a form or call that did not come from our own pages as they are now, as JSON under /api/."""
    if request.path.startswith("/api/"):
        return _api_error(request, status=403, code="forbidden", message=FOREIGN_CALL())
    # Where the form was; what another site sent leads to no address of its choice.
    came_from = request.headers.get("Referer", "")
    here = {request.get_host()}
    own = url_has_allowed_host_and_scheme(came_from, allowed_hosts=here, require_https=request.is_secure())
    context = {"back": came_from if own else resolve_url("tables_list"), "no_cookie": reason == REASON_NO_CSRF_COOKIE}
    return _page(request, "403_csrf.html", status=403, **context)


def _page(request: HttpRequest, template: str, *, status: int, **context: Any) -> HttpResponse:
    with translation.override(_language(request)):
        return render(request, template, context, status=status)


def _language(request: HttpRequest) -> str:
    """What was found out; a request may be refused before anybody has."""
    return getattr(request, "LANGUAGE_CODE", "") or requested_language(request)


def _api_error(request: HttpRequest, *, status: int, code: str, message: Message) -> JsonResponse:
    fields = {"error": code, **message_fields(message), "request_id": getattr(request, "id", "")}
    return JsonResponse(localized_body(fields, request=request), status=status)
