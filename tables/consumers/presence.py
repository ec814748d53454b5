"""Users who have a table open. Pure: no sockets, and the time is an argument."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from tables.consumers.messages import ConnectedUser


@dataclass(frozen=True, order=True)
class PresentUser:
    """A user with one or more open pages."""

    name: str
    user_id: int

    @property
    def initials(self) -> str:
        """One or two letters of the name."""
        words = self.name.replace(".", " ").replace("_", " ").split()
        letters = words[0][0] + words[-1][0] if len(words) > 1 else self.name[:1]
        return letters.upper()

    def as_json(self, *, you: bool) -> dict[str, Any]:
        """Return the user for a message; `you`: to the user."""
        return ConnectedUser(name=self.name, initials=self.initials, you=you).as_json()


class Presence:
    """The users of channels that sent a message in the last `ttl_seconds`."""

    def __init__(self, *, ttl_seconds: float) -> None:
        self._ttl = ttl_seconds
        self._last_seen: dict[str, tuple[PresentUser, float]] = {}

    def add(self, channel: str, *, user: PresentUser, now: float) -> None:
        """Add a channel, or renew it."""
        self._last_seen[channel] = (user, now)

    def remove(self, channel: str) -> None:
        """Remove a channel. Unknown channels are ignored."""
        self._last_seen.pop(channel, None)

    def users(self, *, now: float) -> tuple[PresentUser, ...]:
        """Return each user once, by name. Expired channels, as those of a killed process, are removed."""
        expired = [channel for channel, (_, seen_at) in self._last_seen.items() if now - seen_at > self._ttl]
        for channel in expired:
            del self._last_seen[channel]
        return tuple(sorted({user for user, _ in self._last_seen.values()}, key=attrgetter("name", "user_id")))


class EncodedUsers:
    """Users as JSON, encoded once for all sockets of a room: each of them receives all users."""

    def __init__(self, users: Sequence[PresentUser]) -> None:
        self.users = users
        self._encoded = [_encoded(user, you=False) for user in users]
        self._positions = {user: position for position, user in enumerate(users)}

    def for_user(self, user: PresentUser | None) -> str:
        """Return a JSON array of {"name", "initials", "you"}."""
        encoded = self._encoded
        if user is not None and (position := self._positions.get(user)) is not None:
            encoded = [*encoded]
            encoded[position] = _encoded(user, you=True)
        return f"[{','.join(encoded)}]"


def _encoded(user: PresentUser, *, you: bool) -> str:
    return json.dumps(user.as_json(you=you), separators=(",", ":"))
