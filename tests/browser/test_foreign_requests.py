"""Requests of a page to other hosts are detected, even if the page handles their failure."""

from __future__ import annotations

from playwright.sync_api import Browser

from tests.browser.app_process import RunningApp
from tests.browser.foreign_requests import RefusingProxy

SEND = "(url) => fetch(url, {mode: 'no-cors'}).then(() => '', () => 'failed')"
HOSTS = ("http://192.0.2.1/a", "http://elsewhere.example/b", "https://elsewhere.example/c")


def test_requests_to_other_hosts_are_recorded_and_refused(
    app: RunningApp, browser: Browser, foreign_requests: RefusingProxy
) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto("about:blank")
    page.evaluate(SEND, f"{app.address}/healthz")
    assert foreign_requests.take_requests() == []
    for url in HOSTS:
        page.evaluate(SEND, url)
    assert foreign_requests.take_requests() == [
        "GET http://192.0.2.1/a", "GET http://elsewhere.example/b", "CONNECT elsewhere.example:443",
    ]  # fmt: skip
    context.close()
