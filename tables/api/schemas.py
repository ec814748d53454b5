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
    TEXT,
    TIME,
    TITLE,
    UUID,
    Json,
    array,
    body,
    enum,
    nullable,
    ref,
    response,
)
from tables.column_types.limits import HARD_LIMITS
from tables.column_types.spec import OPTION_COLORS
from tables.operations.proposals.sample_rows import MAX_SAMPLE_ROWS
from tables.operations.queries.filters import MAX_CONDITIONS
from tables.operations.queries.measures import FUNCTIONS

MAX_ROWS = 10_000
TYPES = ref("ColumnType")
COLORS: Json = {
    **OBJECT,
    "additionalProperties": enum(*OPTION_COLORS),
    "description": "Colors by option. An option without one gets the next unused color.",
}
DEFINITION = {
    "required": nullable(BOOLEAN),
    "default": {"type": ["string", "number", "boolean", "null"]},
    "options": nullable(array(TEXT)),
    "optionColors": nullable(COLORS),
    "filterDisplay": nullable(enum("tab", "dropdown")),
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
CONDITION = body({"value": ANY}, column=TEXT, op=TEXT)
CLAUSE: Json = {"anyOf": [CONDITION, body(**{"or": array(CONDITION, minItems=1, maxItems=MAX_CONDITIONS)})]}
CLAUSES = array(CLAUSE, minItems=1, maxItems=MAX_CONDITIONS)
WHERE: Json = {
    "anyOf": [CLAUSE, CLAUSES, body(**{"and": CLAUSES})],
    "description": "A filter: all rows that match it now.",
}
REASON = {"reason": nullable({**TEXT, "maxLength": 2_000})}
DATA_OPERATION: Json = {
    "anyOf": [
        body(REASON, action=enum("add"), data=CELLS),
        body(REASON, action=enum("add"), data=CELLS, after_row_id=ID),
        body(REASON, action=enum("add"), data=CELLS, before_row_id=ID),
        body({**KNOWN_ROW, **REASON}, action=enum("update"), row_id=ID, changes=SOME_CELLS),
        body({**KNOWN_CELLS, **REASON}, action=enum("update"), where=WHERE, changes=SOME_CELLS),
        body({**KNOWN_ROW, **REASON}, action=enum("delete"), row_id=ID),
        body({**KNOWN_CELLS, **REASON}, action=enum("delete"), where=WHERE),
    ],
}
CHANGES: Json = {**body({"name": nullable(TITLE), "type": nullable(TYPES), **DEFINITION}), "minProperties": 1}
EXPECTED = {
    "expected": {**nullable(CHANGES), "description": "Fields as the client knows them; 409 if one has changed."},
}
COLUMN_CHANGES: Json = {**CHANGES, "properties": {**CHANGES["properties"], **EXPECTED}}
COLUMN_POSITION = {"after_column_id": nullable(TEXT), **REASON}
ADD_COLUMN = body(COLUMN_POSITION, action=enum("add"), column=ref("Definition"))
COPY_COLUMN = body(COLUMN_POSITION, action=enum("add"), column=body(name=TITLE), copy_of=TEXT)
SCHEMA_OPERATION: Json = {
    "anyOf": [
        ADD_COLUMN,
        COPY_COLUMN,
        body(EXPECTED | REASON, action=enum("modify"), column_id=TEXT, changes=CHANGES),
        body(REASON, action=enum("remove"), column_id=TEXT),
        body(COLUMN_POSITION, action=enum("reorder"), column_id=TEXT),
    ],
}
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
NEW_ROWS: Json = {"anyOf": [CELLS, *(body(position, rows=MANY_CELLS) for position in POSITIONS)]}
ADDED_ROWS: Json = {"anyOf": [ref("Row"), response(SKIPPED, rows=array(ref("Row")), change=INTEGER, version=INTEGER)]}
UPSERT = body(merge_on=array(NAME, minItems=1, uniqueItems=True), rows=MANY_CELLS)
UPSERTED = response(created=array(ref("Row")), updated=array(ref("Row")), change=nullable(INTEGER), version=INTEGER)
ROW_CHANGES = body(
    {"new_columns": array(NAME, minItems=1, maxItems=HARD_LIMITS.columns)},
    rows=array(
        {"anyOf": [body(KNOWN_ROW, id=ID, data=SOME_CELLS), body(id={"type": "null"}, data=CELLS)]},
        minItems=1,
        maxItems=MAX_ROWS,
    )
)
CHANGED_ROWS = response(SKIPPED, rows=array(ref("Row")), change=nullable(INTEGER), version=INTEGER)
ROWS_TO_DELETE: Json = {
    "anyOf": [body(ids=ROW_IDS), body(rows=array(body(KNOWN_ROW, id=ID), minItems=1, maxItems=MAX_ROWS))],
}
DELETED_ROWS = response(deleted=array(INTEGER), change=INTEGER, version=INTEGER)
ROWS_TO_MOVE = ({"ids": ROW_IDS}, {"rows": array(body(ROW_VERSION, id=ID), minItems=1, maxItems=MAX_ROWS)})
MOVE: Json = {
    "anyOf": [
        body(**rows, **{position: ID}) for position in ("after_row_id", "before_row_id") for rows in ROWS_TO_MOVE
    ],
}
MOVED_ROWS = response(moved=array(INTEGER), change=nullable(INTEGER), version=INTEGER)
CELL_CHANGES = body(KNOWN_CELLS, data=SOME_CELLS)
NEW_COLUMN: Json = {
    "anyOf": [
        body({**DEFINITION, "after_column_id": nullable(TEXT)}, name=TITLE, type=TYPES),
        body({"after_column_id": nullable(TEXT)}, name=TITLE, copy_of=TEXT),
    ]
}
ROWS = response({"next": nullable(TEXT)}, rows=array(ref("Row")), count=INTEGER)
FOUND_ROWS = response(found=array(response(index=INTEGER, id=INTEGER)), count=INTEGER)
STATS = response(row_count=INTEGER, columns=OBJECT)
CHOICES = response(columns=OBJECT)
GROUPS = response(
    groups=array(ref("RowGroup")), count=INTEGER, row_count=INTEGER, next=nullable(TEXT),
)  # fmt: skip
CHANGES_PAGE = response(changes=array(ref("Change")), next=nullable(TEXT))
CELLS_EXAMPLE = {"Company": "Acme", "Salary": 52_000}
ADDED_COLUMN_EXAMPLE = {"action": "add", "column": {"name": "Status", "type": "select", "options": ["Open", "Done"]}}
NEW_TABLE_EXAMPLE = {
    "mode": "create", "table_name": "Jobs", "table_description": "", "operations": [ADDED_COLUMN_EXAMPLE],
    "sample_rows": [{"Status": "Open"}],
}  # fmt: skip
APPLIED_OR_PREVIEW: Json = {"anyOf": [ref("Applied"), ref("Preview")]}
CHANGE: Json = {
    "id": INTEGER, "version": INTEGER, "actor": nullable(TEXT), "source": TEXT, "summary": TEXT, "counts": OBJECT,
    "created_at": TIME, "proposal_id": nullable(UUID), "undo_of": nullable(INTEGER), "undone_by": nullable(INTEGER),
    "undoable": BOOLEAN,
}  # fmt: skip

COMPONENTS: dict[str, Json] = {
    "Definition": body(DEFINITION, name=TITLE, type=TYPES),
    "Row": response({"change": nullable(INTEGER)}, id=INTEGER, version=INTEGER, data=OBJECT),
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
                cells=array(response(column_id=TEXT, column=TEXT, was=ANY, now=ANY)),
            )
        ),
        next=nullable(TEXT),
    ),
    # The change is null if nothing was different.
    "Applied": response(
        {"warnings": array(ref("Fault"))},
        change=nullable(INTEGER), version=INTEGER, table=response(id=INTEGER, name=TEXT),
        applied=array(response({"row_id": INTEGER, "column_id": TEXT}, index=INTEGER, action=TEXT)),
        skipped=array(response(index=INTEGER, reason=TEXT)),
    ),
    "Preview": response(
        {"plan": {**TEXT, "description": "The value of the parameter “plan”; absent for stored proposals."}},
        operations=array(response(index=INTEGER, action=TEXT, state=enum("ok", "warning", "conflict", "error"))),
        counts=OBJECT, columns=array(ref("Column")),
    ),
    "DataProposal": body(COMMENTS, operations=array(DATA_OPERATION, minItems=1)),
    "NewTableProposal": body(
        COMMENTS, mode=enum("create"), table_name=TITLE, table_description=TEXT,
        operations=array(ADD_COLUMN, minItems=1), sample_rows=array(CELLS, maxItems=MAX_SAMPLE_ROWS),
    ),
    # Without operations, the table's name or description changes.
    "SchemaProposal": {
        "anyOf": [
            body(NAMES, mode=enum("update"), operations=array(SCHEMA_OPERATION, minItems=1)),
            body(NAMES, mode=enum("update"), operations=array(SCHEMA_OPERATION), table_name=TITLE),
            body(NAMES, mode=enum("update"), operations=array(SCHEMA_OPERATION), table_description=TEXT),
        ],
    },
}  # fmt: skip
