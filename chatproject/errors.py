"""Every failure of the API in its one shape; the only place that knows which code is which HTTP status."""
from __future__ import annotations

import logging
from typing import Any

from django.conf import settings
from django.core.exceptions import BadRequest, PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, JsonResponse
from rest_framework import exceptions as drf
from rest_framework.response import Response
from rest_framework.views import set_rollback

import accounts.exceptions
import chat.exceptions
import tables.exceptions
from chatproject.metrics.measures import REFUSALS
from shared import strictjson
from shared.db.large_work import LargeWorkBusy
from shared.db.time_limits import is_locked, is_over_limit
from shared.user_messages import Message, declare, literal, message_fields
from shared.user_messages.rendering import localize_detail
from shared.user_messages.request_language import is_api_client, reader_language
from shared.user_messages.request_messages import LOGGED_ERROR

log = logging.getLogger(__name__)
NOTHING_HERE = declare("nothing_here", "There is no such thing here.{hint}")
NOT_ALLOWED = declare("not_allowed", "You may not do this.")
UNREADABLE_REQUEST = declare("unreadable_request", "This request cannot be read.")
BODY_TOO_LARGE = declare("body_too_large", "The body is larger than {count} MB.")
SERVER_BUSY = declare("server_busy", "The server is busy. Try again in a moment; it is logged as {id}.")
TOO_COSTLY = declare("too_costly", "This takes too long. Ask for less at a time; it is logged as {id}.")

STATUS: dict[type[Exception], int] = {
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
    tables.exceptions.Malformed: 400,
    tables.exceptions.NotAuthenticated: 401,
    tables.exceptions.Forbidden: 403,
    tables.exceptions.NotFound: 404,
    tables.exceptions.WrongMethod: 405,
    tables.exceptions.Conflict: 409,
    tables.exceptions.NoLongerKept: 410,
    tables.exceptions.Outdated: 412,
    tables.exceptions.TooLarge: 413,
    tables.exceptions.Invalid: 422,
    tables.exceptions.TooMany: 429,
    chat.exceptions.Malformed: 400,
    chat.exceptions.NotAuthenticated: 401,
    chat.exceptions.Forbidden: 403,
    chat.exceptions.WrongMethod: 405,
    chat.exceptions.NotAcceptable: 406,
    chat.exceptions.WrongMediaType: 415,
    chat.exceptions.NotFound: 404,
    chat.exceptions.Busy: 409,
    chat.exceptions.Settled: 409,
    chat.exceptions.Invalid: 422,
    chat.exceptions.ActionFailure: 422,
    chat.exceptions.TooMany: 429,
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
# Seconds to wait for a database that is away, or has no connection to spare.
AWAY_SECONDS = 5


def is_away(error: BaseException | None) -> bool:
    """Whether the database was away or busy: the very same request may succeed a moment later."""
    return isinstance(error, OperationalError | InterfaceError)


def unavailable(error: BaseException | None, *, request_id: str) -> tuple[str, Message]:
    """Return code and message of the 503 for such an error."""
    if is_over_limit(error):
        return "too_costly", TOO_COSTLY(id=request_id)
    code = "busy" if is_locked(error) else "unavailable"
    return code, SERVER_BUSY(id=request_id)


def status_of(error: Exception) -> int | None:
    """The HTTP status of an expected failure, None for anything else."""
    for kind in type(error).__mro__:
        if kind in STATUS:
            return STATUS[kind]
    return None


def body_of(error: Exception, *, request_id: str) -> dict[str, Any]:
    """`{"error","detail","message_code"?,"params"?,"errors"?,…,"request_id"}` of an expected failure."""
    extra = dict(getattr(error, "extra", {}))
    faults = [fault.as_json() for fault in getattr(error, "faults", ())]
    path, code = getattr(error, "path", ""), str(getattr(error, "code", "error"))
    message = getattr(error, "message", None)
    if not isinstance(message, Message):
        message = literal(str(getattr(error, "detail", error)))
    fields = message_fields(message)
    if path and not faults:
        faults = [{"path": path, "code": code, **fields}]
    errors = {"errors": faults} if faults else {}
    return {"error": code, **fields, **extra, **errors, "request_id": request_id}


def error_response(error: Exception, *, request: HttpRequest) -> JsonResponse:
    """The JSON answer of a plain Django view to an expected failure; raises anything unexpected again."""
    status = status_of(error)
    if status is None:
        raise error
    body = localized_body(body_of(error, request_id=getattr(request, "id", "")), request=request)
    REFUSALS.labels(body["error"]).inc()
    response = JsonResponse(body, status=status)
    for field, header in (("retry_after", "Retry-After"), ("allow", "Allow")):
        if field in body:
            response[header] = str(body[field])
    return response


def drf_exception_handler(error: Exception, context: dict[str, Any]) -> Response:
    """DRF's hook: every exception of an API view as the one shape, unexpected ones logged with the request id.

    Raises LargeWorkBusy again: the request has not failed.
    """
    set_rollback()
    if isinstance(error, LargeWorkBusy):
        raise error
    request = getattr(context.get("request"), "_request", None)
    request_id = getattr(request, "id", "")
    status = status_of(error)
    headers: dict[str, str] = {}
    if status is not None:
        body = body_of(error, request_id=request_id)
        if "retry_after" in body:
            headers["Retry-After"] = str(body["retry_after"])
    else:
        status, code, message = _foreign(error, request_id=request_id)
        body = {"error": code, **message_fields(message), "request_id": request_id}
        wait = AWAY_SECONDS if is_away(error) else getattr(error, "wait", None)
        if wait is not None:
            headers["Retry-After"] = str(int(wait))
    REFUSALS.labels(body["error"]).inc()
    answer = Response(localized_body(body, request=request), status=status, headers=headers)
    # Django's own mark: it would tell it once more, as a failure, and without its reason.
    answer._has_been_logged = is_away(error)  # type: ignore[attr-defined]  # an answer has no slot of its own for it
    return answer


def localized_body(body: dict[str, Any], *, request: HttpRequest | None) -> dict[str, Any]:
    """Return a JSON error with its messages in the language of the page that made the request, if it was a page."""
    if is_api_client(request):
        return body
    with reader_language(request):
        faults = [localize_detail(fault) for fault in body.get("errors", ())]
        return {**localize_detail(body), **({"errors": faults} if faults else {})}


def _foreign(error: Exception, *, request_id: str) -> tuple[int, str, Message]:
    if isinstance(error, Http404):
        return 404, "not_found", NOTHING_HERE(hint="")
    if isinstance(error, PermissionDenied):
        return 403, "forbidden", NOT_ALLOWED()
    if isinstance(error, RequestDataTooBig):
        return 413, "too_large", BODY_TOO_LARGE(count=settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 1024**2)
    if isinstance(error, SuspiciousOperation | BadRequest):
        # A form of more parts than anybody fills in, or one that breaks the rules of forms.
        return 400, "malformed", UNREADABLE_REQUEST()
    if isinstance(error, drf.APIException):
        status = error.status_code
        if isinstance(error, drf.NotAuthenticated | drf.AuthenticationFailed):
            status = 401
        return status, DRF_CODE.get(status, "error"), literal(str(error.detail))
    what = "database not available" if is_away(error) else "unexpected error"
    log.error("%s, request %s", what, request_id, exc_info=error)
    if is_away(error):
        return 503, *unavailable(error, request_id=request_id)
    return 500, "internal", LOGGED_ERROR(id=request_id)
