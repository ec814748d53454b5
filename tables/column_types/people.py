"""The people of a table: its owner, its members, and those who left it. Pure, without Django."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tables.column_types.names import name_key


@dataclass(frozen=True)
class Person:
    """A user. `address` is the confirmed mail address, which is only compared and never shown; "" for none."""

    id: int
    name: str
    has_left: bool = False
    address: str = field(default="", repr=False)

    def as_json(self) -> dict[str, Any]:
        """Return the form in responses."""
        return {"id": self.id, "name": self.name, "has_left": self.has_left}


Index = Mapping[str, Sequence[Person]]


class People:
    """The people of a table, sorted by name, and the id of the user who reads it, None for a guest.

    `load` returns them in any order. It is called once, at the first use.
    """

    def __init__(self, load: Callable[[], Iterable[Person]] = tuple, *, me: int | None = None) -> None:
        self._load = load
        self.me = me

    @cached_property
    def all(self) -> tuple[Person, ...]:
        """Return all people, sorted by name without regard to case."""
        return tuple(sorted(self._load(), key=lambda person: (name_key(person.name), person.name, person.id)))

    @cached_property
    def by_id(self) -> Mapping[int, Person]:
        """Return all people by id."""
        return {person.id: person for person in self.all}

    @cached_property
    def ids(self) -> tuple[int, ...]:
        """Return the ids of all people, in the order of their names."""
        return tuple(self.by_id)

    @property
    def members(self) -> tuple[Person, ...]:
        """Return the people who have access to the table."""
        return tuple(person for person in self.all if not person.has_left)

    @cached_property
    def member_ids(self) -> frozenset[int]:
        """Return the ids of the people who have access to the table."""
        return frozenset(person.id for person in self.members)

    def named(self, text: str) -> Person | None:
        """Return the person with this name or address without regard to case; None if there is not exactly one.

        An exact name comes first, and members come before those who left.
        """
        key = name_key(text)
        for exact, names, addresses in self._indexes:
            found = exact.get(text) or names.get(key) or addresses.get(key)
            if found:
                return found[0] if len(found) == 1 else None
        return None

    @cached_property
    def _indexes(self) -> tuple[tuple[Index, Index, Index], ...]:
        """Return the members, then all people, by exact name, by name and by address without regard to case."""
        return tuple(
            (
                _by(people, lambda person: person.name),
                _by(people, lambda person: name_key(person.name)),
                _by(people, lambda person: name_key(person.address) if person.address else ""),
            )
            for people in (self.members, self.all)
        )


def _by(people: Iterable[Person], key: Callable[[Person], str]) -> Index:
    index: dict[str, list[Person]] = {}
    for person in people:
        if found := key(person):
            index.setdefault(found, []).append(person)
    return index


NO_PEOPLE = People()
