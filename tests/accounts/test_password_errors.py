"""Errors of new passwords are shown at their field; a difference is shown at the second field."""
from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from accounts.mail.messages import reset_link

pytestmark = pytest.mark.django_db

VALID, COMMON = "a password of my own", "12345678"
FAULT = re.compile(r'id="id_password(\d)-fault"[^>]*>([^<]*)<')
Send = Callable[[str, str], Any]


def signing_up(user: User) -> Send:
    return lambda first, second: Client().post(
        "/sign-up/", {"username": "maya", "password1": first, "password2": second}
    )


def changing(user: User) -> Send:
    user.set_password(VALID)
    user.save()
    return posting(user, "/profile/password/", oldpassword=VALID)


def choosing(user: User) -> Send:
    """Return a function that sets a password for a user who signed in with a link."""
    user.set_unusable_password()
    user.save()
    return posting(user, "/profile/password/set/")


def forgotten(user: User) -> Send:
    client = Client()
    page = client.get(reset_link(user, origin="")).headers["Location"]
    return lambda first, second: client.post(page, {"password1": first, "password2": second})


def posting(user: User, page: str, **fields: str) -> Send:
    client = Client()
    client.force_login(user)
    return lambda first, second: client.post(page, {**fields, "password1": first, "password2": second})


@pytest.mark.parametrize("page", [signing_up, changing, choosing, forgotten])
@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (COMMON, COMMON, [("1", "too common")]),
        (VALID, "another of my own", [("2", "same password")]),
        (COMMON, "1234567", [("1", "too common")]),
    ],
    ids=["common", "different", "both"],
)
def test_password_error_is_shown_at_its_field(
    user: User, page: Callable[[User], Send], first: str, second: str, expected: list[tuple[str, str]]
) -> None:
    answer = page(user)(first, second)
    found = FAULT.findall(answer.content.decode())
    assert answer.status_code == 422
    assert [field for field, _ in found] == [field for field, _ in expected]
    assert all(text in shown for (_, text), (_, shown) in zip(expected, found, strict=True))


def test_error_for_different_passwords_is_in_formal_german() -> None:
    shown = {"username": "maya", "password1": VALID, "password2": "another of my own"}
    answer = Client(headers={"Accept-Language": "de"}).post("/sign-up/", shown)
    assert FAULT.findall(answer.content.decode()) == [("2", "Geben Sie zweimal dasselbe Passwort ein. ")]


@pytest.mark.parametrize("page", [signing_up, changing, choosing, forgotten])
def test_valid_password_is_accepted(user: User, page: Callable[[User], Send]) -> None:
    assert page(user)("another of my own", "another of my own").status_code == 302
