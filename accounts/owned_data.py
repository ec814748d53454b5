"""Data that other apps store for users: its export, its deletion, changed addresses."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from shared import strictjson

Json = dict[str, Any]


class OwnedData:
    """The data that one app stores for users. Its methods do nothing; an app overrides those that apply.

    An app registers an instance in `AppConfig.ready`. Rows that are deleted with the user by a foreign key with
    `CASCADE` need no `close` and no `remains`.
    """

    # Text about `files`, for the README of the archive.
    readme = ""

    def profile(self, user: Any, *, now: datetime) -> Json:
        """Return further members of `profile.json` in the archive of the user's data."""
        return {}

    def files(self, user: Any) -> Iterator[tuple[str, Iterable[str]]]:
        """Yield the files of the archive: their name, and their text in pieces."""
        return iter(())

    def contents(self, user: Any) -> Iterator[tuple[str, Iterable[bytes]]]:
        """Yield further files of the archive that are not packed again: their name, and their content in pieces."""
        return iter(())

    def deletion_context(self, user: Any, *, choices: Mapping[str, str]) -> Json:
        """Return variables for the template of the page on which users delete their account.

        `choices` are the fields that the user has sent.
        """
        return {}

    def close(self, *, user: Any, choices: Mapping[str, str], now: datetime) -> None:
        """Delete or transfer the user's objects, in the transaction that closes the account.

        `choices` are the fields of the form. A CodedError prevents the deletion and is shown to the user.
        """

    def remains(self, user_id: int) -> bool:
        """Return whether a closed account has objects that must be deleted before the user."""
        return False

    def address_confirmed(self, *, user: Any, address: str) -> None:
        """Handle that the user confirmed an e-mail address."""

    def address_removed(self, *, user: Any) -> None:
        """Handle that the user no longer has the confirmed e-mail address."""


_registered: list[OwnedData] = []


def register_owned_data(data: OwnedData) -> None:
    """Register the data of an app."""
    _registered.append(data)


def owned_data() -> tuple[OwnedData, ...]:
    """Return the data of all apps."""
    return tuple(_registered)


def json_list(start: str, items: Iterable[Json], *, end: str) -> Iterator[str]:
    """Yield a JSON list with a line for each item."""
    yield start + "["
    for number, item in enumerate(items):
        yield (",\n" if number else "\n") + strictjson.dumps(item)
    yield "\n]" + end
