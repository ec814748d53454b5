"""`/metrics`, for requests with METRICS_TOKEN and those from this machine."""
from __future__ import annotations

import secrets
from ipaddress import ip_address

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from drf_spectacular.utils import extend_schema
from prometheus_client.exposition import choose_encoder

from chat.turns.database import in_database
from chat.turns.runtime import current_runtime
from chatproject.observability.metrics.database import DatabaseCollector
from chatproject.observability.metrics.definitions import REGISTRY, STREAMS
from shared.rest.openapi import TEXT

# A request with one of these was forwarded by a proxy on this machine, so its address cannot be trusted.
PROXY_HEADERS = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "Via")
REGISTRY.register(DatabaseCollector())


@extend_schema(auth=[], responses={(200, "text/plain"): TEXT})
async def metrics(request: HttpRequest) -> HttpResponse:
    """Get the metrics for Prometheus, with their own token or from this machine."""
    if not is_authorized(request):
        raise Http404
    if request.method not in ("GET", "HEAD"):
        return HttpResponseNotAllowed(["GET", "HEAD"])
    STREAMS.set(current_runtime().stream_slots.held.total())
    encode, content_type = choose_encoder(request.headers.get("Accept", ""))
    body = await in_database(lambda: encode(REGISTRY))
    return HttpResponse(body, content_type=content_type, headers={"Cache-Control": "no-store"})


metrics.allowed_methods = ("GET", "HEAD")  # type: ignore[attr-defined]  # an attribute of our own


def is_authorized(request: HttpRequest) -> bool:
    """Return whether a request has METRICS_TOKEN as bearer token or, without a token, comes from this machine."""
    authorization = request.headers.get("Authorization", "")
    if authorization or any(name in request.headers for name in PROXY_HEADERS):
        expected = f"Bearer {settings.METRICS_TOKEN}"
        return bool(settings.METRICS_TOKEN) and secrets.compare_digest(authorization.encode(), expected.encode())
    return _is_loopback(request.META.get("REMOTE_ADDR", ""))


def _is_loopback(address: str) -> bool:
    try:
        return ip_address(address.removeprefix("::ffff:")).is_loopback
    except ValueError:
        return False

