"""JSON schemas of proposals and rows, which the operations pipeline parses itself and no serializer renders."""
from __future__ import annotations

from shared.rest.openapi import (
    ANY,
    BOOLEAN,
    COUNT,
    ID,
    INTEGER,
    NAME,
    OBJECT,
    PAGE_URL,
    TEXT,
    TIME,
    TITLE,
    UUID,
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
from tables.column_types.limits import HARD_LIMITS
from tables.column_types.settings import setting_schemas
from tables.column_types.spec import OPTION_COLORS
from tables.consumers import events
from tables.operations.proposals.choice import SOURCES
from tables.operations.proposals.sample_rows import MAX_SAMPLE_ROWS
from tables.operations.queries.filters import MAX_CONDITIONS
from tables.operations.queries.measures import FUNCTIONS

MAX_ROWS = 10_000
TYPES = ref("ColumnType")
CELL_VALUE = named("CellValue", {"type": ["string", "number", "boolean", "null"]})
COUNTS: Json = {**OBJECT, "additionalProperties": INTEGER}
STORED_CELLS: Json = {**OBJECT, "additionalProperties": CELL_VALUE}
FILTER_DISPLAY = named("FilterDisplay", enum("tab", "dropdown"))
COLORS: Json = {
    **OBJECT,
    "additionalProperties": named("OptionColor", enum(*OPTION_COLORS)),
    "description": "Colors by option. An option without one gets the next unused color.",
}
DEFINITION = {
    "required": nullable(BOOLEAN),
    "default": CELL_VALUE,
    "options": nullable(array(TEXT)),
    "optionColors": nullable(COLORS),
    "filterDisplay": nullable(FILTER_DISPLAY),
    **{name: nullable(schema) for name, schema in setting_schemas().items()},
}
CELLS: Json = {**OBJECT, "description": "Values by column name or id. Null and an empty text mean no value."}
SOME_CELLS: Json = {**CELLS, "minProperties": 1}
ROW_VERSION = {
    "version": {**nullable(ID), "description": "The version of the row as the client knows it; 412 if it has changed."},
}
KNOWN_CELLS = {
    "expected": {**nullable(CELLS), "description": "Cells as the client knows them; 409 if one has changed."},
}
KNOWN_ROW = {**ROW_VERSION, **KNOWN_CELLS}
CONDITION = named("Condition", body({"value": ANY}, column=TEXT, op=TEXT))
ANY_CONDITION = named("AnyCondition", body(**{"or": array(CONDITION, minItems=1, maxItems=MAX_CONDITIONS)}))
CLAUSES = array({"anyOf": [CONDITION, ANY_CONDITION]}, minItems=1, maxItems=MAX_CONDITIONS)
WHERE = named(
    "Filter",
    {
        "anyOf": [CONDITION, ANY_CONDITION, CLAUSES, named("AllConditions", body(**{"and": CLAUSES}))],
        "description": "A filter: all rows that match it now.",
    },
)
REASON = {"reason": nullable({**TEXT, "maxLength": 2_000})}
DATA_OPERATION = named(
    "DataOperation",
    {
        "anyOf": [
            named("AddRow", body(REASON, action=enum("add"), data=CELLS)),
            named("AddRowAfter", body(REASON, action=enum("add"), data=CELLS, after_row_id=ID)),
            named("AddRowBefore", body(REASON, action=enum("add"), data=CELLS, before_row_id=ID)),
            named("UpdateRow", body({**KNOWN_ROW, **REASON}, action=enum("update"), row_id=ID, changes=SOME_CELLS)),
            named(
                "UpdateRowsWhere",
                body({**KNOWN_CELLS, **REASON}, action=enum("update"), where=WHERE, changes=SOME_CELLS),
            ),
            named("DeleteRow", body({**KNOWN_ROW, **REASON}, action=enum("delete"), row_id=ID)),
            named("DeleteRowsWhere", body({**KNOWN_CELLS, **REASON}, action=enum("delete"), where=WHERE)),
        ],
    },
)
DEFINITION_CHANGES = {"name": nullable(TITLE), "type": nullable(TYPES), **DEFINITION}
CHANGES = named("DefinitionChanges", {**body(DEFINITION_CHANGES), "minProperties": 1})
EXPECTED = {
    "expected": {**nullable(CHANGES), "description": "Fields as the client knows them; 409 if one has changed."},
}
COLUMN_CHANGES = named("ColumnChanges", {**body({**DEFINITION_CHANGES, **EXPECTED}), "minProperties": 1})
COLUMN_POSITION = {"after_column_id": nullable(TEXT), **REASON}
ADD_COLUMN = named("AddColumn", body(COLUMN_POSITION, action=enum("add"), column=ref("Definition")))
COPY_COLUMN = named(
    "CopyColumn",
    body(COLUMN_POSITION, action=enum("add"), column=named("CopiedColumn", body(name=TITLE)), copy_of=TEXT),
)
SCHEMA_OPERATION = named(
    "SchemaOperation",
    {
        "anyOf": [
            ADD_COLUMN,
            COPY_COLUMN,
            named(
                "ModifyColumn",
                body(EXPECTED | REASON, action=enum("modify"), column_id=TEXT, changes=CHANGES),
            ),
            named("RemoveColumn", body(EXPECTED | REASON, action=enum("remove"), column_id=TEXT)),
            named("ReorderColumn", body(COLUMN_POSITION, action=enum("reorder"), column_id=TEXT)),
        ],
    },
)
COMMENTS = {"reasoning": nullable(TEXT), "next": nullable(TEXT)}
NAMES = {**COMMENTS, "table_name": nullable(TITLE), "table_description": nullable(TEXT), "sample_rows": ANY}

MEASURED: Json = {
    **OBJECT, "additionalProperties": {"type": ["number", "string", "null"]}, "description": "Results by column.",
}  # fmt: skip

# Where new rows are added, unless at the end.
POSITIONS: tuple[Json, ...] = ({}, {"after_row_id": nullable(ID)}, {"before_row_id": nullable(ID)})
SKIPPED = {
    "skipped": array(ref("Fault")), "skipped_count": INTEGER, "skipped_of_not_added": INTEGER,
    "not_added": array(COUNT),
}  # fmt: skip
MANY_CELLS = array(CELLS, minItems=1, maxItems=MAX_ROWS)
ROW_IDS = array(ID, uniqueItems=True, minItems=1, maxItems=MAX_ROWS)
NEW_ROWS = named(
    "NewRows",
    {
        "anyOf": [
            CELLS,
            *(
                named(name, body(position, rows=MANY_CELLS))
                for name, position in zip(("ManyRows", "ManyRowsAfter", "ManyRowsBefore"), POSITIONS, strict=True)
            ),
        ],
    },
)
MANY_ADDED_ROWS = named("ManyAddedRows", response(SKIPPED, rows=array(ref("Row")), change=INTEGER, version=INTEGER))
# With `Prefer: return=minimal`. Each range has its first and last id.
ID_RANGES = array(array(ID, minItems=2, maxItems=2))
MINIMAL_WRITE = named(
    "WrittenIds",
    response(
        SKIPPED,
        created_count=COUNT, created_ids=ID_RANGES, updated_count=COUNT, updated_ids=ID_RANGES,
        change=nullable(INTEGER), version=INTEGER, undo=nullable(TEXT),
    ),
)  # fmt: skip
ADDED_ROWS = named("AddedRows", {"anyOf": [MANY_ADDED_ROWS, ref("Row"), MINIMAL_WRITE]})
UPSERTED_ROW = {"anyOf": [CELLS, named("VersionedCells", body(ROW_VERSION, data=CELLS))]}
UPSERT = named(
    "Upsert",
    body(
        merge_on=array(NAME, minItems=1, uniqueItems=True),
        rows=array(UPSERTED_ROW, minItems=1, maxItems=MAX_ROWS),
    ),
)
UPSERTED_ROWS = named(
    "UpsertedRows",
    response(created=array(ref("Row")), updated=array(ref("Row")), change=nullable(INTEGER), version=INTEGER),
)
UPSERTED = named("Upserted", {"anyOf": [UPSERTED_ROWS, MINIMAL_WRITE]})
CHANGED_ROW = named("ChangedRow", body(KNOWN_ROW, id=ID, data=SOME_CELLS))
ROW_CHANGES = named(
    "RowChanges",
    body(
        {"new_columns": array(NAME, minItems=1, maxItems=HARD_LIMITS.columns)},
        rows=array(
            {"anyOf": [CHANGED_ROW, named("AddedRow", body(id={"type": "null"}, data=CELLS))]},
            minItems=1,
            maxItems=MAX_ROWS,
        ),
    ),
)
MANY_CHANGED_ROWS = named(
    "ManyChangedRows", response(SKIPPED, rows=array(ref("Row")), change=nullable(INTEGER), version=INTEGER)
)
CHANGED_ROWS = named("ChangedRows", {"anyOf": [MANY_CHANGED_ROWS, MINIMAL_WRITE]})
KNOWN_ROWS = array(named("KnownRow", body(KNOWN_ROW, id=ID)), minItems=1, maxItems=MAX_ROWS)
ROWS_TO_DELETE = named(
    "RowsToDelete",
    {"anyOf": [named("DeleteById", body(ids=ROW_IDS)), named("DeleteKnownRows", body(rows=KNOWN_ROWS))]},
)
DELETED_ROWS = named("DeletedRows", response(deleted=array(INTEGER), change=INTEGER, version=INTEGER))
VERSIONED_ROWS = array(named("VersionedRow", body(ROW_VERSION, id=ID)), minItems=1, maxItems=MAX_ROWS)
MOVE = named(
    "RowsToMove",
    {
        "anyOf": [
            named("MoveAfterById", body(ids=ROW_IDS, after_row_id=ID)),
            named("MoveAfter", body(rows=VERSIONED_ROWS, after_row_id=ID)),
            named("MoveBeforeById", body(ids=ROW_IDS, before_row_id=ID)),
            named("MoveBefore", body(rows=VERSIONED_ROWS, before_row_id=ID)),
        ],
    },
)
MOVED_ROWS = named("MovedRows", response(moved=array(INTEGER), change=nullable(INTEGER), version=INTEGER))
CELL_CHANGES = named("CellChanges", body(KNOWN_CELLS, data=SOME_CELLS))
AFTER_COLUMN = {"after_column_id": nullable(TEXT)}
NEW_COLUMN = named(
    "NewColumn",
    {
        "anyOf": [
            named("EmptyColumn", body({**DEFINITION, **AFTER_COLUMN}, name=TITLE, type=TYPES)),
            named("ColumnCopy", body(AFTER_COLUMN, name=TITLE, copy_of=TEXT)),
        ],
    },
)
ROW_COUNT = named("RowCount", response(value=COUNT, exact=BOOLEAN))
ROWS = named("Rows", response(rows=array(ref("Row")), count=nullable(ROW_COUNT), next=nullable(PAGE_URL)))
FOUND_ROWS = named(
    "FoundRows", response(found=array(named("FoundRow", response(index=INTEGER, id=INTEGER))), count=INTEGER)
)
STATS = named("Stats", response(row_count=INTEGER, columns=OBJECT))
CHOICES = named("OptionCounts", response(columns=OBJECT))
GROUPS = named(
    "RowGroups",
    response(groups=array(ref("RowGroup")), count=INTEGER, row_count=INTEGER, next=nullable(PAGE_URL)),
)
CHANGES_PAGE = named("Changes", response(changes=array(ref("Change")), next=nullable(PAGE_URL)))
CELLS_EXAMPLE = {"Company": "Acme", "Salary": 52_000}
ADDED_COLUMN_EXAMPLE = {"action": "add", "column": {"name": "Status", "type": "select", "options": ["Open", "Done"]}}
NEW_TABLE_EXAMPLE = {
    "mode": "create", "table_name": "Jobs", "table_description": "", "operations": [ADDED_COLUMN_EXAMPLE],
    "sample_rows": [{"Status": "Open"}],
}  # fmt: skip
APPLIED_OR_PREVIEW = named("AppliedOrPreview", {"anyOf": [ref("Applied"), ref("Preview")]})
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
            "message_code": TEXT, "params": OBJECT,
        },
        code=TEXT, detail=TEXT,
    ),
)  # fmt: skip
WRITTEN: Json = {
    **INTEGER, "description": "The index in the request, if it is another: a condition is an operation for each row.",
}  # fmt: skip
OF_OPERATION: Json = {"row_id": INTEGER, "column_id": TEXT, "written": WRITTEN}
LOSS = named("Loss", response(**{"row_id": INTEGER, "from": CELL_VALUE, "to": CELL_VALUE}))
LOSSES = named("Losses", response(cleared=INTEGER, converted=INTEGER, examples=array(LOSS)))
PLANNED_OPERATION = named(
    "PlannedOperation",
    response(
        {
            "row_id": INTEGER, "column_id": TEXT, "column": ref("Column"), "losses": LOSSES,
            "skipped": {**TEXT, "description": "The reason for which the operation is not applied."},
            "reason": TEXT, "written": WRITTEN,
        },
        index=INTEGER, action=TEXT, state=named("OperationState", enum("ok", "warning", "conflict", "error")),
        old=PLANNED, new=PLANNED, notes=array(NOTE),
    ),
)  # fmt: skip
CHANGE: Json = {
    "id": described(INTEGER, "The id of the change."),
    "version": described(INTEGER, "The version that the table had after it."),
    "actor": described(nullable(TEXT), "The name of the user; null if the account was deleted."),
    "source": described(enum(*SOURCES), "How it was made."),
    "summary": described(TEXT, "A line about it, for people."),
    "counts": described(OBJECT, "The number of rows, or of columns, by action."),
    "created_at": described(TIME, "Its time."),
    "proposal_id": described(nullable(UUID), "The id of the payload of the chat that was applied."),
    "undo_of": described(nullable(INTEGER), "The id of the change that it undid; a redo undoes an undo."),
    "undone_by": described(nullable(INTEGER), "The id of the change that undid it."),
    "undoable": described(BOOLEAN, "Whether it can be undone now: not after an undo, but again after a redo."),
}
# The fields that only some errors of tables have, with their statuses and codes.
ERROR_FIELDS: dict[str, Json] = {
    "version": described(
        INTEGER, "412: the current version of the row that “errors” names, else of the table; absent if it names "
        "several. 409 “plan_changed”: the version of the table."
    ),
    "changes": described(
        {"anyOf": [array(ref("Change")), INTEGER]},
        "409 “plan_changed”: the changes since the dry run, the newest first. 409 “changed_since”: the number of later "
        "changes.",
    ),
    "conflicts": described(INTEGER, "409 of an undo or a redo: the number of conflicts, of which “errors” has some."),
    "change": described(INTEGER, "409 “already_undone”, “not_undone”: the id of the last undo or redo of the change."),
    "row_id": described(INTEGER, "422 “not_for_xlsx”: the row with the cell that the format cannot contain."),
    "instead": described(enum("csv"), "422 “not_for_xlsx”: a format that can contain all cells."),
}  # fmt: skip

