"""The messages of the socket of a table."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from shared.events import Event, JsonObject, doc


@dataclass(frozen=True, kw_only=True)
class TableChangeMessage(Event):
    """The table has changed."""

    type = "change"

    version: Annotated[int, doc("The version of the table after the change.")]
    rows: Annotated[list[int] | Literal["many"], doc("The ids of the changed rows, or “many”: read the table again.")]
    schema: Annotated[bool, doc("Whether the name, the description or the columns have changed.")]
    moved: Annotated[bool, doc("Whether the order of the rows has changed.")]
    change_id: Annotated[int | None, doc("The id of the change; null if only the new version is known.")]
    actor: Annotated[str | None, doc("The name of the user, if known.")]
    asked_as: Annotated[str | None, doc("The name that the page gave its request in X-From-Page.")] = None


@dataclass(frozen=True, kw_only=True)
class TableNewsMessage(Event):
    """Something that belongs to the table has changed, at most two a second. Read it again."""

    type = "news"

    about: Annotated[Literal["fills", "thumbnails"], doc("What has changed: fills, or files that have thumbnails now.")]
    ids: Annotated[list[str], doc("The ids of the fills or files.")]


@dataclass(frozen=True, kw_only=True)
class ConnectedUser(JsonObject):
    """A user who has the table open."""

    name: Annotated[str, doc("The name.")]
    initials: Annotated[str, doc("One or two letters of the name.")]
    you: Annotated[bool, doc("Whether this is the user of the socket.")]


@dataclass(frozen=True, kw_only=True)
class TablePresenceMessage(Event):
    """The users who have the table open: after connecting, at every change of them or of the own role, every 30 s."""

    type = "presence"

    users: list[ConnectedUser]
    version: Annotated[int, doc("The current version of the table.")]
    role: Annotated[Literal["owner", "editor", "viewer"], doc("The role of the user of the socket.")]
