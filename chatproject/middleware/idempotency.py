"""`Idempotency-Key`: a request that is sent twice takes effect once and gets the same response twice."""
from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from asgiref.sync import iscoroutinefunction
from django.conf import settings
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from accounts.exceptions import AccountsError
from accounts.idempotency import check_key, has_stored_response, respond_once
from accounts.models import StoredResponse
from chatproject.errors import error_response
from chatproject.limits.request_slots import RetryRequest
from chatproject.middleware.inline import InlineMiddleware
from chatproject.uploads import is_upload, upload_digest
from shared.db.large_work import LargeWorkBusy

UNSAFE_METHODS = {"POST", "PUT", "PATCH", "DELETE"}
# Responses that are stored. After any other status the key can be used again, also for a corrected request.
STORED_STATUSES = {200, 201, 202, 204}
View = Callable[..., HttpResponse]


class IdempotencyMiddleware(InlineMiddleware):
    """Calls the view in the transaction that holds the key, so that effect and stored response are committed together.

    View classes may define `before_transaction(request)`. Async views use the key themselves, as a `client_turn_id`.
    """

    def view_needs_thread(self, request: HttpRequest) -> bool:
        """Return whether the request has a key."""
        return "Idempotency-Key" in request.headers

    def process_view(self, request: HttpRequest, view: View, args: Any, kwargs: Any) -> HttpResponse | None:
        key = request.headers.get("Idempotency-Key")
        if key is None or request.method not in UNSAFE_METHODS or not request.path.startswith("/api/"):
            return None
        if not request.user.is_authenticated:
            return None
        if iscoroutinefunction(view):
            return _refuse_bad_key(key, request=request)
        user = request.user
        digest = _digest(request)
        # Long reads, which on SQLite would delay all other writers if they were done in the transaction.
        view_class = getattr(view, "cls", None)
        has_method = hasattr(view_class, request.method.lower())
        before_transaction = getattr(view_class, "before_transaction", None) if has_method else None
        try:
            if before_transaction is not None and not has_stored_response(user=user, key=key):
                before_transaction(request)
                # DRF removes the user from a request that it refuses. The view must refuse it in the same way.
                request.user = user
            return respond_once(
                user=user,
                key=key,
                request_digest=digest,
                now=timezone.now(),
                wait_seconds=settings.IDEMPOTENCY_WAIT_SECONDS,
                process=lambda stored: _store(stored, view(request, *args, **kwargs)),
                replay=_replay,
            )
        except AccountsError as error:
            return error_response(error, request=request)
        except LargeWorkBusy:
            # Django calls `process_exception` only for views that it has called itself.
            return RetryRequest()


def _refuse_bad_key(key: str, *, request: HttpRequest) -> HttpResponse | None:
    try:
        check_key(key)
    except AccountsError as error:
        return error_response(error, request=request)
    return None


def _digest(request: HttpRequest) -> str:
    request_line = (str(request.method).encode(), request.get_full_path().encode())
    if is_upload(request):
        return upload_digest(request, prefix=request_line)
    return hashlib.sha256(b"\n".join((*request_line, request.body))).hexdigest()


def _store(stored: StoredResponse, response: Any) -> HttpResponse:
    """Store the response of a first request; release its key if it was refused, and roll back if it failed."""
    if hasattr(response, "render"):
        response.render()
    if 400 <= response.status_code < 500 and not transaction.get_rollback():
        # What a refusal writes, such as the last error of a proposal, is committed.
        stored.delete()
        return response
    if response.status_code not in STORED_STATUSES:
        transaction.set_rollback(True)
        return response
    stored.status = response.status_code
    stored.headers = dict(response.headers)
    stored.created_id = str(getattr(response, "secret_of", ""))
    stored.body = "" if stored.created_id else response.content.decode()
    stored.save()
    return response


def _replay(stored: StoredResponse) -> HttpResponse:
    headers = {**stored.headers, "Idempotent-Replayed": "true"}
    return HttpResponse(stored.body, status=stored.status, headers=headers)
