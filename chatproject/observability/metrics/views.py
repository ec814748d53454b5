"""`/metrics`, for requests with METRICS_TOKEN and those from this machine."""
from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterator
from ipaddress import ip_address

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from drf_spectacular.utils import extend_schema
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from chat.turns.runtime import current_runtime
from chatproject.observability.metrics.database import READER
from chatproject.observability.metrics.definitions import REGISTRY, STREAMS, TABLE_STREAMS
from chatproject.observability.metrics.process import ProcessLimitsCollector
from shared.rest.openapi import TEXT
from shared.websockets.event_stream import count_endless_streams

# A request with one of these was forwarded by a proxy on this machine, so its address cannot be trusted.
PROXY_HEADERS = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "Via")
REGISTRY.register(ProcessLimitsCollector())


class _Collectors(Collector):
    """The metrics of several collectors. Samples of the same metric are listed together, as its format demands."""

    def __init__(self, *collectors: Collector) -> None:
        self._collectors = collectors

    def collect(self) -> Iterator[Metric]:
        found: dict[str, Metric] = {}
        for collector in self._collectors:
            for metric in collector.collect():
                found.setdefault(metric.name, Metric(metric.name, metric.documentation, metric.type)).samples.extend(
                    metric.samples
                )
        yield from found.values()


@extend_schema(auth=[], responses={(200, "text/plain"): TEXT})
async def metrics(request: HttpRequest) -> HttpResponse:
    """Get the metrics for Prometheus, with their own token or from this machine."""
    if not is_authorized(request):
        raise Http404
    if request.method not in ("GET", "HEAD"):
        return HttpResponseNotAllowed(["GET", "HEAD"])
    STREAMS.set(current_runtime().stream_slots.held.total())
    TABLE_STREAMS.set(count_endless_streams())
    encode, content_type = choose_encoder(request.headers.get("Accept", ""))
    # Prometheus gives up after its scrape timeout, so an unavailable database must not delay the response. The rest of
    # the time is for the response itself.
    reading = READER.start()
    await asyncio.wait({asyncio.wrap_future(reading.ended)}, timeout=0.9 * settings.METRICS_DATABASE_SECONDS)
    body = await asyncio.to_thread(encode, _Collectors(REGISTRY, reading))
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

