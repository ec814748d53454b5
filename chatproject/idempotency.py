"""`Idempotency-Key`: a request that is sent twice has its effect once, and gets the same answer twice."""
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
from accounts.idempotency import answer_once, is_answered
from accounts.models import StoredResponse
from chatproject.errors import error_response
from chatproject.inline_middleware import InPlaceMiddleware
from chatproject.request_slot import BeginAgain
from chatproject.uploads import is_upload, upload_digest
from shared.db.large_work import LargeWorkBusy

WRITING = {"POST", "PUT", "PATCH", "DELETE"}
# Other refusals say nothing about the request itself: sent again, it may well go through.
KEPT = {200, 201, 202, 204, 400, 404, 409, 410, 412, 422}
View = Callable[..., HttpResponse]


class OnceMiddleware(InPlaceMiddleware):
    """Calls the view inside the transaction that holds the key, so that effect and kept answer stand or fall together.

    A class of views may have a `before_transaction(request)`, for what is to be done before it. Async views, the stream
    and its turns, are left alone: a turn has its `client_turn_id`.
    """

    def view_waits(self, request: HttpRequest) -> bool:
        """Without a key there is nothing to look for."""
        return "Idempotency-Key" in request.headers

    def process_view(self, request: HttpRequest, view: View, args: Any, kwargs: Any) -> HttpResponse | None:
        key = request.headers.get("Idempotency-Key")
        if key is None or request.method not in WRITING or not request.path.startswith("/api/"):
            return None
        if iscoroutinefunction(view) or not request.user.is_authenticated:
            return None
        user = request.user
        digest = _digest(request)
        # What takes long and writes nothing: on SQLite everybody who writes would wait for it.
        views = getattr(view, "cls", None)
        prepare = getattr(views, "before_transaction", None) if hasattr(views, request.method.lower()) else None
        try:
            if prepare is not None and not is_answered(user=user, key=key):
                prepare(request)
                # Where it finds that the request is not allowed, DRF takes the user away; the view must find so too.
                request.user = user
            return answer_once(
                user=user,
                key=key,
                request_digest=digest,
                now=timezone.now(),
                wait_seconds=settings.IDEMPOTENCY_WAIT_SECONDS,
                fresh=lambda kept: _fresh(kept, view(request, *args, **kwargs)),
                again=_again,
            )
        except AccountsError as error:
            return error_response(error, request=request)
        except LargeWorkBusy:
            # Django asks `process_exception` of no middleware about a view that it has not called itself.
            return BeginAgain()


def _digest(request: HttpRequest) -> str:
    asked = (str(request.method).encode(), request.get_full_path().encode())
    if is_upload(request):
        return upload_digest(request, asked=asked)
    return hashlib.sha256(b"\n".join((*asked, request.body))).hexdigest()


def _fresh(kept: StoredResponse, response: Any) -> HttpResponse:
    if hasattr(response, "render"):
        response.render()
    if response.status_code not in KEPT:
        transaction.set_rollback(True)
        return response
    kept.status = response.status_code
    kept.headers = dict(response.headers)
    kept.created_id = str(getattr(response, "secret_of", ""))
    kept.body = "" if kept.created_id else response.content.decode()
    kept.save()
    return response


def _again(kept: StoredResponse) -> HttpResponse:
    headers = {**kept.headers, "Idempotent-Replayed": "true"}
    return HttpResponse(kept.body, status=kept.status, headers=headers)
