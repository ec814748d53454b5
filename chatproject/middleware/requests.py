"""Request ids, checks of method, query and body, and responses to expected errors."""
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
from chatproject.errors import BODY_TOO_LARGE, error_response, localized_body, status_of
from chatproject.limits.body_size import MB, max_body_size
from chatproject.middleware.inline import InlineMiddleware
from chatproject.observability.logs import CURRENT_REQUEST
from chatproject.uploads import is_upload, max_upload_mb, upload_length
from shared.rest.preconditions import if_match_of
from shared.user_messages import declare, message_fields
from shared.user_messages.request_messages import NOT_UTF8, UPLOAD_TOO_LARGE
from shared.websockets.broadcast import PAGE_REQUEST_NAME

METHOD_NOT_POSSIBLE = declare("method_not_possible", "This method is not allowed here.")
TOO_MANY_PARAMETERS = declare("too_many_parameters", "A query can have at most {count} parameters.")
IF_MATCH_NOT_POSSIBLE = declare(
    "if_match_not_possible", "This request does not compare versions. Leave out the header If-Match."
)
UNSAFE_METHODS = {"POST", "PUT", "PATCH", "DELETE"}
METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
# No URL has as many as twenty.
MAX_PARAMETERS = 100
MAX_NAME_LENGTH = 100
PAGE_REQUEST_NAME_PATTERN = re.compile("[0-9a-f-]{36}")
# The statuses for which Django has an error page.
PAGES: dict[int, type[Exception]] = {401: PermissionDenied, 403: PermissionDenied, 404: Http404}


def plain_refusal(exception: Exception, *, request: HttpRequest) -> HttpResponse:
    """Return the response of a page URL to an expected error: one line of text."""
    response = error_response(exception, request=request)
    headers = {name: response[name] for name in ("Allow", "Retry-After") if name in response}
    detail = str(getattr(exception, "detail", exception))
    return HttpResponse(
        detail, status=response.status_code, content_type="text/plain; charset=utf-8", headers=headers
    )


class AppendSlashMiddleware(InlineMiddleware, CommonMiddleware):
    """Redirects URLs of pages without a trailing slash.

    Not those of the API: clients follow a redirect of a POST with a GET, and the body would be lost silently.
    """

    def should_redirect_with_slash(self, request: HttpRequest) -> bool:
        return not request.path.startswith("/api/") and super().should_redirect_with_slash(request)


class RequestIdMiddleware(InlineMiddleware):
    """Gives each request an id for its errors and log lines (`X-Request-Id`).

    The name that a page gave the request (`X-From-Page`) is sent to sockets with the changes of the request.
    """

    def process_request(self, request: HttpRequest) -> None:
        request.id = uuid.uuid4().hex  # type: ignore[attr-defined]  # an attribute of our own
        CURRENT_REQUEST.set(request)
        name = request.headers.get("X-From-Page", "")
        PAGE_REQUEST_NAME.set(name if PAGE_REQUEST_NAME_PATTERN.fullmatch(name) else "")

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        response["X-Request-Id"] = getattr(request, "id", "")
        CURRENT_REQUEST.set(None)
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
        # Decorators such as `require_safe` store the methods only in a closure.
        declared = getclosurevars(view).nonlocals.get("request_method_list")
        if declared:
            return tuple(declared)
        view = getattr(view, "__wrapped__", None)
    return METHODS


class MethodMiddleware(InlineMiddleware):
    """Refuses methods that no view handles, such as TRACE and unknown ones."""

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


class QueryMiddleware(InlineMiddleware):
    """Refuses API queries that are not UTF-8 or have too many parameters.

    Django replaces invalid UTF-8, and DRF answers too many parameters with a server error.
    """

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        query = request.META.get("QUERY_STRING", "")
        if not query or not request.path.startswith("/api/"):
            return None
        if query.count("&") >= MAX_PARAMETERS:
            message = TOO_MANY_PARAMETERS(count=MAX_PARAMETERS)
            return error_response(Malformed(message, code="too_many_parameters"), request=request)
        for part in query.split("&") if "%" in query else ():
            try:
                unquote_to_bytes(part).decode()
            except UnicodeDecodeError:
                name = unquote(part.partition("=")[0])[:MAX_NAME_LENGTH]
                fault = Malformed(NOT_UTF8(), code="not_utf8", path=name)
                return error_response(fault, request=request)
        return None


class IfMatchMiddleware(InlineMiddleware):
    """Refuses writes with `If-Match` to API URLs that do not compare a version, instead of ignoring the header."""

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> HttpResponse | None:
        method = str(request.method)
        if "If-Match" not in request.headers or method not in UNSAFE_METHODS or not request.path.startswith("/api/"):
            return None
        # The view refuses a method that it does not have, and a request without a user.
        if method not in allowed_methods(view) or not request.user.is_authenticated:
            return None
        if if_match_of(getattr(view, "cls", None), method):
            return None
        error = Malformed(IF_MATCH_NOT_POSSIBLE(), code="if_match_not_possible", path="If-Match")
        return error_response(error, request=request)


class ChunkedBodyMiddleware(InlineMiddleware):
    """Sets the length of a chunked body, because DRF takes a body without Content-Length as empty."""

    def process_request(self, request: HttpRequest) -> None:
        if request.method in UNSAFE_METHODS and not request.META.get("CONTENT_LENGTH"):
            try:
                length = upload_length(request) if is_upload(request) else len(request.body)
            except RequestDataTooBig:
                # The exact length does not matter: BodyLimitMiddleware refuses the request.
                length = settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1
            if length:
                request.META["CONTENT_LENGTH"] = str(length)


class BodyLimitMiddleware(InlineMiddleware):
    """Refuses too large API bodies. Django checks only forms and `request.body`, which DRF does not use."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        length = str(request.META.get("CONTENT_LENGTH") or "0")
        limit = max_body_size(request)
        if not request.path.startswith("/api/") or not length.isdigit() or int(length) <= limit:
            return None
        if is_upload(request):
            message = UPLOAD_TOO_LARGE(count=max_upload_mb(request.path))
        else:
            message = BODY_TOO_LARGE(count=limit // MB)
        body = {
            "error": "too_large",
            **message_fields(message),
            "request_id": getattr(request, "id", ""),
        }
        return JsonResponse(localized_body(body, request=request), status=413)


class ApiErrorMiddleware(InlineMiddleware):
    """Responds to expected errors of Django views: as JSON below /api/ and for streams, else with an error page.

    DRF views respond themselves. If Django has no error page for the status, the page is one line of text.
    """

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        status = status_of(exception)
        if status is None:
            return None
        # Clients of streams cannot show a page.
        if request.path.startswith("/api/") or request.headers.get("Accept") == "text/event-stream":
            return error_response(exception, request=request)
        if status in PAGES:
            raise PAGES[status] from exception
        return plain_refusal(exception, request=request)
