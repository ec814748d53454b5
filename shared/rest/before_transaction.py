"""Reads before the transaction of a request, which with an Idempotency-Key holds a lock during the whole view."""

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


def run_before_transaction(view: type[APIView], request: HttpRequest, *, read: Callable[..., Any]) -> None:
    """Call `read` with the DRF request and the URL's arguments, and store its result or error on the request.

    Views call this in their `before_transaction`.
    """
    assert request.resolver_match is not None
    # The view raises these errors again, and reports them.
    with suppress(strictjson.StrictJsonError, APIException):
        drf_request = view().initialize_request(request)
        view().check_permissions(drf_request)
        try:
            result = read(drf_request, **request.resolver_match.kwargs)
        except CodedError as error:
            result = error
        request.result_before_transaction = result  # type: ignore[attr-defined]  # an attribute of our own


def result_before_transaction(request: Request) -> Any:
    """Return the stored result, None if nothing was read. Raises the stored error."""
    result = getattr(request, "result_before_transaction", None)
    if isinstance(result, CodedError):
        raise result
    return result
