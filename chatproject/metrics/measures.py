"""What is measured: the list an operator finds at /metrics. Every label has few values, and none names anybody."""
from __future__ import annotations

from chatproject.metrics.instruments import Counter, Histogram, Instrument

REQUESTS = Histogram(
    "tablechat_http_request_seconds",
    "Requests until their answer began, by address and class of status.",
    labels=("route", "status"),
)
REFUSALS = Counter(
    "tablechat_api_errors_total", "Answers of the API that are failures, by code.", labels=("code",)
)
SOCKETS = Counter("tablechat_sockets_open", "Open sockets of this process.", labels=("kind",), kind="gauge")
TURNS = Counter("tablechat_turns_total", "Turns that ended, by outcome.", labels=("outcome",))
TURN_ERRORS = Counter("tablechat_turn_errors_total", "Turns that failed, by code.", labels=("code",))
TURN_SECONDS = Histogram(
    "tablechat_turn_seconds", "How long turns took.", labels=("outcome",), bounds=(1, 2.5, 5, 10, 30, 60, 120, 300)
)
TOKENS = Counter("tablechat_tokens_total", "Tokens of turns that ended: in, out, and in from the cache.", ("kind",))
COST = Counter(
    "tablechat_cost_dollars_total",
    "What turns that ended cost in US dollars, by page, where CHAT_PRICE_* is set.",
    ("page",),
)
DROPPED = Counter("tablechat_dropped_total", "Things the model wrote that were not shown.")
APPLIES = Histogram(
    "tablechat_apply_seconds",
    "Applies of proposals in the chat and by programs, by what came of them: a status or the code of a failure.",
    labels=("type", "outcome", "door"),
    bounds=(0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30),
)
CHANGES = Counter("tablechat_table_changes_total", "Changes of tables through any door.")
EXPORTS = Histogram(
    "tablechat_export_seconds",
    "How long it took to make the file of a table, by what came of it.",
    labels=("format", "outcome"),
    bounds=(0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120),
)

MEASURES: tuple[Instrument, ...] = (
    REQUESTS, REFUSALS, SOCKETS, TURNS, TURN_ERRORS, TURN_SECONDS, TOKENS, COST, DROPPED, APPLIES, CHANGES,
    EXPORTS,
)  # fmt: skip
