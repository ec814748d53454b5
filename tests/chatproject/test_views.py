"""Answers that belong to no app: the error pages, and the headers that every page carries."""
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
    """Signed in, under the CSRF checks that every real request meets."""
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    client.get("/sign-in/")  # gives the CSRF cookie
    client.force_login(user)
    return client


@pytest.mark.parametrize("case", UNREADABLE)
def test_what_no_view_can_read_is_a_400_in_the_one_shape(strict_client: Client, case: str) -> None:
    fields: dict[str, Any] = UNREADABLE[case]

    answer = strict_client.post("/api/chat/stream/", b"a=1", **fields)

    assert answer.status_code == 400
    assert answer.json() == {
        "error": "malformed",
        "detail": "This request is not valid.",
        "message_code": "unreadable_request",
        "params": {},
        "request_id": answer.headers["X-Request-Id"],
    }


@pytest.mark.parametrize("case", UNREADABLE)
def test_what_no_page_can_read_is_a_400_with_a_page(strict_client: Client, case: str) -> None:
    fields: dict[str, Any] = UNREADABLE[case]

    answer = strict_client.post("/sign-in/", b"a=1", **fields)

    assert answer.status_code == 400
    assert b"This request is not valid" in answer.content


@pytest.mark.parametrize("path", ["/api/tables/", "/api/chat/stream/", "/tables/"])
def test_a_database_that_is_away_is_a_503_with_the_time_to_wait(strict_client: Client, path: str) -> None:
    def away(*_: object) -> None:
        raise OperationalError("couldn't get a connection after 10.00 sec")

    with connection.execute_wrapper(away):
        answer = strict_client.get(path, headers={"X-Request-Id": "3f2c"})

    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert "connection" not in answer.content.decode()
    if path.startswith("/api/"):
        assert answer.json()["error"] == "unavailable"


@pytest.mark.parametrize("path", ["/sign-in/", "/tables/", "/tables/999999/", "/admin/"])
def test_every_page_forbids_scripts_styles_and_addresses_that_are_not_its_own(strict_client: Client, path: str) -> None:
    policy = strict_client.get(path).headers["Content-Security-Policy"]
    rules = {name: sources for name, *sources in (rule.split() for rule in policy.split(";"))}

    assert rules["default-src"] == ["'none'"]
    assert {"script-src", "style-src", "img-src", "connect-src", "frame-ancestors", "form-action"} <= set(rules)
    assert {source for sources in rules.values() for source in sources} <= {"'self'", "'none'"}


@pytest.mark.parametrize("method", ["get", "post", "put", "patch", "delete"])
def test_a_call_without_its_last_slash_is_told_so_and_never_sent_on(api: Api, method: str) -> None:
    answer = getattr(api.client, method)("/api/tables", content_type="application/json")
    assert (answer.status_code, answer.json()["error"]) == (404, "not_found")
    assert "/api/tables/" in answer.json()["detail"]
    assert "X-RateLimit-Limit" in answer.headers


def test_a_page_without_its_last_slash_is_sent_on(api: Api) -> None:
    assert api.client.get("/tables").headers["Location"] == "/tables/"


def test_a_form_from_a_page_that_is_no_longer_valid_leads_back_to_that_page(strict_client: Client) -> None:
    page = "http://testserver/profile/?x=1&y=<b>"
    answer = strict_client.post("/profile/", {"csrfmiddlewaretoken": "x" * 32}, headers={"Referer": page})
    text = unescape(answer.content.decode())
    assert (answer.status_code, "This page has expired" in text) == (403, True)
    assert (f'href="{page}"' in text, "table chat" in text, "CSRF" in text) == (True, True, False)


@pytest.mark.parametrize("page", ["https://elsewhere.example/", "javascript:alert(1)", "//elsewhere.example", ""])
def test_what_another_site_sent_leads_to_ones_tables(strict_client: Client, page: str) -> None:
    answer = strict_client.post("/profile/", {"do": "change", "name": "Eve"}, headers={"Referer": page})
    text = answer.content.decode()
    assert (answer.status_code, text.count('href="/tables/"'), "elsewhere" in text) == (403, 2, False)


def test_who_allows_no_cookies_is_told_so() -> None:
    answer = Client(enforce_csrf_checks=True).post("/sign-in/", {"username": "ada", "password": "x"})
    assert (answer.status_code, b"Allow cookies for this site" in answer.content) == (403, True)


def test_a_call_that_did_not_come_from_a_page_is_refused_in_the_one_shape(strict_client: Client) -> None:
    answer = strict_client.post("/api/tables/", {"name": "x"}, content_type="application/json")
    assert (answer.status_code, answer.json()["error"]) == (403, "forbidden")
