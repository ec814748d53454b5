"""Every page and state has no serious axe violation and fits its screen, in the light and the dark theme."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Page, ViewportSize

from tests.browser.app_process import RunningApp
from tests.browser.states.all_states import WALKS
from tests.browser.states.answers import log_entries
from tests.browser.states.chat import answers, conversations
from tests.browser.states.reviews import columns_under_review, rows_under_review
from tests.browser.states.stage import Stage, Walk
from tests.browser.states.tray import running_turns
from tests.scripted_model import ScriptedModel

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text(encoding="utf-8")
# Only serious and critical violations count, so rules that only report lesser ones need not run.
LEAVE_OUT_MINOR_RULES = """() => {
  const minor = axe._audit.rules.filter(({impact}) => impact === "minor" || impact === "moderate");
  axe.configure({rules: minor.map(({id}) => ({id, enabled: false}))});
}"""
RUN_AXE = """async (rules) => {
  // Django's own: a name that is the alternative text of an image, which one of the rules does not read; named spans.
  const found = await axe.run({exclude: ["#searchbar", ".selector .help-tooltip"]}, {
    resultTypes: ["violations"], preload: false, ...(rules.length ? {runOnly: rules} : {}),
  });
  const grave = found.violations.filter(({impact}) => impact === "serious" || impact === "critical");
  return grave.flatMap(({id, nodes}) => nodes.map(({target, failureSummary}) =>
    `${id} at ${target.join(" ")}: ${failureSummary.replace(/\\s+/g, " ")}`));
}"""
# The serious rules whose result depends on colors, sizes and visibility: some controls exist, or have no text, only in
# narrow windows. The other rules check the same elements at every width.
VISUAL_RULES = (
    "color-contrast", "link-in-text-block", "scrollable-region-focusable",
    "aria-input-field-name", "button-name", "label", "link-name", "select-name",
)  # fmt: skip
TOO_WIDE = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
PHONE = ViewportSize(width=390, height=844)
# Walks that show more on a phone than in a window made narrow: the cards of a review, and the sheet of the chat.
REVIEWS = (rows_under_review, columns_under_review)
# The chat has the same markup at every width. Other walks show it beside a page too.
CHAT = (answers, conversations, running_turns, log_entries)
WALKS_ON_A_PHONE = (*REVIEWS, *CHAT)


def faults(page: Page, *, dark: bool, rules: Sequence[str] = ()) -> list[str]:
    """Return the violations of a page in its current state and this color scheme, by these rules or by all."""
    # Evaluated by the debugger: the page's Content Security Policy would refuse a script element.
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
        page.evaluate(LEAVE_OUT_MINOR_RULES)
    page.emulate_media(color_scheme="dark" if dark else "light")
    found: list[str] = page.evaluate(RUN_AXE, list(rules))
    return found + (["wider than the screen"] if page.evaluate(TOO_WIDE) else [])


@pytest.mark.parametrize("walk", [walk for walk in WALKS if walk not in CHAT], ids=lambda walk: walk.__name__)
def test_pages_are_accessible(
    walk: Walk, scripted: ScriptedModel, scripted_app: RunningApp, open_page: Callable[..., Page]
) -> None:
    """Check wide and light, then narrow and dark: colors come from the same tokens at every width."""
    stage = Stage(app=scripted_app, model=scripted, open_page=open_page, phone=False)
    found = []
    for name, page in walk(stage):
        found += [f"{name}: {fault}" for fault in faults(page, dark=False)]
        wide = page.viewport_size
        if walk in REVIEWS or wide is None:
            continue
        page.set_viewport_size(PHONE)
        found += [f"{name}, narrow: {fault}" for fault in faults(page, dark=True, rules=VISUAL_RULES)]
        page.set_viewport_size(wide)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("walk", WALKS_ON_A_PHONE, ids=lambda walk: walk.__name__)
def test_pages_are_accessible_on_a_phone(
    walk: Walk, scripted: ScriptedModel, scripted_app: RunningApp, open_page: Callable[..., Page]
) -> None:
    stage = Stage(app=scripted_app, model=scripted, open_page=open_page, phone=True)
    found = []
    for name, page in walk(stage):
        if walk in CHAT:
            found += [f"{name}: {fault}" for fault in faults(page, dark=False)]
        rules = VISUAL_RULES if walk in CHAT else ()
        found += [f"{name}, dark: {fault}" for fault in faults(page, dark=True, rules=rules)]
    assert not found, "\n".join(found)
