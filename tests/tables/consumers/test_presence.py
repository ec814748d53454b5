"""Who is looking: everybody once, and nobody who has fallen silent."""
from __future__ import annotations

import pytest

from tables.consumers.presence import Person, Presence

ADA, GRACE = Person("Ada Lovelace", 1), Person("grace", 2)


def test_somebody_with_two_pages_counts_once_until_both_are_closed() -> None:
    presence = Presence(ttl_seconds=75)
    for channel in ("a", "b"):
        presence.here(channel, person=ADA, now=0)
    presence.here("c", person=GRACE, now=0)
    presence.gone("a")
    assert presence.people(now=1) == (ADA, GRACE)
    presence.gone("b")
    assert presence.people(now=1) == (GRACE,)


def test_who_was_not_heard_of_for_75_seconds_is_gone() -> None:
    presence = Presence(ttl_seconds=75)
    presence.here("a", person=ADA, now=0)
    presence.here("b", person=GRACE, now=30)
    assert presence.people(now=75) == (ADA, GRACE)
    assert presence.people(now=76) == (GRACE,)


def test_two_people_of_one_name_are_two() -> None:
    presence = Presence(ttl_seconds=75)
    presence.here("a", person=Person("grace", 2), now=0)
    presence.here("b", person=Person("grace", 3), now=0)
    assert len(presence.people(now=0)) == 2


@pytest.mark.parametrize(
    ("name", "initials"),
    [("Ada Lovelace", "AL"), ("grace", "G"), ("ada.king_noel", "AN"), ("", ""), ("Ωmega", "Ω")],
    ids=["two words", "one word", "dots and lines", "none", "another script"],
)
def test_initials_stand_for_a_name(name: str, initials: str) -> None:
    assert Person(name, 1).initials == initials
