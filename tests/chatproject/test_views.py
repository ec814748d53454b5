"""Answers that belong to no app: the error pages, and the headers that every page carries."""
from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

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
        "detail": "This request cannot be read.",
        "request_id": answer.headers["X-Request-Id"],
    }


@pytest.mark.parametrize("case", UNREADABLE)
def test_what_no_page_can_read_is_a_400_with_a_page(strict_client: Client, case: str) -> None:
    fields: dict[str, Any] = UNREADABLE[case]

    answer = strict_client.post("/sign-in/", b"a=1", **fields)

    assert answer.status_code == 400
    assert b"This request cannot be read" in answer.content


@pytest.mark.parametrize("path", ["/sign-in/", "/tables/", "/tables/999999/", "/admin/"])
def test_every_page_forbids_scripts_styles_and_addresses_that_are_not_its_own(strict_client: Client, path: str) -> None:
    policy = strict_client.get(path).headers["Content-Security-Policy"]
    rules = {name: sources for name, *sources in (rule.split() for rule in policy.split(";"))}

    assert rules["default-src"] == ["'none'"]
    assert {"script-src", "style-src", "img-src", "connect-src", "frame-ancestors", "form-action"} <= set(rules)
    assert {source for sources in rules.values() for source in sources} <= {"'self'", "'none'"}
