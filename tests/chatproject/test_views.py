"""Error pages, redirects and security headers of the project."""
from __future__ import annotations

from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection
from django.test import Client

from tests.conftest import Api

UNREADABLE = {
    "a form in another encoding": {"content_type": "application/x-www-form-urlencoded; charset=latin1"},
    "a foreign host": {"content_type": "application/json", "HTTP_HOST": "elsewhere.example"},
}


@pytest.fixture
def strict_client(user: User) -> Client:
    """Return a signed-in client with CSRF checks."""
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    client.get("/sign-in/")  # sets the CSRF cookie
    client.force_login(user)
    return client


@pytest.mark.parametrize("case", UNREADABLE)
def test_unreadable_api_requests_are_400_in_json(strict_client: Client, case: str) -> None:
    fields: dict[str, Any] = UNREADABLE[case]

    response = strict_client.post("/api/chat/stream/", b"a=1", **fields)

    assert response.status_code == 400
    assert response.json() == {
        "error": "malformed",
        "detail": "This request is not valid.",
        "message_code": "unreadable_request",
        "params": {},
        "request_id": response.headers["X-Request-Id"],
    }


@pytest.mark.parametrize("case", UNREADABLE)
def test_unreadable_page_requests_are_400_with_a_page(strict_client: Client, case: str) -> None:
    fields: dict[str, Any] = UNREADABLE[case]

    response = strict_client.post("/sign-in/", b"a=1", **fields)

    assert response.status_code == 400
    assert b"This request is not valid" in response.content


@pytest.mark.parametrize("path", ["/api/tables/", "/api/chat/stream/", "/tables/"])
def test_an_unavailable_database_is_a_503_with_retry_after(strict_client: Client, path: str) -> None:
    def fail(*_: object) -> None:
        raise OperationalError("couldn't get a connection after 10.00 sec")

    with connection.execute_wrapper(fail):
        response = strict_client.get(path, headers={"X-Request-Id": "3f2c"})

    assert (response.status_code, response.headers["Retry-After"]) == (503, "5")
    assert "connection" not in response.content.decode()
    if path.startswith("/api/"):
        assert response.json()["error"] == "unavailable"


@pytest.mark.parametrize("path", ["/sign-in/", "/tables/", "/tables/999999/", "/admin/"])
def test_the_content_security_policy_allows_only_own_sources(strict_client: Client, path: str) -> None:
    policy = strict_client.get(path).headers["Content-Security-Policy"]
    rules = {name: sources for name, *sources in (rule.split() for rule in policy.split(";"))}

    assert rules["default-src"] == ["'none'"]
    assert {"script-src", "style-src", "img-src", "connect-src", "frame-ancestors", "form-action"} <= set(rules)
    assert {source for sources in rules.values() for source in sources} <= {"'self'", "'none'"}


@pytest.mark.parametrize("method", ["get", "post", "put", "patch", "delete"])
def test_api_urls_without_a_trailing_slash_are_404(api: Api, method: str) -> None:
    response = getattr(api.client, method)("/api/tables", content_type="application/json")
    assert (response.status_code, response.json()["error"]) == (404, "not_found")
    assert "/api/tables/" in response.json()["detail"]
    assert "X-RateLimit-Limit" in response.headers


def test_pages_without_a_trailing_slash_redirect(api: Api) -> None:
    assert api.client.get("/tables").headers["Location"] == "/tables/"


def test_a_csrf_failure_links_back_to_the_page(strict_client: Client) -> None:
    page = "http://testserver/profile/?x=1&y=<b>"
    response = strict_client.post("/profile/", {"csrfmiddlewaretoken": "x" * 32}, headers={"Referer": page})
    text = unescape(response.content.decode())
    assert (response.status_code, "This page has expired" in text) == (403, True)
    assert (f'href="{page}"' in text, "Table Chat" in text, "CSRF" in text) == (True, True, False)


@pytest.mark.parametrize("page", ["https://elsewhere.example/", "javascript:alert(1)", "//elsewhere.example", ""])
def test_a_cross_site_csrf_failure_links_to_the_tables(strict_client: Client, page: str) -> None:
    response = strict_client.post("/profile/", {"do": "change", "name": "Eve"}, headers={"Referer": page})
    text = response.content.decode()
    assert (response.status_code, text.count('href="/tables/"'), "elsewhere" in text) == (403, 2, False)


def test_missing_cookies_are_explained() -> None:
    response = Client(enforce_csrf_checks=True).post("/sign-in/", {"username": "ada", "password": "x"})
    assert (response.status_code, b"Allow cookies for this site" in response.content) == (403, True)


def test_api_csrf_failures_are_json(strict_client: Client) -> None:
    response = strict_client.post("/api/tables/", {"name": "x"}, content_type="application/json")
    assert (response.status_code, response.json()["error"]) == (403, "forbidden")
