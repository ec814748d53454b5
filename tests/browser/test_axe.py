"""No page and no state has a serious fault in the eyes of axe, is too wide for its screen, in the light or the dark."""
from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.running import RunningApp
from tests.browser.states.stage import Stage, Walk
from tests.browser.states.walks import WALKS
from tests.scripted import ScriptedModel

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text(encoding="utf-8")
LOOK = """async () => {
  // Django's own: a name that is the alternative text of an image, which one of the rules does not read; named spans.
  const found = await axe.run({exclude: ["#searchbar", ".selector .help-tooltip"]}, {
    resultTypes: ["violations"], preload: false,
  });
  const grave = found.violations.filter(({impact}) => impact === "serious" || impact === "critical");
  return grave.flatMap(({id, nodes}) => nodes.map(({target, failureSummary}) =>
    `${id} at ${target.join(" ")}: ${failureSummary.replace(/\\s+/g, " ")}`));
}"""
TOO_WIDE = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


def faults(page: Page, *, dark: bool) -> list[str]:
    """Return what is wrong with a page in its present state and this color scheme."""
    # Evaluated by the debugger: the page's Content Security Policy would refuse a script element.
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    page.emulate_media(color_scheme="dark" if dark else "light")
    found: list[str] = page.evaluate(LOOK)
    return found + (["wider than the screen"] if page.evaluate(TOO_WIDE) else [])


@pytest.mark.parametrize("phone", [False, True], ids=["wide", "phone"])
@pytest.mark.parametrize("walk", WALKS, ids=lambda walk: walk.__name__)
def test_nothing_keeps_anybody_out(
    walk: Walk, phone: bool, scripted: ScriptedModel, scripted_app: RunningApp, open_page: Callable[..., Page]
) -> None:
    """Wide in light, on a phone in dark: colors come from the same tokens at every width, so each is seen in both."""
    stage = Stage(app=scripted_app, model=scripted, open_page=open_page, phone=phone)
    found = [f"{name}: {fault}" for name, page in walk(stage) for fault in faults(page, dark=phone)]
    assert not found, "\n".join(found)
