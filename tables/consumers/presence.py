"""Who is looking at a table, as one socket has heard it from the others. Knows neither sockets nor the clock."""
from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter


@dataclass(frozen=True, order=True)
class Person:
    """Somebody who looks, however many pages they have open."""

    name: str
    key: int

    @property
    def initials(self) -> str:
        """Up to two letters that stand for the name."""
        words = self.name.replace(".", " ").replace("_", " ").split()
        letters = words[0][0] + words[-1][0] if len(words) > 1 else self.name[:1]
        return letters.upper()

    def as_json(self) -> dict[str, str]:
        return {"name": self.name, "initials": self.initials}


class Presence:
    """The sockets of one table that were heard of lately."""

    def __init__(self, *, ttl_seconds: float) -> None:
        self._ttl = ttl_seconds
        self._heard: dict[str, tuple[Person, float]] = {}

    def here(self, channel: str, *, person: Person, now: float) -> None:
        """A socket says that it is there."""
        self._heard[channel] = (person, now)

    def gone(self, channel: str) -> None:
        """A socket says that it ends."""
        self._heard.pop(channel, None)

    def people(self, *, now: float) -> tuple[Person, ...]:
        """Everybody once, by name. A socket that has fallen silent (its process died) does not count."""
        silent = [channel for channel, (_, heard) in self._heard.items() if now - heard > self._ttl]
        for channel in silent:
            del self._heard[channel]
        return tuple(sorted({person for person, _ in self._heard.values()}, key=attrgetter("name", "key")))


class EncodedPeople:
    """Users as JSON, encoded once for all sockets of a room: each of them receives all users."""

    def __init__(self, people: Sequence[Person]) -> None:
        self.people = people
        self._users = [_encoded(person, you=False) for person in people]
        self._positions = {person: position for position, person in enumerate(people)}

    def as_seen_by(self, person: Person | None) -> str:
        """Return a JSON array of {"name", "initials", "you"}."""
        users = self._users
        if person is not None and (position := self._positions.get(person)) is not None:
            users = [*users]
            users[position] = _encoded(person, you=True)
        return f"[{','.join(users)}]"


def _encoded(person: Person, *, you: bool) -> str:
    return json.dumps({**person.as_json(), "you": you}, separators=(",", ":"))
