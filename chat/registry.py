"""A registry: named entries, each declared once; it knows nothing of what it holds."""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Generic, Protocol, TypeVar

from chat.exceptions import RegistryError


class Named(Protocol):
    """What a registry can hold."""

    @property
    def name(self) -> str: ...


Entry = TypeVar("Entry", bound=Named)


class Registry(Generic[Entry]):
    """Entries by name, in the order of registration."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._entries: dict[str, Entry] = {}
        # Grows with every change, so that what was made of the entries can be told from what is current.
        self.revision = 0

    def register(self, entry: Entry) -> Entry:
        """Adds an entry and returns it. Raises RegistryError when the name is taken."""
        if entry.name in self._entries:
            raise RegistryError(f"{self.kind} {entry.name!r} is registered twice.")
        self._entries[entry.name] = entry
        self.revision += 1
        return entry

    @contextmanager
    def lent(self, *entries: Entry) -> Iterator[None]:
        """Within the block these entries are declared too: for tests, and for trying an entry out."""
        lent: list[str] = []
        try:
            for entry in entries:
                self.register(entry)
                lent.append(entry.name)
            yield
        finally:
            for name in lent:
                del self._entries[name]
                self.revision += 1

    def get(self, name: str) -> Entry | None:
        """The entry, or None."""
        return self._entries.get(name)

    def named(self, names: Iterable[str]) -> list[Entry]:
        """The entries of these names, each once, in the order asked for; unknown names are left out."""
        return [self._entries[name] for name in dict.fromkeys(names) if name in self._entries]

    def nearest(self, name: str) -> str | None:
        """The registered name most like this one, for messages."""
        return next(iter(get_close_matches(name, self._entries, n=1, cutoff=0.4)), None)

    def names(self) -> list[str]:
        """All names, in order of registration."""
        return list(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(list(self._entries.values()))

    def __contains__(self, name: str) -> bool:
        return name in self._entries
