"""JSON schemas of answers with rows, statistics and the effects of proposals, which no serializer renders."""
from __future__ import annotations

from shared.rest.openapi import (
    BOOLEAN,
    COUNT,
    ID,
    INTEGER,
    NEXT_PAGE,
    OBJECT,
    TEXT,
    Json,
    array,
    body,
    described,
    enum,
    named,
    nullable,
    ref,
    response,
)
from tables.api.schemas import ANY_CELL, CELL_VALUE
from tables.operations.queries.measures import FUNCTIONS

CELL_RANGE_END: Json = {"type": ["string", "number", "null"]}
COUNTS: Json = {**OBJECT, "additionalProperties": INTEGER}
STORED_CELLS: Json = {
    **OBJECT, "additionalProperties": CELL_VALUE, "description": "Values by column name or id, without empty cells.",
}  # fmt: skip
# The id of the change that a write has made.
CHANGE_ID = described(INTEGER, "The id of the change, which can be undone.")
CHANGE_OR_NULL = described(nullable(INTEGER), "The id of the change, which can be undone; null if nothing changed.")
NEW_VERSION = described(INTEGER, "The version of the table after the change.")
MEASURED: Json = {
    **OBJECT, "additionalProperties": {"type": ["number", "string", "null"]}, "description": "Results by column.",
}  # fmt: skip
SKIPPED = {
    "skipped": described(array(ref("Fault")), "With “on_invalid=skip”: the invalid cells, at most 1,000."),
    "skipped_count": described(INTEGER, "The number of all invalid cells."),
    "skipped_of_not_added": described(INTEGER, "The number of the invalid cells of rows that were not added."),
    "not_added": described(array(COUNT), "The positions in the request of the new rows that were not added, from 0."),
}
MANY_ADDED_ROWS = named(
    "ManyAddedRows",
    described(
        response(
            SKIPPED,
            rows=described(array(ref("Row")), "The new rows in the order of the request."),
            change=CHANGE_ID, version=NEW_VERSION,
        ),
        "The answer to a request with `rows`.",
    ),
)  # fmt: skip
# With `Prefer: return=minimal`. Each range has its first and last id.
ID_RANGES = array(array(ID, minItems=2, maxItems=2))
MINIMAL_WRITE = named(
    "WrittenIds",
    described(
        response(
            SKIPPED,
            created_count=described(COUNT, "The number of new rows."),
            created_ids=described(ID_RANGES, "Their ids, as ranges of a first and a last id: [[108, 207]]."),
            updated_count=described(COUNT, "The number of changed rows."),
            updated_ids=described(ID_RANGES, "Their ids, as ranges of a first and a last id."),
            change=CHANGE_OR_NULL, version=NEW_VERSION,
            undo=described(nullable(TEXT), "The path for the undo of the change; null if nothing changed."),
        ),
        "The answer to a request for many rows with `Prefer: return=minimal`.",
    ),
)  # fmt: skip
ADDED_ROWS = named(
    "AddedRows",
    described(
        {"anyOf": [MANY_ADDED_ROWS, ref("Row"), MINIMAL_WRITE]},
        "A Row for a request with one row, else ManyAddedRows, or WrittenIds with `Prefer: return=minimal`.",
    ),
)
UPSERTED_ROWS = named(
    "UpsertedRows",
    response(
        created=described(array(ref("Row")), "The rows that were added."),
        updated=described(array(ref("Row")), "The rows that were found, also those that had these values already."),
        change=CHANGE_OR_NULL, version=NEW_VERSION,
    ),
)
UPSERTED = named(
    "Upserted",
    described(
        {"anyOf": [UPSERTED_ROWS, MINIMAL_WRITE]}, "UpsertedRows, or WrittenIds with `Prefer: return=minimal`."
    ),
)
MANY_CHANGED_ROWS = named(
    "ManyChangedRows",
    response(
        SKIPPED,
        rows=described(array(ref("Row")), "The rows of the request in their order, with all cells."),
        change=CHANGE_OR_NULL, version=NEW_VERSION,
    ),
)  # fmt: skip
CHANGED_ROWS = named(
    "ChangedRows",
    described(
        {"anyOf": [MANY_CHANGED_ROWS, MINIMAL_WRITE]}, "ManyChangedRows, or WrittenIds with `Prefer: return=minimal`."
    ),
)
DELETED_ROWS = named(
    "DeletedRows",
    response(
        deleted=described(array(INTEGER), "The ids of the deleted rows."), change=CHANGE_ID, version=NEW_VERSION
    ),
)
MOVED_ROWS = named(
    "MovedRows",
    response(
        moved=described(array(INTEGER), "The ids of the rows of the request."),
        change=CHANGE_OR_NULL, version=NEW_VERSION,
    ),
)  # fmt: skip
ROW_COUNT = named(
    "RowCount",
    described(
        response(
            value=described(COUNT, "The number."), exact=described(BOOLEAN, "Whether it is exact, not an estimate.")
        ),
        "The number of all rows that match; null with “count=none”.",
    ),
)
ROWS = named(
    "Rows",
    response(rows=described(array(ref("Row")), "The rows of the page."), count=nullable(ROW_COUNT), next=NEXT_PAGE),
)
FOUND_ROWS = named(
    "FoundRows",
    response(
        found=described(
            array(
                named(
                    "FoundRow",
                    response(
                        index=described(INTEGER, "The position in the view, from 0."),
                        id=described(INTEGER, "The id of the row."),
                    ),
                )
            ),
            "The rows that were found, in the order of the view; at most 1,000.",
        ),
        count=described(INTEGER, "The number of all rows that were found."),
    ),
)
STATS = named(
    "Stats",
    response(
        row_count=described(INTEGER, "The number of rows that match."),
        columns=described(
            {
                **OBJECT,
                "additionalProperties": response(
                    {
                        "counts": described(
                            COUNTS,
                            "The number of rows: of a select or multi_select column by option, also 0, of a person "
                            "column by the id of the person as text, of a boolean column by true and false.",
                        ),
                        "min": described(CELL_RANGE_END, "Of a number or date column: the lowest value."),
                        "max": described(CELL_RANGE_END, "Of a number or date column: the highest value."),
                    },
                    empty=described(INTEGER, "The number of rows without a value."),
                ),
            },
            "Statistics by column name, or id with “keys=id”.",
        ),
    ),
)
CHOICES = named(
    "OptionCounts",
    response(
        columns=described(
            {**OBJECT, "additionalProperties": COUNTS},
            "By column, then by option or by the id of a person as text: the number of rows that would match if it "
            "were the only one filtered by. Columns without options and people are left out.",
        )
    ),
)
GROUPS = named(
    "RowGroups",
    response(
        groups=described(array(ref("RowGroup")), "The groups of the page."),
        count=described(INTEGER, "The number of all groups."),
        row_count=described(INTEGER, "The number of all rows that match."), next=NEXT_PAGE,
    ),
)  # fmt: skip
APPLIED_OR_PREVIEW = named(
    "AppliedOrPreview",
    described({"anyOf": [ref("Applied"), ref("Preview")]}, "Applied, or with “dry_run=true” the Preview."),
)
PLANNED: Json = {
    **OBJECT,
    "additionalProperties": named(
        "PlannedValue",
        {
            "anyOf": [CELL_VALUE, array(TEXT), {**OBJECT, "additionalProperties": TEXT}],
            "description": "A cell, or a part of the definition of a column.",
        },
    ),
}
NOTE = named(
    "Note",
    response(
        {
            "column": {**TEXT, "description": "The name or id of a column, as chosen with “keys”."},
            "value": {"description": "The value that the note is about."},
            "message_code": described(TEXT, "The code of the text in “detail”, for translations."),
            "params": described(OBJECT, "The values in “detail”."),
        },
        code=described(TEXT, "What the note is about, such as “cell_changed”. Codes do not change."),
        detail=described(TEXT, "The same for people, in English."),
    ),
)
WRITTEN: Json = {
    **INTEGER, "description": "The index in the request, if it is another: a condition is an operation for each row.",
}  # fmt: skip
OF_OPERATION: Json = {
    "row_id": described(INTEGER, "The id of the row, of operations on rows."),
    "column_id": described(TEXT, "The id of the column, of operations on columns."),
    "written": WRITTEN,
}
OPERATION_INDEX = described(INTEGER, "The index of the operation, from 0.")
OPERATION_ACTION = described(TEXT, "The action of the operation, such as “update”.")
LOSS = named(
    "Loss",
    response(
        **{
            "row_id": described(INTEGER, "The id of the row."),
            "from": described(ANY_CELL, "The value now."),
            "to": described(ANY_CELL, "The value after it; null if it is cleared."),
        }
    ),
)
LOSSES = named(
    "Losses",
    described(
        response(
            cleared=described(INTEGER, "The number of values that become empty."),
            converted=described(INTEGER, "The number of values that are converted."),
            examples=described(array(LOSS), "Some of these values."),
        ),
        "The values that a change of a column loses or converts.",
    ),
)
FORMAT_EXAMPLE = named(
    "FormatExample",
    response(
        {"converted": described(ANY_CELL, "The value after the change, if the change of the format converts values.")},
        value=described(ANY_CELL, "The stored value."),
        was=described(TEXT, "Its text before the change of the format, in English."),
        now=described(TEXT, "Its text after the change."),
    ),
)
PLANNED_OPERATION = named(
    "PlannedOperation",
    response(
        {
            **OF_OPERATION,
            "column": ref("Column"), "losses": LOSSES,
            "examples": described(array(FORMAT_EXAMPLE), "Up to three values before and after a change of the format."),
            "skipped": described(TEXT, "The reason for which the operation is not applied."),
            "reason": described(TEXT, "The reason that the operation in the request has."),
        },
        index=OPERATION_INDEX, action=OPERATION_ACTION,
        state=named(
            "OperationState",
            described(
                enum("ok", "warning", "conflict", "error"), "Whether it can be applied; the notes say why not."
            ),
        ),
        old=described(PLANNED, "Cells, or fields of the column, before the operation."),
        new=described(PLANNED, "Cells, or fields of the column, after the operation."),
        notes=described(array(NOTE), "Explanations of the state."),
    ),
)  # fmt: skip
# The fields that only faults of tables have.
FAULT_FIELDS: dict[str, Json] = {"row_id": described(ID, "The id of the row that it is about; absent without one.")}
# The fields that only some errors of tables have, with their statuses and codes.
ERROR_FIELDS: dict[str, Json] = {
    "version": described(
        INTEGER, "412: the current version of the row that “errors” names, else of the table; absent if it names "
        "several. 409 “plan_changed”, 422 “unknown_version”: the version of the table."
    ),
    "changes": described(
        {"anyOf": [array(ref("Change")), INTEGER]},
        "409 “plan_changed”: the changes since the dry run, the newest first. 409 “changed_since”: the number of later "
        "changes that are not undone.",
    ),
    "conflicts": described(
        INTEGER, "409 of an undo or a redo: the number of conflicts, of which “errors” has the first 1,000."
    ),
    "change": described(INTEGER, "409 “already_undone”, “not_undone”: the id of the last undo or redo of the change."),
    "row_id": described(INTEGER, "422 “not_for_xlsx”: the row with the cell that the format cannot contain."),
    "instead": described(enum("csv"), "422 “not_for_xlsx”: a format that can contain all cells."),
}  # fmt: skip
SOURCE_FIELDS = {"url": "The address.", "title": "The title.", "quote": "What it says."}
COMPONENTS: dict[str, Json] = {
    "Row": described(
        response(
            {
                "change": described(
                    nullable(INTEGER), "In answers to writes of one row: the id of the change; null if nothing changed."
                ),
                "origins": described(
                    {"type": "object", "additionalProperties": ref("Origin")},
                    "With the parameter “origins”: where values come from that fills have found, by column.",
                ),
            },
            id=described(INTEGER, "The id of the row."),
            version=described(INTEGER, "The version of the row."),
            data=STORED_CELLS,
        ),
        "A row.",
    ),
    "Origin": described(
        response(
            fill=described(TEXT, "The id of the fill, which may be deleted."),
            model=described(TEXT, "The model that found the value."),
            at=described(TEXT, "When it was applied."),
            confidence=described(TEXT, "high, medium or low."),
            note=described(TEXT, "What the model says about the values of the row."),
            sources=described(
                array(response(**{name: described(TEXT, text) for name, text in SOURCE_FIELDS.items()})),
                "Where the value was found.",
            ),
        ),
        "Where a value comes from. It is shown while the cell holds that value.",
    ),
    "RowGroup": response(
        group={**OBJECT, "description": "Values by column; null for empty cells. Months are such as 2027-03."},
        rows={**INTEGER, "description": "The number of rows."},
        values=described(body(dict.fromkeys(FUNCTIONS, MEASURED)), "The results by function."),
    ),
    "Applied": described(
        response(
            {"warnings": described(array(ref("Fault")), "What may not be as intended, such as “no_match”.")},
            change=CHANGE_OR_NULL, version=NEW_VERSION,
            table=described(
                response(id=described(INTEGER, "Its id."), name=described(TEXT, "Its name.")), "The table."
            ),
            applied=described(
                array(response(OF_OPERATION, index=OPERATION_INDEX, action=OPERATION_ACTION)),
                "The operations that were applied.",
            ),
            skipped=described(
                array(
                    response(
                        OF_OPERATION,
                        index=OPERATION_INDEX, action=OPERATION_ACTION,
                        reason=described(TEXT, "A code, such as “cell_changed” or “nothing_to_do”."),
                    )
                ),
                "The operations that were not applied.",
            ),
        ),
        "The answer to a proposal that was applied.",
    ),
    "Preview": described(
        response(
            {
                "plan": described(TEXT, "The value of the parameter “plan”; absent for stored proposals."),
                "cells_by_column": described(COUNTS, "Of operations on rows: the number of changed cells by column."),
                "mode": described(enum("create", "update"), "Of operations on columns: the mode of the proposal."),
                "table": described(OBJECT, "Of operations on columns: the fields of the table, such as “name”."),
                "sample_rows": described(
                    array(STORED_CELLS), "Of operations on columns: the sample rows of a new table, else empty."
                ),
                "warnings": described(array(ref("Fault")), "What may not be as intended, such as “no_match”."),
                "review": described(OBJECT, "Of a stored proposal, with “review”: its stored review."),
            },
            operations=described(array(PLANNED_OPERATION), "The operations; one with “where” is one for each row."),
            counts=described(COUNTS, "The number of operations by state (all four), and by action (those that exist)."),
            columns=described(
                array(ref("Column")), "The columns after an apply. The id of a new one is not yet the final one."
            ),
        ),
        "The effects of a proposal.",
    ),
}  # fmt: skip
