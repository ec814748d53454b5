"""Updates the metrics: middleware for requests, a wrapper of sockets, and receivers of signals."""
from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any

from asgiref.sync import iscoroutinefunction
from django.apps import apps
from django.dispatch import Signal
from django.http import HttpRequest, HttpResponseBase
from django.utils.decorators import sync_and_async_middleware

from chat.selectors import cost_of
from chat.signals import apply_ended, turn_finished
from chatproject.asgi_types import ASGIApp, Receive, Scope, Send
from chatproject.observability.logs import request_fields
from chatproject.observability.metrics import database
from chatproject.observability.metrics.definitions import (
    APPLIES,
    CHANGES,
    COST,
    DROPPED,
    EXPORTS,
    MODEL_TURNS,
    REQUESTS,
    SOCKETS,
    TOKENS,
    TURN_ERRORS,
    TURN_SECONDS,
    TURNS,
)

log = logging.getLogger("chatproject.requests")
TOKEN_KINDS = {"input_tokens": "in", "output_tokens": "out", "cache_read_tokens": "cached"}
SOCKET_KINDS = ("tables", "chat")


@sync_and_async_middleware
def measure_requests(
    get_response: Callable[[HttpRequest], HttpResponseBase] | Callable[[HttpRequest], Awaitable[HttpResponseBase]],
) -> Any:
    """Measure and log each request until its response begins. This must be the outermost middleware."""
    if iscoroutinefunction(get_response):

        async def ameasure(request: HttpRequest) -> HttpResponseBase:
            started = time.perf_counter()
            response: HttpResponseBase = await get_response(request)
            _record(request, response, seconds=time.perf_counter() - started)
            return response

        return ameasure

    def measure(request: HttpRequest) -> HttpResponseBase:
        started = time.perf_counter()
        response: Any = get_response(request)
        _record(request, response, seconds=time.perf_counter() - started)
        return response

    return measure


def _record(request: HttpRequest, response: HttpResponseBase, *, seconds: float) -> None:
    match = request.resolver_match
    # The name of the URL, because paths contain ids. All URLs of the admin count as one.
    route = "none" if match is None else match.namespaces[0] if match.namespaces else match.url_name or "unnamed"
    known = request_fields(request)
    exemplar = {"request_id": known["request"]} if "request" in known else None
    REQUESTS.labels(route, f"{response.status_code // 100}xx").observe(seconds, exemplar=exemplar)
    facts = {
        "method": request.method, "route": route, "status": response.status_code, "ms": round(seconds * 1_000, 1),
        **known,
    }  # fmt: skip
    log.info("request", extra={"facts": facts})


def with_socket_metrics(app: ASGIApp) -> ASGIApp:
    """Count the open sockets."""

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        parts = str(scope.get("path", "")).split("/")
        kind = parts[2] if len(parts) > 2 and parts[2] in SOCKET_KINDS else "none"
        sockets = SOCKETS.labels(kind)
        sockets.inc()
        try:
            await app(scope, receive, send)
        finally:
            sockets.dec()

    return serve


def _turn_over(*, turn: Any, **_: Any) -> None:
    TURNS.labels(turn.state).inc()
    MODEL_TURNS.labels(turn.model, turn.state).inc()
    if turn.error_code:
        TURN_ERRORS.labels(turn.error_code).inc()
    seconds = max(0.0, (turn.ended_at - turn.started_at).total_seconds())
    TURN_SECONDS.labels(turn.state).observe(seconds, exemplar={"turn_id": str(turn.pk)})
    DROPPED.inc(turn.dropped)
    for field, kind in TOKEN_KINDS.items():
        TOKENS.labels(kind).inc(turn.usage.get(field, 0))
    cost = cost_of(turn.usage, model=turn.model)
    if cost is not None:
        COST.labels(turn.page).inc(float(cost))


def _apply_ended(*, payload_type: str, outcome: str, seconds: float, **_: Any) -> None:
    APPLIES.labels(payload_type, outcome, "chat").observe(seconds)


def _program_applied(*, kind: str, outcome: str, seconds: float, **_: Any) -> None:
    APPLIES.labels(kind, outcome, "api").observe(seconds)


def _export_ended(*, ending: str, outcome: str, seconds: float, **_: Any) -> None:
    EXPORTS.labels(ending, outcome).observe(seconds)


def _change_made(**_: Any) -> None:
    CHANGES.labels("server").inc()


def connect() -> None:
    """Count the turns, applies, changes, exports and imports of this process from now on."""
    receivers: list[tuple[Signal, Callable[..., None]]] = [(turn_finished, _turn_over), (apply_ended, _apply_ended)]
    if apps.is_installed("tables"):
        from tables import signals as tables_signals

        receivers += [
            (tables_signals.apply_ended, _program_applied),
            (tables_signals.change_made, _change_made),
            (tables_signals.export_ended, _export_ended),
        ]
    for signal, receiver in receivers:
        signal.connect(receiver, dispatch_uid=f"metrics {receiver.__name__}")
    database.connect()
