"""A finger on a page that was opened for a mouse: it taps, and draws what it has taken hold of."""
from __future__ import annotations

from playwright.sync_api import Locator, Page


class Finger:
    """A finger on a page that was opened for a mouse."""

    def __init__(self, page: Page) -> None:
        self.tools = page.context.new_cdp_session(page)
        self.tools.send("Emulation.setTouchEmulationEnabled", {"enabled": True})

    def tap(self, place: Locator) -> None:
        self._touch("touchStart", self._middle(place))
        self._touch("touchEnd", None)

    def draw(self, place: Locator, *, to: Locator) -> None:
        x, y = self._middle(place)
        goal = self._middle(to)
        self._touch("touchStart", (x, y))
        for step in (0.25, 0.5, 0.75, 1):
            self._touch("touchMove", (x + (goal[0] - x) * step, y + (goal[1] - y) * step))
        self._touch("touchEnd", None)

    def _middle(self, place: Locator) -> tuple[float, float]:
        place.scroll_into_view_if_needed()
        box = place.bounding_box()
        assert box is not None
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def _touch(self, kind: str, at: tuple[float, float] | None) -> None:
        points = [{"x": at[0], "y": at[1]}] if at else []
        self.tools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
