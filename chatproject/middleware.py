"""What every request gets before a view sees it: an id, and a body that is whole."""
from __future__ import annotations

import uuid

from django.http import HttpRequest, HttpResponse
from django.utils.deprecation import MiddlewareMixin


class RequestIdMiddleware(MiddlewareMixin):
    """Gives each request an id that its errors and log lines carry (`X-Request-Id`)."""

    def process_request(self, request: HttpRequest) -> None:
        request.id = uuid.uuid4().hex  # type: ignore[attr-defined]  # a request has no slot of its own for it

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        response["X-Request-Id"] = getattr(request, "id", "")
        return response


class ChunkedBodyMiddleware(MiddlewareMixin):
    """Gives a chunked body (no Content-Length) its length: DRF takes a body without one as empty."""

    def process_request(self, request: HttpRequest) -> None:
        if request.method in {"POST", "PUT", "PATCH", "DELETE"} and not request.META.get("CONTENT_LENGTH"):
            length = len(request.body)
            if length:
                request.META["CONTENT_LENGTH"] = str(length)
