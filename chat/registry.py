"""Registries of named entries."""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Generic, Protocol, TypeVar

from chat.exceptions import RegistryError


class Named(Protocol):
    """An entry of a registry."""

    @property
    def name(self) -> str: ...


Entry = TypeVar("Entry", bound=Named)


class Registry(Generic[Entry]):
    """Entries by name, in the order of registration."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._entries: dict[str, Entry] = {}
        # Changes with every registration, so that caches can detect that they are outdated.
        self.revision = 0

    def register(self, entry: Entry) -> Entry:
        """Add an entry and return it. Raises RegistryError if the name is registered already."""
        if entry.name in self._entries:
            raise RegistryError(f"{self.kind} {entry.name!r} is registered twice.")
        self._entries[entry.name] = entry
        self.revision += 1
        return entry

    @contextmanager
    def registered(self, *entries: Entry) -> Iterator[None]:
        """Register entries for the duration of the block, for tests and trials."""
        registered_names: list[str] = []
        try:
            for entry in entries:
                self.register(entry)
                registered_names.append(entry.name)
            yield
        finally:
            for name in registered_names:
                del self._entries[name]
                self.revision += 1

    def get(self, name: str) -> Entry | None:
        """Return the entry or None."""
        return self._entries.get(name)

    def named(self, names: Iterable[str]) -> list[Entry]:
        """Return the entries of these names, each once, in this order; unknown names are ignored."""
        return [self._entries[name] for name in dict.fromkeys(names) if name in self._entries]

    def nearest(self, name: str) -> str | None:
        """Return the most similar registered name, for error messages."""
        return next(iter(get_close_matches(name, self._entries, n=1, cutoff=0.4)), None)

    def names(self) -> list[str]:
        """Return all names in order of registration."""
        return list(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(list(self._entries.values()))

    def __contains__(self, name: str) -> bool:
        return name in self._entries
