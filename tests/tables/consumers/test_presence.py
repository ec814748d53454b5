"""Presence: users are listed once and expire without heartbeats."""
from __future__ import annotations

import pytest

from tables.consumers.presence import Presence, PresentUser

ADA, GRACE = PresentUser("Ada Lovelace", 1), PresentUser("grace", 2)


def test_a_user_with_two_pages_is_listed_once_until_both_are_closed() -> None:
    presence = Presence(ttl_seconds=75)
    for channel in ("a", "b"):
        presence.add(channel, user=ADA, now=0)
    presence.add("c", user=GRACE, now=0)
    presence.remove("a")
    assert presence.users(now=1) == (ADA, GRACE)
    presence.remove("b")
    assert presence.users(now=1) == (GRACE,)


def test_users_expire_after_75_seconds() -> None:
    presence = Presence(ttl_seconds=75)
    presence.add("a", user=ADA, now=0)
    presence.add("b", user=GRACE, now=30)
    assert presence.users(now=75) == (ADA, GRACE)
    assert presence.users(now=76) == (GRACE,)


def test_users_with_the_same_name_are_listed_separately() -> None:
    presence = Presence(ttl_seconds=75)
    presence.add("a", user=PresentUser("grace", 2), now=0)
    presence.add("b", user=PresentUser("grace", 3), now=0)
    assert len(presence.users(now=0)) == 2


@pytest.mark.parametrize(
    ("name", "initials"),
    [("Ada Lovelace", "AL"), ("grace", "G"), ("ada.king_noel", "AN"), ("", ""), ("Ωmega", "Ω")],
    ids=["two words", "one word", "dots and lines", "none", "another script"],
)
def test_initials_of_names(name: str, initials: str) -> None:
    assert PresentUser(name, 1).initials == initials
