"""What is measured: the list an operator finds at /metrics. Every label has few values, and none names a person.

The registry is the process's own: each process is read by itself, so nothing is shared between them through files.
"""
from __future__ import annotations

import prometheus_client
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector

prometheus_client.disable_created_metrics()
REGISTRY = CollectorRegistry()
ProcessCollector(registry=REGISTRY)

REQUESTS = Histogram(
    "tablechat_http_request_seconds",
    "Requests until their answer began, by address and class of status.",
    ("route", "status"),
    buckets=(0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
    registry=REGISTRY,
)
REFUSALS = Counter(
    "tablechat_api_errors", "Answers of the API that are failures, by code.", ("code",), registry=REGISTRY
)
SOCKETS = Gauge("tablechat_sockets_open", "Open sockets of this process.", ("kind",), registry=REGISTRY)
STREAMS = Gauge("tablechat_streams_open", "Open streams of answers of this process.", registry=REGISTRY)
TURNS = Counter("tablechat_turns", "Turns that ended, by outcome.", ("outcome",), registry=REGISTRY)
MODEL_TURNS = Counter(
    "tablechat_model_turns", "Turns that ended, by model and outcome.", ("model", "outcome"), registry=REGISTRY
)
TURN_ERRORS = Counter("tablechat_turn_errors", "Turns that failed, by code.", ("code",), registry=REGISTRY)
TURN_SECONDS = Histogram(
    "tablechat_turn_seconds",
    "How long turns took.",
    ("outcome",),
    buckets=(1, 2.5, 5, 10, 30, 60, 120, 300),
    registry=REGISTRY,
)
TOKENS = Counter(
    "tablechat_tokens", "Tokens of turns that ended: in, out, and in from the cache.", ("kind",), registry=REGISTRY
)
COST = Counter(
    "tablechat_cost_dollars",
    "What turns that ended cost in US dollars, by page, where CHAT_PRICE_* is set.",
    ("page",),
    registry=REGISTRY,
)
DROPPED = Counter("tablechat_dropped", "Things the model wrote that were not shown.", registry=REGISTRY)
APPLIES = Histogram(
    "tablechat_apply_seconds",
    "Applies of proposals in the chat and by programs, by what came of them: a status or the code of a failure.",
    ("type", "outcome", "door"),
    buckets=(0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30),
    registry=REGISTRY,
)
CHANGES = Counter("tablechat_table_changes", "Changes of tables through any door.", registry=REGISTRY)
EXPORTS = Histogram(
    "tablechat_export_seconds",
    "How long it took to make the file of a table, by what came of it.",
    ("format", "outcome"),
    buckets=(0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120),
    registry=REGISTRY,
)
