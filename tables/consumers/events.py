"""The events of a table's stream."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from shared.events import Event, Json, doc, event_schemas
from tables.operations.proposals.choice import SOURCES
from tables.selectors import ChangeView


@dataclass(frozen=True, kw_only=True)
class TableChangeEvent(Event):
    """A change, as in the list of changes. `GET /api/tables/{table_id}/changes/{change_id}/` has its rows and cells."""

    type = "change"

    id: Annotated[int, doc("The id of the change.")]
    version: Annotated[int, doc("The version of the table after the change.")]
    actor: Annotated[str | None, doc("The name of the user; null for a deleted one.")]
    source: Annotated[str, doc("How the change was made.", enum=[*SOURCES])]
    summary: Annotated[str, doc("A sentence in English.")]
    counts: Annotated[Json, doc("How many rows and columns were added, changed and deleted.")]
    created_at: Annotated[str, doc("The time of the change.", format="date-time")]
    proposal_id: Annotated[str | None, doc("The id of the assistant's proposal that was applied.")]
    fill_id: Annotated[str | None, doc("The id of the fill whose results were applied.")]
    undo_of: Annotated[int | None, doc("The id of the change that this one undoes.")]
    undone_by: Annotated[int | None, doc("The id of the change that has undone this one.")]
    undoable: Annotated[bool, doc("Whether the change can be undone.")]


@dataclass(frozen=True, kw_only=True)
class TableReadyEvent(Event):
    """All changes up to this version have been sent. Later ones follow as they are made."""

    type = "ready"

    version: Annotated[int, doc("The current version of the table.")]


@dataclass(frozen=True, kw_only=True)
class TableResetEvent(Event):
    """Changes are left out. Read the table again; the stream continues after this version."""

    type = "reset"

    version: Annotated[int, doc("The current version of the table.")]
    reason: Annotated[
        Literal["expired", "too_many", "unknown_version"],
        doc(
            "expired: some are no longer stored. too_many: these are more than 1,000. unknown_version: the table has "
            "not reached the version of the request."
        ),
    ]


EVENTS = (TableChangeEvent, TableReadyEvent, TableResetEvent)
COMPONENTS = event_schemas("TableEvent", EVENTS)


def change_event(change: ChangeView) -> TableChangeEvent:
    """Return the event of a change."""
    return TableChangeEvent(**change.as_json())