COMPONENTS: dict[str, Json] = {
    **events.COMPONENTS,
    "Definition": body(DEFINITION, name=TITLE, type=TYPES),
    "Row": response({"change": nullable(INTEGER)}, id=INTEGER, version=INTEGER, data=STORED_CELLS),
    "RowGroup": response(
        group={**OBJECT, "description": "Values by column; null for empty cells. Months are such as 2027-03."},
        rows={**INTEGER, "description": "The number of rows."},
        values=body(dict.fromkeys(FUNCTIONS, MEASURED)),
    ),
    "Change": response(**CHANGE),
    "ChangeDetails": response(
        **CHANGE,
        table=nullable(response(was=OBJECT, now=OBJECT)),
        columns=array(
            response(
                id=TEXT, name=TEXT, action=enum("add", "modify", "remove"), was=nullable(OBJECT), now=nullable(OBJECT)
            )
        ),
        columns_moved=BOOLEAN,
        too_large=BOOLEAN,
        rows=array(
            response(
                id=INTEGER, name=TEXT, action=enum("add", "update", "move", "delete"), too_large=BOOLEAN,
                cells={
                    **OBJECT, "additionalProperties": response(was=CELL_VALUE, now=CELL_VALUE),
                    "description": "Cells by column.",
                },
            )
        ),
        next=nullable(PAGE_URL),
    ),
    # The change is null if nothing was different.
    "Applied": response(
        {"warnings": array(ref("Fault"))},
        change=nullable(INTEGER), version=INTEGER, table=response(id=INTEGER, name=TEXT),
        applied=array(response(OF_OPERATION, index=INTEGER, action=TEXT)),
        skipped=array(response(OF_OPERATION, index=INTEGER, action=TEXT, reason=TEXT)),
    ),
    "Preview": response(
        {
            "plan": {**TEXT, "description": "The value of the parameter “plan”; absent for stored proposals."},
            "cells_by_column": COUNTS, "mode": enum("create", "update"), "table": OBJECT,
            "sample_rows": array(STORED_CELLS), "warnings": array(ref("Fault")),
        },
        operations=array(PLANNED_OPERATION), counts=COUNTS, columns=array(ref("Column")),
    ),
    "DataProposal": body(COMMENTS, operations=array(DATA_OPERATION, minItems=1)),
    "NewTableProposal": body(
        COMMENTS, mode=enum("create"), table_name=TITLE, table_description=TEXT,
        operations=array(ADD_COLUMN, minItems=1), sample_rows=array(CELLS, maxItems=MAX_SAMPLE_ROWS),
    ),
    # Without operations, the table's name or description changes.
    "SchemaProposal": {
        "anyOf": [
            named("ColumnsProposal", body(NAMES, mode=enum("update"), operations=array(SCHEMA_OPERATION, minItems=1))),
            named(
                "TableNameProposal",
                body(NAMES, mode=enum("update"), operations=array(SCHEMA_OPERATION), table_name=TITLE),
            ),
            named(
                "TableDescriptionProposal",
                body(NAMES, mode=enum("update"), operations=array(SCHEMA_OPERATION), table_description=TEXT),
            ),
        ],
    },
}  # fmt: skip
