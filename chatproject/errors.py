"""Error responses of the API, all in one form, and the HTTP status of each exception class."""
from __future__ import annotations

import logging
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.exceptions import BadRequest, PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, JsonResponse
from rest_framework import exceptions as drf
from rest_framework.response import Response
from rest_framework.views import set_rollback

import accounts.exceptions
import chat.exceptions
from chatproject.json_body import StrictJsonParser
from chatproject.observability.metrics.definitions import API_ERRORS
from shared import strictjson
from shared.db.large_work import LargeWorkBusy
from shared.db.time_limits import is_locked, is_over_limit
from shared.user_messages import CodedError, Message, declare, literal, message_fields
from shared.user_messages.rendering import localize_detail
from shared.user_messages.request_language import is_api_client, reader_language
from shared.user_messages.request_messages import JSON_NEEDED, LOGGED_ERROR, OTHER_METHODS, SIGN_IN_FIRST

log = logging.getLogger(__name__)
NOTHING_HERE = declare("nothing_here", "Not found.{hint}")
NOT_ALLOWED = declare("not_allowed", "You do not have permission to do this.")
UNREADABLE_REQUEST = declare("unreadable_request", "This request is not valid.")
BODY_TOO_LARGE = declare("body_too_large", "The body is larger than {count} MB.")
SERVER_BUSY = declare("server_busy", "The server is busy. Try again in a moment. Log ID: {id}")
TOO_COSTLY = declare("too_costly", "This took too long. Request less at a time. Log ID: {id}")

STATUS: dict[type[Exception], int] = {
    # The errors of an application that are not based on a class below.
    CodedError: 422,
    strictjson.StrictJsonError: 400,
    accounts.exceptions.Malformed: 400,
    accounts.exceptions.NotAuthenticated: 401,
    accounts.exceptions.Forbidden: 403,
    accounts.exceptions.NotFound: 404,
    accounts.exceptions.InProgress: 409,
    accounts.exceptions.AlreadyCreated: 409,
    accounts.exceptions.Invalid: 422,
    accounts.exceptions.TooMany: 429,
    accounts.exceptions.Busy: 503,
    chat.exceptions.Malformed: 400,
    chat.exceptions.NotAuthenticated: 401,
    chat.exceptions.Forbidden: 403,
    chat.exceptions.WrongMethod: 405,
    chat.exceptions.NotAcceptable: 406,
    chat.exceptions.WrongMediaType: 415,
    chat.exceptions.NotFound: 404,
    chat.exceptions.Busy: 409,
    chat.exceptions.Settled: 409,
    chat.exceptions.ProposalConflict: 409,
    chat.exceptions.Invalid: 422,
    chat.exceptions.ProposalRefused: 422,
    chat.exceptions.ActionFailure: 422,
    chat.exceptions.TooMany: 429,
}
if apps.is_installed("tables"):
    import tables.exceptions

    STATUS |= {
        tables.exceptions.Malformed: 400,
        tables.exceptions.NotAuthenticated: 401,
        tables.exceptions.Forbidden: 403,
        tables.exceptions.NotFound: 404,
        tables.exceptions.WrongMethod: 405,
        tables.exceptions.NotAcceptable: 406,
        tables.exceptions.Conflict: 409,
        tables.exceptions.ChangesExpired: 410,
        tables.exceptions.Outdated: 412,
        tables.exceptions.TooLarge: 413,
        tables.exceptions.NotInRange: 416,
        tables.exceptions.Invalid: 422,
        tables.exceptions.TooMany: 429,
        tables.exceptions.Unavailable: 503,
    }
DRF_CODE = {
    400: "malformed",
    401: "not_authenticated",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    413: "too_large",
    415: "unsupported_media_type",
    429: "too_many_requests",
}
# The Retry-After if the database is unavailable or busy.
RETRY_AFTER_SECONDS = 5


def is_unavailable(error: BaseException | None) -> bool:
    """Return whether the database was unavailable or busy, so that the request may succeed if it is repeated."""
    return isinstance(error, OperationalError | InterfaceError)


def unavailable(error: BaseException | None, *, request_id: str) -> tuple[str, Message]:
    """Return code and message of the 503 for an error for which `is_unavailable` is true."""
    if is_over_limit(error):
        return "too_costly", TOO_COSTLY(id=request_id)
    code = "busy" if is_locked(error) else "unavailable"
    return code, SERVER_BUSY(id=request_id)


def status_of(error: Exception) -> int | None:
    """Return the HTTP status of an expected error, None for others."""
    for kind in type(error).__mro__:
        if kind in STATUS:
            return STATUS[kind]
    return None


