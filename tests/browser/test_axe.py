"""Every page and state has no serious axe violation and fits its screen, in the light and the dark theme."""
from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, ViewportSize

from tests.browser.app_process import RunningApp
from tests.browser.states.all_states import WALKS
from tests.browser.states.answers import log_entries
from tests.browser.states.chat import answers, conversations
from tests.browser.states.reviews import columns_under_review, rows_under_review
from tests.browser.states.stage import Stage, State, Walk
from tests.browser.states.tray import running_turns
from tests.scripted_model import ScriptedModel

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text(encoding="utf-8")
# Only serious and critical violations count, so rules that only report lesser ones need not run.
LEAVE_OUT_MINOR_RULES = """() => {
  const minor = axe._audit.rules.filter(({impact}) => impact === "minor" || impact === "moderate");
  axe.configure({rules: minor.map(({id}) => ({id, enabled: false}))});
}"""
# After its first check in a color scheme, a page is only checked where an element is new or has other attributes, text,
# colors, visibility or scroll bars than at the check before. Such an element is checked with all elements in it.
RUN_AXE = """async ([scheme, rules]) => {
  window.checkedElements ??= {light: new WeakMap(), dark: new WeakMap()};
  const before = window.checkedElements[scheme], changed = [];
  const describe = (element) => {
    const {color, backgroundColor} = getComputedStyle(element);
    const visible = element.checkVisibility({opacityProperty: true, visibilityProperty: true});
    const scrolls = [element.scrollWidth > element.clientWidth, element.scrollHeight > element.clientHeight];
    const texts = [...element.childNodes].filter(({nodeType}) => nodeType === Node.TEXT_NODE).map(({data}) => data);
    const attributes = [...element.attributes].map(({name, value}) => `${name}=${value}`);
    return [...attributes, color, backgroundColor, visible, ...scrolls, ...texts].join();
  };
  const compare = (element, isIncluded) => {
    const now = describe(element);
    const isChanged = before.get(element) !== now;
    if (isChanged && !isIncluded) changed.push(element);
    before.set(element, now);
    for (const child of element.children) compare(child, isChanged || isIncluded);
  };
  compare(document.documentElement, false);
  if (!changed.length) return [];
  // Django's own: a name that is the alternative text of an image, which one of the rules does not read; named spans.
  const found = await axe.run({include: changed, exclude: ["#searchbar", ".selector .help-tooltip"]}, {
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


class Screen(NamedTuple):
    """The size and the color scheme in which a state is checked."""

    narrow: bool
    dark: bool


WIDE_AND_NARROW = (Screen(narrow=False, dark=False), Screen(narrow=True, dark=True))
ONLY_WIDE = WIDE_AND_NARROW[:1]
ONLY_DARK = (Screen(narrow=False, dark=True),)
LIGHT_AND_DARK = (Screen(narrow=False, dark=False), Screen(narrow=False, dark=True))


def screens_of_states(
    walk: Iterator[State], screens: Sequence[Screen]
) -> Iterator[tuple[State, Screen, Sequence[str]]]:
    """Yield each state of a walk with a screen and the rules to check it by; without rules, by all.

    The first state of each page has all screens, on the others only the visual rules. Later states have the screens in
    turn: colors come from the same tokens everywhere.
    """
    pages: set[str] = set()
    for number, state in enumerate(walk):
        page = re.sub(r"\d+", "N", urlsplit(state.page.url).path)
        if page in pages:
            yield state, screens[number % len(screens)], ()
        else:
            pages.add(page)
            yield state, screens[0], ()
            yield from ((state, screen, VISUAL_RULES) for screen in screens[1:])


def check(walk: Iterator[State], screens: Sequence[Screen]) -> None:
    """Expect no violation in any state of a walk."""
    found = []
    for (name, page), screen, rules in screens_of_states(walk, screens):
        size = page.viewport_size
        assert size is not None
        if screen.narrow:
            page.set_viewport_size(PHONE)
        found += [f"{name}, {screen}: {fault}" for fault in faults(page, dark=screen.dark, rules=rules)]
        if screen.narrow:
            page.set_viewport_size(size)
    assert not found, "\n".join(found)


def faults(page: Page, *, dark: bool, rules: Sequence[str]) -> list[str]:
    """Return the violations of a page in its current state and this color scheme, by these rules or by all."""
    # Evaluated by the debugger: the page's Content Security Policy would refuse a script element.
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
        page.evaluate(LEAVE_OUT_MINOR_RULES)
    scheme: Literal["dark", "light"] = "dark" if dark else "light"
    page.emulate_media(color_scheme=scheme)
    found: list[str] = page.evaluate(RUN_AXE, [scheme, list(rules)])
    return found + (["wider than the screen"] if page.evaluate(TOO_WIDE) else [])


@pytest.mark.parametrize("walk", [walk for walk in WALKS if walk not in CHAT], ids=lambda walk: walk.__name__)
def test_pages_are_accessible(
    walk: Walk, scripted: ScriptedModel, scripted_app: RunningApp, open_page: Callable[..., Page]
) -> None:
    stage = Stage(app=scripted_app, model=scripted, open_page=open_page, phone=False)
    check(walk(stage), ONLY_WIDE if walk in REVIEWS else WIDE_AND_NARROW)


@pytest.mark.parametrize("walk", WALKS_ON_A_PHONE, ids=lambda walk: walk.__name__)
def test_pages_are_accessible_on_a_phone(
    walk: Walk, scripted: ScriptedModel, scripted_app: RunningApp, open_page: Callable[..., Page]
) -> None:
    stage = Stage(app=scripted_app, model=scripted, open_page=open_page, phone=True)
    check(walk(stage), LIGHT_AND_DARK if walk in CHAT else ONLY_DARK)
