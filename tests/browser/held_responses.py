"""Answers that are held back: what a person does meanwhile happens for certain, on a machine of any speed."""
from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import APIResponse, Page, Response, Route

TWO_FRAMES = "() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(() => go(true))))"


# About a minute: a request that never comes must not block the tests.
MAX_LOOKS = 2_000


class Held:
    """Requests to an address, held back until they are let go."""

    def __init__(self, page: Page, address: re.Pattern[str]) -> None:
        self.page = page
        self.address = address
        self.routes: list[Route] | None = []
        page.route(address, self._take)

    def _take(self, route: Route) -> None:
        if self.routes is None:
            route.continue_()
        else:
            self.routes.append(route)

    def asked(self) -> None:
        """Return when there is a request."""
        self._wait(lambda: bool(self.routes))

    def _wait(self, is_there: Callable[[], bool]) -> None:
        for _ in range(MAX_LOOKS):
            if is_there():
                return
            self.page.evaluate(TWO_FRAMES)
        raise AssertionError(f"no request to {self.address.pattern}")

    def let_go(self) -> None:
        """They are answered, and what the page draws of it is drawn."""
        routes, self.routes = self.routes or [], None
        with self.page.expect_response(self.address) as answered:
            for route in routes:
                route.continue_()
        self._drawn(answered.value)

    def _drawn(self, answer: Response) -> None:
        # Of an answer the page has heard once all of it is there, not yet with its first line.
        answer.finished()
        # Perhaps the page goes elsewhere because of it: then the next one is waited for.
        self.page.wait_for_function(TWO_FRAMES)


class HeldAnswers(Held):
    """Answers to requests to an address, given by the server at once and held back on their way: they grow old."""

    def __init__(self, page: Page, address: re.Pattern[str]) -> None:
        self.answers: list[APIResponse] = []
        super().__init__(page, address)

    def _take(self, route: Route) -> None:
        answer = route.fetch()
        if self.routes is None:
            route.fulfill(response=answer)
        else:
            self.routes.append(route)
            self.answers.append(answer)

    def given(self) -> None:
        """Returns once the server has given one: what happens from then on is not in it."""
        self._wait(lambda: bool(self.answers))

    def let_go(self) -> None:
        """They arrive, and what the page draws of them is drawn."""
        routes, self.routes = self.routes or [], None
        with self.page.expect_response(self.address) as answered:
            for route, answer in zip(routes, self.answers, strict=True):
                route.fulfill(response=answer)
        self._drawn(answered.value)
