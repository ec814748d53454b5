"""What is wrong with a password is told beside the field where it is chosen; that the two differ, beside the second."""
from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from accounts.mails import reset_link

pytestmark = pytest.mark.django_db

OWN, COMMON = "a password of my own", "12345678"
FAULT = re.compile(r'id="id_password(\d)-fault"[^>]*>([^<]*)<')
Send = Callable[[str, str], Any]


def signing_up(user: User) -> Send:
    return lambda first, second: Client().post(
        "/sign-up/", {"username": "maya", "password1": first, "password2": second}
    )


def changing(user: User) -> Send:
    user.set_password(OWN)
    user.save()
    return posting(user, "/profile/password/", oldpassword=OWN)


def choosing(user: User) -> Send:
    """Of a user who came by a link, without a password."""
    user.set_unusable_password()
    user.save()
    return posting(user, "/profile/password/set/")


def forgotten(user: User) -> Send:
    client = Client()
    page = client.get(reset_link(user, origin="")).headers["Location"]
    return lambda first, second: client.post(page, {"password1": first, "password2": second})


def posting(user: User, page: str, **known: str) -> Send:
    client = Client()
    client.force_login(user)
    return lambda first, second: client.post(page, {**known, "password1": first, "password2": second})


@pytest.mark.parametrize("page", [signing_up, changing, choosing, forgotten])
@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        (COMMON, COMMON, [("1", "too common")]),
        (OWN, "another of my own", [("2", "same password")]),
        (COMMON, "1234567", [("1", "too common")]),
    ],
    ids=["common", "they differ", "both"],
)
def test_a_password_is_refused_beside_its_own_field(
    user: User, page: Callable[[User], Send], first: str, second: str, told: list[tuple[str, str]]
) -> None:
    answer = page(user)(first, second)
    found = FAULT.findall(answer.content.decode())
    assert answer.status_code == 422
    assert [place for place, _ in found] == [place for place, _ in told]
    assert all(words in said for (_, words), (_, said) in zip(told, found, strict=True))


def test_what_differs_is_told_in_formal_german() -> None:
    said = {"username": "maya", "password1": OWN, "password2": "another of my own"}
    answer = Client(headers={"Accept-Language": "de"}).post("/sign-up/", said)
    assert FAULT.findall(answer.content.decode()) == [("2", "Geben Sie zweimal dasselbe Passwort ein. ")]


@pytest.mark.parametrize("page", [signing_up, changing, choosing, forgotten])
def test_a_good_one_is_taken(user: User, page: Callable[[User], Send]) -> None:
    assert page(user)("another of my own", "another of my own").status_code == 302
