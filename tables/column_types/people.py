"""The people of a table: its owner, its members, and those who left it. Pure, without Django."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from shared.user_messages import declare
from tables.column_types.faults import ValueFault, shown
from tables.column_types.names import did_you_mean, name_key

NOT_A_PERSON = declare("not_a_person", "{value:quoted} is not a member of this table.{hint}")


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
    def member_values(self) -> frozenset[Any]:
        """Return the ids and the names of the people who have access to the table."""
        return frozenset(value for person in self.members for value in (person.id, person.name))

    @cached_property
    def values(self) -> frozenset[Any]:
        """Return the ids and the names of all people."""
        return frozenset(value for person in self.all for value in (person.id, person.name))

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


def unknown_person(value: Any, people: People) -> ValueFault:
    """Return the fault of a value that is no person of the table. It suggests members with similar names."""
    hint = did_you_mean(value, [person.name for person in people.members])
    return ValueFault("not_a_person", NOT_A_PERSON(value=shown(value), hint=hint))


NO_PEOPLE = People()
