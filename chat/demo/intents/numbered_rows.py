"""The rows that a person names by the numbers beside them: "rows 3 and 5" of the view in front, in its order."""

from __future__ import annotations

from collections.abc import Sequence

from chat.demo.intents.offers import offers_for
from chat.demo.intents.reading import PAGE_ROWS, ask, failed
from chat.demo.language.numbers import spoken
from chat.demo.page import Row, read_rows
from chat.demo.reply import Reply, say
from chat.demo.request import Turn

# How far get_rows reads into a view.
MAX_NUMBER = 1_000_000


def numbered_rows(turn: Turn, *, numbers: Sequence[int]) -> list[Row] | Reply:
    """Return the rows with these numbers, or the reply that reads them or says which of them there are not."""
    known = {row.number: row for row in turn.page.samples if row.number}
    answer = turn.answer("get_rows")
    total: object = None
    if answer is not None:
        if answer.is_error or not isinstance(answer.value, dict):
            return failed(turn)
        known |= {row.number: row for row in read_rows(answer.value.get("rows"))}
        total = answer.value.get("matching_rows")
    missing = [number for number in numbers if number not in known]
    if not missing:
        return [known[number] for number in numbers]
    shown = total if isinstance(total, int) else turn.page.shown_rows
    absent = [number for number in missing if not 0 < number <= (shown if answer else MAX_NUMBER)]
    if absent:
        rows = "1 row" if shown == 1 else f"{spoken(shown)} rows"
        return say(f"There is no row {absent[0]}: this view has {rows}.", offers=offers_for(turn))
    first, last = min(missing), max(missing)
    if answer is not None or last - first >= PAGE_ROWS:
        return say(
            "These rows are too far apart for me to read in one go. Name fewer of them, or tell me a condition.",
            offers=offers_for(turn),
        )
    given = {"in_view": True, "offset": first - 1, "limit": last - first + 1}
    return ask(turn, tool="get_rows", given=given, text="Let me look.")
