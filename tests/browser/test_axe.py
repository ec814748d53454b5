"""Every page and state has no serious axe violation and fits its screens, in the light or the dark theme."""
from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple
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
# Elements of a page that were checked on the same screen are not checked again, also after a reload and on other pages.
# Elements are the same if their attributes, text, colors, visibility and scroll bars are, and those of all elements
# around them; others are checked with all elements in them. Rules about the page as a whole run for each document.
RUN_AXE = """async ([checked, rules]) => {
  const before = new Set(checked.split(" ")), now = [], changed = [];
  const describe = (element) => {
    const {color, backgroundColor} = getComputedStyle(element);
    const visible = element.checkVisibility({opacityProperty: true, visibilityProperty: true});
    const scrolls = [element.scrollWidth > element.clientWidth, element.scrollHeight > element.clientHeight];
    const texts = [...element.childNodes].filter(({nodeType}) => nodeType === Node.TEXT_NODE).map(({data}) => data);
    const attributes = [...element.attributes].map(({name, value}) => `${name}=${value}`);
    return [element.localName, ...attributes, color, backgroundColor, visible, ...scrolls, ...texts].join();
  };
  const hash = (text) => {
    let [high, low] = [0xdeadbeef, 0x41c6ce57];
    for (let at = 0; at < text.length; at += 1) {
      high = Math.imul(high ^ text.charCodeAt(at), 2654435761);
      low = Math.imul(low ^ text.charCodeAt(at), 1597334677);
    }
    return (high >>> 0).toString(36) + (low >>> 0).toString(36);
  };
  const compare = (element, around, isIncluded) => {
    const found = hash(around + describe(element));
    const isChanged = !before.has(found);
    if (isChanged && !isIncluded) changed.push(element);
    now.push(found);
    for (const child of element.children) compare(child, found, isChanged || isIncluded);
  };
  const {lang, dir} = document.documentElement;
  const {className, dataset} = document.body;
  for (const child of document.body.children) compare(child, JSON.stringify([lang, dir, className, dataset]), false);
  const run = async (included, runOnly) => {
    // Django's own: a name that is the alternative text of an image, which one of the rules does not read; named spans.
    // The operations of the API all have the same markup.
    const django = ["#searchbar", ".selector .help-tooltip"], repeated = [".docs__operation:nth-of-type(n + 3)"];
    const context = {include: included, exclude: [...django, ...repeated]};
    const {violations} = await axe.run(context, {
      resultTypes: ["violations"], preload: false, ...(runOnly.length ? {runOnly} : {}),
    });
    const grave = violations.filter(({impact}) => impact === "serious" || impact === "critical");
    return grave.flatMap(({id, nodes}) => nodes.map(({target, failureSummary}) =>
      `${id} at ${target.join(" ")}: ${failureSummary.replace(/\\s+/g, " ")}`));
  };
  const ofPages = axe._audit.rules.filter(({enabled, pageLevel, selector}) =>
    enabled && (pageLevel || /^(html|body|meta)\\b/.test(selector))).map(({id}) => id);
  const found = window.isChecked ? [] : await run([document.documentElement], ofPages);
  window.isChecked = true;
  if (changed.length) found.push(...await run(changed, rules));
  return [found, now.join(" ")];
}"""
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


LIGHT = Screen(narrow=False, dark=False)
DARK = Screen(narrow=False, dark=True)
WIDE_AND_NARROW = (LIGHT, Screen(narrow=True, dark=True))


def screens_of_states(walk: Iterator[State], screens: Sequence[Screen]) -> Iterator[tuple[State, Screen, bool]]:
    """Yield each state of a walk with a screen, and whether it is the first state of its page.

    The pages of a walk have the screens in turn, and all states of a page the same one. Colors come from the same
    tokens everywhere.
    """
    turns: dict[str, int] = {}
    for state in walk:
        page = re.sub(r"\d+", "N", urlsplit(state.page.url).path)
        is_first = page not in turns
        yield state, screens[turns.setdefault(page, len(turns)) % len(screens)], is_first


def check(walk: Iterator[State], screens: Sequence[Screen]) -> None:
    """Expect no violation in any state of a walk, and each page to fit all screens."""
    found = []
    checked: dict[Screen, set[str]] = {screen: set() for screen in screens}
    for (name, page), screen, is_first in screens_of_states(walk, screens):
        size = page.viewport_size
        assert size is not None
        if screen.narrow:
            page.set_viewport_size(PHONE)
        faults = find_faults(page, dark=screen.dark, checked=checked[screen])
        found += [f"{name}, {screen}: {fault}" for fault in faults]
        if is_first and not screen.narrow and any(other.narrow for other in screens):
            page.set_viewport_size(PHONE)
            found += [f"{name}, narrow: {fault}" for fault in find_overflow(page)]
        if page.viewport_size != size:
            page.set_viewport_size(size)
    assert not found, "\n".join(found)


def find_faults(page: Page, *, dark: bool, checked: set[str], rules: Sequence[str] = ()) -> list[str]:
    """Return the violations of a page in its current state and this color scheme, by these rules or by all.

    Elements in `checked`, to which the elements of the page are added, are not checked again.
    """
    # Evaluated by the debugger: the page's Content Security Policy would refuse a script element.
    if not page.evaluate("'axe' in window"):
        tools = page.context.new_cdp_session(page)
        # Unlike `page.evaluate`, this lets the browser reuse the compiled script.
        tools.send("Runtime.evaluate", {"expression": AXE})
        tools.detach()
        page.evaluate(LEAVE_OUT_MINOR_RULES)
    scheme: Literal["dark", "light"] = "dark" if dark else "light"
    page.emulate_media(color_scheme=scheme)
    found, seen = page.evaluate(RUN_AXE, [" ".join(checked), list(rules)])
    checked.update(seen.split())
    return [*found, *find_overflow(page)]


def find_overflow(page: Page) -> list[str]:
    """Return a violation if the page is wider than its screen."""
    return ["wider than the screen"] if page.evaluate(TOO_WIDE) else []


def in_turn(walks: Sequence[Walk], screens: Sequence[Screen]) -> list[Any]:
    """Return test parameters: each walk with the screens, of which walks start with each in turn."""
    turned = [(*screens[turn:], *screens[:turn]) for turn in range(len(screens))]
    return [pytest.param(walk, turned[at % len(turned)], id=walk.__name__) for at, walk in enumerate(walks)]


@pytest.mark.parametrize(
    ("walk", "screens"),
    [
        *in_turn([walk for walk in WALKS if walk not in WALKS_ON_A_PHONE], WIDE_AND_NARROW),
        *in_turn(REVIEWS, [LIGHT]),
    ],
)
def test_pages_are_accessible(
    walk: Walk,
    screens: Sequence[Screen],
    scripted: ScriptedModel,
    scripted_app: RunningApp,
    open_page: Callable[..., Page],
) -> None:
    check(walk(Stage(app=scripted_app, model=scripted, open_page=open_page, phone=False)), screens)


@pytest.mark.parametrize(
    ("walk", "screens"),
    [*in_turn(REVIEWS, [DARK]), *in_turn(CHAT, [LIGHT, DARK])],
)
def test_pages_are_accessible_on_a_phone(
    walk: Walk,
    screens: Sequence[Screen],
    scripted: ScriptedModel,
    scripted_app: RunningApp,
    open_page: Callable[..., Page],
) -> None:
    check(walk(Stage(app=scripted_app, model=scripted, open_page=open_page, phone=True)), screens[:1])
