"""/metrics: for those with its own token, and for whoever is on this machine."""
from __future__ import annotations

import secrets
from ipaddress import ip_address

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from drf_spectacular.utils import extend_schema
from prometheus_client.exposition import choose_encoder

from chat.turns.database import in_database
from chat.turns.runtime import current_runtime
from chatproject.metrics.measures import REGISTRY, STREAMS
from chatproject.metrics.shared import SharedCollector
from shared.rest.schemas import TEXT

# Whoever asks through a proxy on this machine comes from elsewhere, whatever the connection looks like.
PASSED_ON = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "Via")
REGISTRY.register(SharedCollector())


@extend_schema(auth=[], responses={(200, "text/plain"): TEXT})
async def metrics(request: HttpRequest) -> HttpResponse:
    """Get the metrics for Prometheus, with their own token or from this machine."""
    if not may_read(request):
        raise Http404
    if request.method not in ("GET", "HEAD"):
        return HttpResponseNotAllowed(["GET", "HEAD"])
    STREAMS.set(current_runtime().stream_slots.held.total())
    encode, content_type = choose_encoder(request.headers.get("Accept", ""))
    body = await in_database(lambda: encode(REGISTRY))
    return HttpResponse(body, content_type=content_type, headers={"Cache-Control": "no-store"})


metrics.allowed_methods = ("GET", "HEAD")  # type: ignore[attr-defined]  # a function has no attribute of its own for it


def may_read(request: HttpRequest) -> bool:
    """With METRICS_TOKEN as a bearer token from anywhere, without it straight from this machine."""
    given = request.headers.get("Authorization", "")
    if given or any(name in request.headers for name in PASSED_ON):
        expected = f"Bearer {settings.METRICS_TOKEN}"
        return bool(settings.METRICS_TOKEN) and secrets.compare_digest(given.encode(), expected.encode())
    return _is_here(request.META.get("REMOTE_ADDR", ""))


def _is_here(address: str) -> bool:
    try:
        return ip_address(address.removeprefix("::ffff:")).is_loopback
    except ValueError:
        return False

