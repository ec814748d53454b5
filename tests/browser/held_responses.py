"""Hold requests or responses back, so that a test can act before the page has a response, at any machine speed."""
from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import APIResponse, Page, Response, Route

from tests.browser.interception import intercept

TWO_FRAMES = "() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(() => go(true))))"


# About a minute: a request that never comes must not block the tests.
MAX_CHECKS = 2_000


class HeldRequests:
    """Requests to a URL, held back until they are released."""

    def __init__(self, page: Page, address: re.Pattern[str]) -> None:
        self.page = page
        self.address = address
        self.routes: list[Route] | None = []
        intercept(page, address, self._take)

    def _take(self, route: Route) -> None:
        if self.routes is None:
            route.continue_()
        else:
            self.routes.append(route)

    def wait_for_request(self) -> None:
        self._wait(lambda: bool(self.routes))

    def _wait(self, is_there: Callable[[], bool]) -> None:
        for _ in range(MAX_CHECKS):
            if is_there():
                return
            self.page.evaluate(TWO_FRAMES)
        raise AssertionError(f"no request to {self.address.pattern}")

    def release(self) -> None:
        """Wait for a request, send all requests, and wait until the page has drawn their responses."""
        self.wait_for_request()
        routes, self.routes = self.routes or [], None
        with self.page.expect_response(self.address) as received:
            for route in routes:
                route.continue_()
        self._wait_until_drawn(received.value)

    def _wait_until_drawn(self, response: Response) -> None:
        # The page handles a response after its last byte, not after its headers.
        response.finished()
        # If the response makes the page navigate, this waits for the new page.
        self.page.wait_for_function(TWO_FRAMES)


class HeldResponses(HeldRequests):
    """Responses that the server has sent at once, held back before the page receives them: they become outdated."""

    def __init__(self, page: Page, address: re.Pattern[str]) -> None:
        self.responses: list[APIResponse] = []
        super().__init__(page, address)

    def _take(self, route: Route) -> None:
        response = route.fetch()
        if self.routes is None:
            route.fulfill(response=response)
        else:
            self.routes.append(route)
            self.responses.append(response)

    def wait_for_response(self) -> None:
        """Wait until the server has sent a response: it does not include later changes."""
        self._wait(lambda: bool(self.responses))

    def release(self) -> None:
        """Wait for a response, deliver all responses, and wait until the page has drawn them."""
        self.wait_for_response()
        routes, self.routes = self.routes or [], None
        with self.page.expect_response(self.address) as received:
            for route, response in zip(routes, self.responses, strict=True):
                route.fulfill(response=response)
        self._wait_until_drawn(received.value)
