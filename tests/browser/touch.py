"""Touch input on a page opened for a mouse: taps and drags."""
from __future__ import annotations

from playwright.sync_api import Locator, Page


class Finger:
    """A finger on a page that was opened for a mouse."""

    def __init__(self, page: Page) -> None:
        self.tools = page.context.new_cdp_session(page)
        self.tools.send("Emulation.setTouchEmulationEnabled", {"enabled": True})

    def tap(self, target: Locator) -> None:
        self._touch("touchStart", self._center(target))
        self._touch("touchEnd", None)

    def drag(self, target: Locator, *, to: Locator) -> None:
        x, y = self._center(target)
        end = self._center(to)
        self._touch("touchStart", (x, y))
        for step in (0.25, 0.5, 0.75, 1):
            self._touch("touchMove", (x + (end[0] - x) * step, y + (end[1] - y) * step))
        self._touch("touchEnd", None)

    def _center(self, target: Locator) -> tuple[float, float]:
        target.scroll_into_view_if_needed()
        box = target.bounding_box()
        assert box is not None
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def _touch(self, kind: str, point: tuple[float, float] | None) -> None:
        points = [{"x": point[0], "y": point[1]}] if point else []
        self.tools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
