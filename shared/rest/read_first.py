"""What a request reads before its transaction: with an Idempotency-Key, that holds a lock for the whole view."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from django.http import HttpRequest
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.views import APIView

from shared import strictjson
from shared.user_messages import CodedError


def read_first(view: type[APIView], request: HttpRequest, *, read: Callable[..., Any]) -> None:
    """Call `read` with the request, as the view gets it, and its URL's arguments; store what it returns or raises.

    Belongs into the `before_transaction` of a view.
    """
    assert request.resolver_match is not None
    # Refusals, and errors in the form of the request, are reported by the view, which finds them again.
    with suppress(strictjson.NotStrictJson, APIException):
        asked = view().initialize_request(request)
        view().check_permissions(asked)
        try:
            found = read(asked, **request.resolver_match.kwargs)
        except CodedError as error:
            found = error
        request.read_before = found  # type: ignore[attr-defined]  # a request has no attribute of its own for it


def read_before(request: Request) -> Any:
    """Return what was read before the transaction, None without one. Raises the error that reading it raised."""
    found = getattr(request, "read_before", None)
    if isinstance(found, CodedError):
        raise found
    return found
