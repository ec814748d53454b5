"""The metrics of a process. Every label has few values, and none identifies a user.

Each process has its own registry and is scraped separately, so processes share no files.
"""
from __future__ import annotations

import prometheus_client
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector

prometheus_client.disable_created_metrics()
REGISTRY = CollectorRegistry()
ProcessCollector(registry=REGISTRY)

REQUESTS = Histogram(
    "tablechat_http_request_seconds",
    "Seconds until the response started, by route and status class.",
    ("route", "status"),
    buckets=(0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
    registry=REGISTRY,
)
API_ERRORS = Counter(
    "tablechat_api_errors", "Error responses of the API, by code.", ("code",), registry=REGISTRY
)
SOCKETS = Gauge("tablechat_sockets_open", "Open sockets of this process.", ("kind",), registry=REGISTRY)
REDIS_DOWN = Gauge("tablechat_redis_down", "1 while this process cannot use Redis.", registry=REGISTRY)
STREAMS = Gauge("tablechat_streams_open", "Open answer streams of this process.", registry=REGISTRY)
TABLE_STREAMS = Gauge(
    "tablechat_table_event_streams_open", "Open event streams of tables of this process.", registry=REGISTRY
)
TURNS = Counter("tablechat_turns", "Ended turns, by outcome.", ("outcome",), registry=REGISTRY)
MODEL_TURNS = Counter(
    "tablechat_model_turns", "Ended turns, by model and outcome.", ("model", "outcome"), registry=REGISTRY
)
TURN_ERRORS = Counter("tablechat_turn_errors", "Failed turns, by error code.", ("code",), registry=REGISTRY)
TURN_SECONDS = Histogram(
    "tablechat_turn_seconds",
    "Duration of turns in seconds.",
    ("outcome",),
    buckets=(1, 2.5, 5, 10, 30, 60, 120, 300),
    registry=REGISTRY,
)
TOKENS = Counter(
    "tablechat_tokens", "Tokens of ended turns: input, output and cached input.", ("kind",), registry=REGISTRY
)
COST = Counter(
    "tablechat_cost_dollars",
    "Cost of ended turns in US dollars, by page, if CHAT_PRICE_* is set.",
    ("page",),
    registry=REGISTRY,
)
DROPPED = Counter("tablechat_dropped", "Rejected parts of model output.", registry=REGISTRY)
APPLIES = Histogram(
    "tablechat_apply_seconds",
    "Duration of applying proposals in seconds, by outcome: a status or an error code.",
    ("type", "outcome", "door"),
    buckets=(0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30),
    registry=REGISTRY,
)
# Those of workers are read from the database.
CHANGES = Counter(
    "tablechat_table_changes",
    "Changes of tables by this server process, and by all workers, such as imports.",
    ("source",),
    registry=REGISTRY,
)
CHANGES.labels("server")
EXPORTS = Histogram(
    "tablechat_export_seconds",
    "Duration of table exports in seconds, by outcome.",
    ("format", "outcome"),
    buckets=(0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120),
    registry=REGISTRY,
)
