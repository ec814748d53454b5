"""JSON schemas of the history of a table: changes and their rows, and the events of its stream."""
from __future__ import annotations

from shared.rest.openapi import (
    BOOLEAN,
    INTEGER,
    NEXT_PAGE,
    OBJECT,
    TEXT,
    TIME,
    UUID,
    Json,
    array,
    described,
    enum,
    named,
    nullable,
    ref,
    response,
)
from tables.api.schemas import ANY_CELL
from tables.consumers import events
from tables.operations.proposals.choice import SOURCES

CHANGE: Json = {
    "id": described(INTEGER, "The id of the change."),
    "version": described(INTEGER, "The version that the table had after it."),
    "actor": described(nullable(TEXT), "The name of the user; null if the account was deleted."),
    "source": described(enum(*SOURCES), "How it was made."),
    "summary": described(TEXT, "A line about it, for people."),
    "counts": described(
        OBJECT,
        "The number of rows, or of columns, by action; for a new table also that of its “rows” or “sample_rows”, and "
        "for an undo that of the values that it “skipped”.",
    ),
    "created_at": described(TIME, "Its time."),
    "proposal_id": described(nullable(UUID), "The id of the payload of the chat that was applied."),
    "fill_id": described(nullable(UUID), "The id of the fill whose results were applied."),
    "undo_of": described(nullable(INTEGER), "The id of the change that it undid; a redo undoes an undo."),
    "undone_by": described(nullable(INTEGER), "The id of the change that undid it."),
    "undoable": described(BOOLEAN, "Whether it can be undone now: not after an undo, but again after a redo."),
}
CHANGES_PAGE = named(
    "Changes",
    response(changes=described(array(ref("Change")), "The changes of the page, the newest first."), next=NEXT_PAGE),
)
COMPONENTS: dict[str, Json] = {
    **events.COMPONENTS,
    "Change": described(response(**CHANGE), "A change of a table."),
    "ChangeDetails": described(
        response(
            **CHANGE,
            table=described(
                nullable(
                    response(
                        was=described(OBJECT, "The fields before, such as “name”."),
                        now=described(OBJECT, "The fields after it."),
                    )
                ),
                "The changed fields of the table; null on later pages, or if none changed.",
            ),
            columns=described(
                array(
                    response(
                        id=described(TEXT, "The id of the column."), name=described(TEXT, "Its name."),
                        action=described(enum("add", "modify", "remove"), "What was done."),
                        was=described(nullable(OBJECT), "The fields before; null for a new column."),
                        now=described(
                            nullable(OBJECT),
                            "The fields after it; null for a removed column. “options”, “optionColors” and "
                            "“filterDisplay” of a new one are there for all types.",
                        ),
                    )
                ),
                "The changed columns, on the first page.",
            ),
            columns_moved=described(BOOLEAN, "Whether columns were moved; false if some were also added or removed."),
            too_large=described(BOOLEAN, "Whether the change is too large to list its columns."),
            rows=described(
                array(
                    response(
                        id=described(INTEGER, "The id of the row."),
                        name=described(TEXT, "A text that names the row: its first value."),
                        action=described(enum("add", "update", "move", "delete"), "What was done."),
                        too_large=described(BOOLEAN, "Whether the row is too large: it has no cells here then."),
                        cells={
                            **OBJECT,
                            "additionalProperties": response(
                                was=described(ANY_CELL, "The value before; null for none."),
                                now=described(ANY_CELL, "The value after it; null for none."),
                            ),
                            "description": "The changed cells by column.",
                        },
                    )
                ),
                "The rows of the page.",
            ),
            next=NEXT_PAGE,
        ),
        "A change with its rows.",
    ),
}
