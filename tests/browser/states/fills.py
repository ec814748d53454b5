"""States of a fill: the dialog with tried rows, the review with the card of a result, and the origin of a value."""
from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from playwright.sync_api import expect

from tests.browser.small_table import cell
from tests.browser.states.stage import Stage, State
from tests.scripted_model import Reply, use

# Value, confidence and note by company. The rows may be sent in any order.
RESULTS: dict[str, tuple[Any, str, str]] = {
    "Acme": (3000, "high", "Three times as much as the others."),
    "Bolt": (None, "low", "The row does not say it."),
    "Crux": (1500, "low", "A guess."),
}


def fills(stage: Stage) -> Iterator[State]:
    """A column is tried on all three rows, filled, reviewed and applied."""
    page = stage.open_blank()
    stage.open_table(page)
    page.get_by_role("columnheader", name="Salary").click(button="right")
    page.get_by_role("menuitem", name="Fill with the assistant").click()
    dialog = page.get_by_role("dialog", name="Fill “Salary” with the assistant")
    dialog.get_by_role("textbox", name="What should be found").fill("Guess the salary at {Company}.")
    dialog.get_by_role("radio", name="All rows").check()
    dialog.get_by_text("Show the model examples").click()
    stage.model.add(*[_recorded] * len(RESULTS))
    dialog.get_by_role("button", name="Try 3 rows").click()
    expect(dialog.get_by_text("A guess.")).to_be_visible()
    yield State("fill-dialog", page)
    dialog.get_by_role("button", name="Fill 3 rows").click()
    bar = page.get_by_role("region", name="Fill", exact=True)
    expect(bar.get_by_role("button", name="Discard")).to_be_visible()
    cell(page, 2, 2).click()
    expect(page.get_by_role("group", name="Result", exact=True)).to_contain_text("Low confidence")
    yield State("fill-review", page)
    bar.get_by_role("button", name="Apply 2 rows").click()
    expect(cell(page, 0, 2)).to_have_class(re.compile("has-origin"))
    cell(page, 0, 2).click()
    page.keyboard.press("Shift+F2")
    expect(page.get_by_role("group", name="Where this value comes from")).to_be_visible()
    yield State("fill-origin", page)


def _recorded(request: dict[str, Any]) -> Reply:
    """Return the reply to a request about a row: the result of its company, for the column that the request names."""
    (column,) = request["tools"][0]["input_schema"]["properties"]["values"]["properties"]
    row = json.dumps(request["messages"])
    value, confidence, note = next(result for company, result in RESULTS.items() if company in row)
    answer = {"values": {column: value}, "confidence": confidence, "note": note, "sources": []}
    return use(("record_result", answer))