def error_body(error: Exception, *, request_id: str) -> dict[str, Any]:
    """Return the JSON of an expected error.

    It is `{"error","detail","message_code"?,"params"?,"errors"?,"errors_count"?,…,"request_id"}`.
    """
    extra = dict(getattr(error, "extra", {}))
    faults = [fault.as_json() for fault in getattr(error, "faults", ())]
    path, code = getattr(error, "path", ""), str(getattr(error, "code", "error"))
    message = getattr(error, "message", None)
    if not isinstance(message, Message):
        message = literal(str(getattr(error, "detail", error)))
    fields = message_fields(message)
    if path and not faults:
        faults = [{"path": path, "code": code, **fields}]
        faults += [
            {"path": each.path, "code": each.code, **message_fields(each.message)}
            for each in getattr(error, "others", ())
        ]
    errors: dict[str, Any] = {"errors": faults} if faults else {}
    more = getattr(error, "more_faults", 0)
    if faults and more:
        errors["errors_count"] = len(faults) + more
    return {"error": code, **fields, **extra, **errors, "request_id": request_id}


def error_response(error: Exception, *, request: HttpRequest) -> JsonResponse:
    """Return the JSON response of a Django view to an expected error. Raises other errors again."""
    status = status_of(error)
    if status is None:
        raise error
    body = localized_body(error_body(error, request_id=getattr(request, "id", "")), request=request)
    API_ERRORS.labels(body["error"]).inc()
    response = JsonResponse(body, status=status, headers=_challenge(status))
    for field, header in (("retry_after", "Retry-After"), ("allow", "Allow"), ("content_range", "Content-Range")):
        if field in body:
            response[header] = str(body[field])
    return response


def drf_exception_handler(error: Exception, context: dict[str, Any]) -> Response:
    """Return the response to any exception of a DRF view. Unexpected ones are logged with the request id.

    Raises LargeWorkBusy again, because the request has not failed.
    """
    set_rollback()
    if isinstance(error, LargeWorkBusy):
        raise error
    request = getattr(context.get("request"), "_request", None)
    request_id = getattr(request, "id", "")
    status = status_of(error)
    headers: dict[str, str] = {}
    if status is not None:
        body = error_body(error, request_id=request_id)
        if "retry_after" in body:
            headers["Retry-After"] = str(body["retry_after"])
        if "content_range" in body:
            headers["Content-Range"] = str(body["content_range"])
    else:
        status, code, message = _framework_error(error, request_id=request_id, view=context.get("view"))
        body = {"error": code, **message_fields(message), "request_id": request_id}
        wait = RETRY_AFTER_SECONDS if is_unavailable(error) else getattr(error, "wait", None)
        if wait is not None:
            headers["Retry-After"] = str(int(wait))
    headers |= _challenge(status)
    API_ERRORS.labels(body["error"]).inc()
    response = Response(localized_body(body, request=request), status=status, headers=headers)
    # Otherwise Django logs the response once more, without the reason.
    response._has_been_logged = is_unavailable(error)  # type: ignore[attr-defined]  # of Django, not in its stubs
    return response


def _challenge(status: int) -> dict[str, str]:
    """Return the header that names the scheme by which programs authenticate, for a 401."""
    return {"WWW-Authenticate": "Bearer"} if status == 401 else {}


def localized_body(body: dict[str, Any], *, request: HttpRequest | None) -> dict[str, Any]:
    """Return a JSON error with its messages in the language of the page that sent the request, if it was a page."""
    if is_api_client(request):
        return body
    with reader_language(request):
        faults = [localize_detail(fault) for fault in body.get("errors", ())]
        return {**localize_detail(body), **({"errors": faults} if faults else {})}


def _framework_error(error: Exception, *, request_id: str, view: Any) -> tuple[int, str, Message]:
    if isinstance(error, Http404):
        return 404, "not_found", NOTHING_HERE()
    if isinstance(error, PermissionDenied):
        return 403, "forbidden", NOT_ALLOWED()
    if isinstance(error, RequestDataTooBig):
        return 413, "too_large", BODY_TOO_LARGE(count=settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 1024**2)
    if isinstance(error, SuspiciousOperation | BadRequest):
        # A form with too many parts, or a malformed one.
        return 400, "malformed", UNREADABLE_REQUEST()
    if isinstance(error, drf.NotAuthenticated | drf.AuthenticationFailed):
        return 401, "not_authenticated", SIGN_IN_FIRST()
    if isinstance(error, drf.MethodNotAllowed) and view is not None:
        methods = [method for method in view.allowed_methods if method not in ("OPTIONS", "HEAD")]
        return 405, DRF_CODE[405], OTHER_METHODS(method=view.request.method, methods=methods)
    if isinstance(error, drf.UnsupportedMediaType) and [*getattr(view, "parser_classes", ())] == [StrictJsonParser]:
        return 415, DRF_CODE[415], JSON_NEEDED()
    if isinstance(error, drf.APIException):
        status = error.status_code
        return status, DRF_CODE.get(status, "error"), literal(str(error.detail))
    reason = "database not available" if is_unavailable(error) else "unexpected error"
    log.error("%s, request %s", reason, request_id, exc_info=error)
    if is_unavailable(error):
        return 503, *unavailable(error, request_id=request_id)
    return 500, "internal", LOGGED_ERROR(id=request_id)
