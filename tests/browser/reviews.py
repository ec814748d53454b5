"""A proposal about the open table, as the scripted model makes it, and where a person looks it over."""
from __future__ import annotations

import itertools
import json
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.actions import say
from tests.browser.small_table import row_ids
from tests.scripted_model import Reply, ScriptedModel
from tests.scripted_model import say as reply

Json = dict[str, Any]
UNEVEN = (1, 2, 3, 4, 5, 6, 7)
REASONS = (f"As you asked ({number})" for number in itertools.count(1))


def proposal(marker: str, *operations: Json, **more: Any) -> Reply:
    """An answer with a proposal in it."""
    content = {"reasoning": "As you asked", "operations": list(operations), **more}
    # Long ones in larger pieces: what is looked at is the proposal, not its way here.
    sizes = UNEVEN if len(operations) < 20 else (4_000,)
    return reply(f"Here it is.\n\n{marker}: {json.dumps(content)}", sizes=sizes)


def propose(page: Page, scripted: ScriptedModel, marker: str, *operations: Json, **more: Any) -> None:
    """The assistant is asked and proposes these; the page shows them, ready to be applied."""
    # By its reason it is told from one that waited before.
    reason = next(REASONS)
    scripted.add(proposal(marker, *operations, **{"reasoning": reason, **more}))
    say(page, "please")
    if "reasoning" not in more:
        expect(page.locator(".review__text")).to_contain_text(reason)
    expect(apply_button(page)).to_be_enabled()


def row_operations(page: Page) -> list[Json]:
    """Of the small table: two rows are added, the first is changed, the third is deleted."""
    first, _, third = row_ids(page)
    return [
        {"action": "add", "data": {"Company": "Dyno", "Status": "Offer", "Salary": "$3,000"}},
        {"action": "add", "data": {"Company": "Echo"}},
        {"action": "update", "row_id": first, "changes": {"Status": "Rejected"}, "reason": "No reply"},
        {"action": "delete", "row_id": third, "reason": "Empty"},
    ]


def apply_button(page: Page) -> Locator:
    """The main button of the bar, whatever it says."""
    return page.locator(".review__actions .btn--primary")


def selected(page: Page, words: str) -> None:
    """What the bar says is selected: "2 of 4 changes"."""
    expect(page.get_by_role("heading", name=f"{words} selected", exact=True)).to_be_visible()


def operation(page: Page, index: int) -> Locator:
    """The row of an operation, in the list above or where it stands."""
    return page.locator(f'tr[data-index="{index}"]')


def toasts(page: Page) -> Locator:
    """The short notes at the edge of the page."""
    return page.locator("#toasts")
