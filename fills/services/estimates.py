"""What a fill will need, before it runs: calls, tokens, cost and time. All are rounded guesses."""
from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

from django.conf import settings

from chat.prompt import estimate_tokens
from chat.selectors.usage import cost_of
from tables.operations import ColumnSpec, TableShape
from tables.selectors import Table, read_rows

Json = dict[str, Any]
SAMPLE_ROWS = 20
# What a row needs apart from its cells, and what an answer has.
TOKENS_AROUND_ROW, TOKENS_OF_ANSWER = 60, 150
SECONDS_A_CALL = 4
# A search, of which rows need about two: what it returns is read again with each following one.
TOKENS_OF_SEARCH, USUAL_SEARCHES, SECONDS_A_SEARCH = 10_000, 2, 6


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
    """Return `{"rows", "calls", "tokens", "cost", "minutes"}`; the cost is in US dollars, None without prices.

    `columns` are those that are sent for each row, `searches` is the maximum for a row. The input is counted in full,
    although most of it may be cached. The cost has no fees of the provider for searches.
    """
    searches = min(searches, USUAL_SEARCHES)
    ids = [column.id for column in columns]
    sample = [{key: row.data.get(key) for key in ids} for row in read_rows(table, shape=shape, limit=SAMPLE_ROWS)]
    of_row = ceil(estimate_tokens(sample) / len(sample)) if sample else 0
    sent = estimate_tokens([prompt["system"], prompt["tools"]]) + of_row + TOKENS_AROUND_ROW
    sent += searches * TOKENS_OF_SEARCH
    seconds = SECONDS_A_CALL + searches * SECONDS_A_SEARCH
    usage = {"input_tokens": sent * rows, "output_tokens": TOKENS_OF_ANSWER * rows}
    return {
        "rows": rows,
        "calls": rows,
        "tokens": sum(usage.values()),
        "cost": cost_of(usage, model=model),
        "minutes": ceil(rows * seconds / settings.FILL_CONCURRENCY / 60),
    }
