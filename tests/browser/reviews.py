"""Proposals of the scripted model for the open table, and the parts of the page where they are reviewed."""
from __future__ import annotations

import itertools
import json
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.actions import send_message
from tests.browser.small_table import row_ids
from tests.scripted_model import Reply, ScriptedModel
from tests.scripted_model import say as reply

Json = dict[str, Any]
UNEVEN = (1, 2, 3, 4, 5, 6, 7)
REASONS = (f"As you asked ({number})" for number in itertools.count(1))


def proposal(marker: str, *operations: Json, **more: Any) -> Reply:
    """Return an answer that contains a proposal."""
    content = {"reasoning": "As you asked", "operations": list(operations), **more}
    # Long proposals are sent in larger chunks, because their streaming is not what is tested.
    sizes = UNEVEN if len(operations) < 20 else (4_000,)
    return reply(f"Here it is.\n\n{marker}: {json.dumps(content)}", sizes=sizes)


def propose(page: Page, scripted: ScriptedModel, marker: str, *operations: Json, **more: Any) -> None:
    """Send a message that is answered with this proposal, and wait until the page can apply it."""
    # A unique reason distinguishes the proposal from an earlier one.
    reason = next(REASONS)
    scripted.add(proposal(marker, *operations, **{"reasoning": reason, **more}))
    send_message(page, "please")
    if "reasoning" not in more:
        expect(page.locator(".review__text")).to_contain_text(reason)
    expect(apply_button(page)).to_be_enabled()


def row_operations(page: Page) -> list[Json]:
    """Return operations for the small table: add two rows, change the first row, delete the third."""
    first, _, third = row_ids(page)
    return [
        {"action": "add", "data": {"Company": "Dyno", "Status": "Offer", "Salary": "$3,000"}},
        {"action": "add", "data": {"Company": "Echo"}},
        {"action": "update", "row_id": first, "changes": {"Status": "Rejected"}, "reason": "No reply"},
        {"action": "delete", "row_id": third, "reason": "Empty"},
    ]


def apply_button(page: Page) -> Locator:
    """Return the main button of the review bar, whatever its text."""
    return page.locator(".review__actions .btn--primary")


def selected(page: Page, words: str) -> None:
    """Expect this text before “selected” in the bar, such as "2 of 4 changes"."""
    expect(page.get_by_role("heading", name=f"{words} selected", exact=True)).to_be_visible()


def operation(page: Page, index: int) -> Locator:
    """Return the row of an operation, in the list above the grid or at its position in the grid."""
    return page.locator(f'tr[data-index="{index}"]')


def toasts(page: Page) -> Locator:
    """Return the container of the toasts."""
    return page.locator("#toasts")
