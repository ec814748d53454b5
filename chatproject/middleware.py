"""What every request gets before a view sees it: an id, and a body that is whole."""
from __future__ import annotations

import re
import uuid
from collections.abc import Sequence
from inspect import getclosurevars
from typing import Any
from urllib.parse import unquote, unquote_to_bytes

from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse
from django.middleware.common import CommonMiddleware
from django.urls import Resolver404, resolve

from accounts.exceptions import Malformed
from chat.exceptions import WrongMethod
from chatproject.body_limits import MB, max_body_size
from chatproject.errors import BODY_TOO_LARGE, error_response, localized_body, status_of
from chatproject.inline_middleware import InPlaceMiddleware
from chatproject.logs import REQUEST
from chatproject.uploads import is_upload, upload_length
from shared.user_messages import declare, message_fields
from shared.user_messages.request_messages import NOT_UTF8
from shared.websockets.broadcast import PAGE_REQUEST_NAME

METHOD_NOT_POSSIBLE = declare("method_not_possible", "This method is not possible here.")
TOO_MANY_PARAMETERS = declare("too_many_parameters", "A query has at most {count} parameters.")
METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
# No address knows as many as twenty.
MOST_PARAMETERS = 100
MOST_OF_NAME = 100
NAME = re.compile("[0-9a-f-]{36}")
# What Django has a page for.
PAGES: dict[int, type[Exception]] = {401: PermissionDenied, 403: PermissionDenied, 404: Http404}


def plain_refusal(exception: Exception, *, request: HttpRequest) -> HttpResponse:
    """Return an expected failure as one line of text, for addresses of pages."""
    answer = error_response(exception, request=request)
    headers = {name: answer[name] for name in ("Allow", "Retry-After") if name in answer}
    detail = str(getattr(exception, "detail", exception))
    return HttpResponse(
        detail, status=answer.status_code, content_type="text/plain; charset=utf-8", headers=headers
    )


class SlashMiddleware(InPlaceMiddleware, CommonMiddleware):
    """Pages without their last slash are sent on to it; calls of the API are not: a redirect turns a POST into a GET,
    and what was to be written is lost without a word."""

    def should_redirect_with_slash(self, request: HttpRequest) -> bool:
        return not request.path.startswith("/api/") and super().should_redirect_with_slash(request)


class RequestIdMiddleware(InPlaceMiddleware):
    """Gives each request an id that its errors and log lines carry (`X-Request-Id`); how a page itself calls it
    (`X-From-Page`) is told with what it changes."""

    def process_request(self, request: HttpRequest) -> None:
        request.id = uuid.uuid4().hex  # type: ignore[attr-defined]  # a request has no slot of its own for it
        REQUEST.set(request)
        called = request.headers.get("X-From-Page", "")
        PAGE_REQUEST_NAME.set(called if NAME.fullmatch(called) else "")

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        response["X-Request-Id"] = getattr(request, "id", "")
        REQUEST.set(None)
        PAGE_REQUEST_NAME.set("")
        return response


def allowed_methods(view: Any) -> Sequence[str]:
    """Return the methods that a view handles, METHODS for one that does not declare them."""
    views = getattr(view, "cls", None) or getattr(view, "view_class", None)
    if views is not None:
        handled = {name.upper() for name in views.http_method_names if hasattr(views, name)}
        # Django answers HEAD with the method for GET.
        return [each for each in METHODS if each in handled or (each == "HEAD" and "GET" in handled)]
    while view is not None:
        if hasattr(view, "allowed_methods"):
            return tuple(view.allowed_methods)
        # Django's decorators (`require_safe` and others) keep the methods nowhere else.
        declared = getclosurevars(view).nonlocals.get("request_method_list")
        if declared:
            return tuple(declared)
        view = getattr(view, "__wrapped__", None)
    return METHODS


class MethodMiddleware(InPlaceMiddleware):
    """Refuses methods that no view handles: TRACE, CONNECT, and those that HTTP does not define."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        if request.method in METHODS:
            return None
        try:
            methods = allowed_methods(resolve(request.path_info).func)
        except Resolver404:
            methods = METHODS
        if request.path.startswith("/api/"):
            error = WrongMethod(METHOD_NOT_POSSIBLE(), extra={"allow": ", ".join(methods)})
            return error_response(error, request=request)
        return HttpResponseNotAllowed(methods)


class QueryMiddleware(InPlaceMiddleware):
    """Refuses a query of the API that nobody could have meant: Django puts a mark in place of what is no UTF-8, and
    of too many parameters DRF makes a failure of ours."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        query = request.META.get("QUERY_STRING", "")
        if not query or not request.path.startswith("/api/"):
            return None
        if query.count("&") >= MOST_PARAMETERS:
            message = TOO_MANY_PARAMETERS(count=MOST_PARAMETERS)
            return error_response(Malformed(message, code="too_many_parameters"), request=request)
        for part in query.split("&") if "%" in query else ():
            try:
                unquote_to_bytes(part).decode()
            except UnicodeDecodeError:
                name = unquote(part.partition("=")[0])[:MOST_OF_NAME]
                fault = Malformed(NOT_UTF8(), code="not_utf8", path=name)
                return error_response(fault, request=request)
        return None


class ChunkedBodyMiddleware(InPlaceMiddleware):
    """Gives a chunked body (no Content-Length) its length: DRF takes a body without one as empty."""

    def process_request(self, request: HttpRequest) -> None:
        if request.method in {"POST", "PUT", "PATCH", "DELETE"} and not request.META.get("CONTENT_LENGTH"):
            try:
                length = upload_length(request) if is_upload(request) else len(request.body)
            except RequestDataTooBig:
                # Its real length does not matter: the next middleware refuses it.
                length = settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1
            if length:
                request.META["CONTENT_LENGTH"] = str(length)


class BodyLimitMiddleware(InPlaceMiddleware):
    """Refuses bodies over the limit: Django looks only at forms and `request.body`, DRF reads past both."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        length = str(request.META.get("CONTENT_LENGTH") or "0")
        limit = max_body_size(request)
        if not request.path.startswith("/api/") or not length.isdigit() or int(length) <= limit:
            return None
        body = {
            "error": "too_large",
            **message_fields(BODY_TOO_LARGE(count=limit // MB)),
            "request_id": getattr(request, "id", ""),
        }
        return JsonResponse(localized_body(body, request=request), status=413)


class ApiErrorMiddleware(InPlaceMiddleware):
    """Answers an expected failure of a plain view under /api/, or of any stream, in the one shape; DRF's views do so
    themselves. Elsewhere it is a page: Django's own for what is forbidden or missing, else one line."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        status = status_of(exception)
        if status is None:
            return None
        # Who follows a stream can show no page.
        if request.path.startswith("/api/") or request.headers.get("Accept") == "text/event-stream":
            return error_response(exception, request=request)
        if status in PAGES:
            raise PAGES[status] from exception
        return plain_refusal(exception, request=request)
