"""What a fill will need, before it runs: calls, tokens, costs and time, all rounded guesses; and what it has cost."""
from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from math import ceil
from typing import Any

from django.conf import settings

from chat.prompt import estimate_tokens
from chat.provider.configured import DEMO_MODEL
from chat.selectors.usage import cost_of
from fills.models import Fill
from fills.services.offers import offered_modes
from tables.operations import ColumnSpec, TableShape
from tables.selectors import Table, read_rows

Json = dict[str, Any]
SAMPLE_ROWS = 20
# What a row needs apart from its cells, and what an answer has.
TOKENS_AROUND_ROW, TOKENS_OF_ANSWER = 60, 150
# The demo model takes only the time of our own work.
SECONDS_A_CALL, SECONDS_OF_DEMO = 4, 0.04
# A search, of which rows need about two: what it returns is read again with each following one.
TOKENS_OF_SEARCH, USUAL_SEARCHES, SECONDS_A_SEARCH = 10_000, 2, 6
# What a token costs in a batch, as a share of its usual price.
BATCH_PRICE = Decimal("0.5")
TOKEN_KINDS = ("input_tokens", "output_tokens", "cache_read_tokens")


def estimate(
    *,
    prompt: Json,
    table: Table,
    shape: TableShape,
    columns: Sequence[ColumnSpec],
    rows: int,
    model: str,
    searches: int = 0,
) -> Json:
    """Return `{"rows", "calls", "tokens", "cost", "batch_cost", "minutes", "modes"}`.

    Costs are in US dollars, None without prices; `batch_cost` also without batches. `modes` are those in which the fill
    can run. Minutes are those of live calls.

    `columns` are those that are sent for each row, `searches` is the maximum for a row. The input is counted in full,
    although most of it may be cached. The cost has no fees of the provider for searches.
    """
    searches = min(searches, USUAL_SEARCHES)
    ids = [column.id for column in columns]
    sample = [{key: row.data.get(key) for key in ids} for row in read_rows(table, shape=shape, limit=SAMPLE_ROWS)]
    of_row = ceil(estimate_tokens(sample) / len(sample)) if sample else 0
    sent = estimate_tokens([prompt["system"], prompt["tools"]]) + of_row + TOKENS_AROUND_ROW
    sent += searches * TOKENS_OF_SEARCH
    usage = {"input_tokens": sent * rows, "output_tokens": TOKENS_OF_ANSWER * rows}
    modes = offered_modes(model)
    return {
        "rows": rows,
        "calls": rows,
        "tokens": sum(usage.values()),
        "cost": cost_of(usage, model=model),
        "batch_cost": _in_batch(cost_of(usage, model=model)) if Fill.Mode.BATCH in modes else None,
        "minutes": minutes_of(rows, model=model, searches=searches),
        "modes": modes,
    }


def minutes_of(rows: int, *, model: str, searches: int = 0) -> int:
    """Return how many minutes one worker takes for live calls with this number of searches each."""
    seconds = SECONDS_OF_DEMO if model == DEMO_MODEL else SECONDS_A_CALL + searches * SECONDS_A_SEARCH
    return ceil(rows * seconds / settings.FILL_CONCURRENCY / 60)


def cost_so_far(fill: Fill) -> str | None:
    """Return what a fill has cost in US dollars, None without prices. Tokens of batches cost less."""
    totals = (fill.input_tokens, fill.output_tokens, fill.cached_tokens)
    in_batches = {kind: fill.batched.get(kind, 0) for kind in TOKEN_KINDS}
    live = {kind: total - in_batches[kind] for kind, total in zip(TOKEN_KINDS, totals, strict=True)}
    cost, of_batches = cost_of(live, model=fill.model), _in_batch(cost_of(in_batches, model=fill.model))
    return None if cost is None or of_batches is None else str(Decimal(cost) + Decimal(of_batches))


def _in_batch(cost: str | None) -> str | None:
    return None if cost is None else str((Decimal(cost) * BATCH_PRICE).quantize(Decimal("0.000001")))
