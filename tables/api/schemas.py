"""JSON schemas of proposals and rows, which the operations pipeline parses itself and no serializer renders."""
from __future__ import annotations

from shared.rest.schemas import (
    ANYTHING,
    COUNT,
    FLAG,
    ID,
    NAME,
    OBJECT,
    TEXT,
    TIME,
    TITLE,
    UUID,
    WHOLE,
    Json,
    a,
    answer,
    body,
    many,
    maybe,
    one_of,
)
from tables.column_types.limits import HARD_LIMITS
from tables.column_types.option_colors import OPTION_COLORS
from tables.operations.proposals.sample_rows import MAX_SAMPLE_ROWS
from tables.operations.queries.filters import MAX_CONDITIONS

MAX_ROWS = 10_000
TYPES = a("ColumnType")
COLORS: Json = {
    **OBJECT,
    "additionalProperties": one_of(*OPTION_COLORS),
    "description": "Colors by option. An option without one gets the next unused color.",
}
DEFINITION = {
    "required": maybe(FLAG),
    "default": {"type": ["string", "number", "boolean", "null"]},
    "options": maybe(many(TEXT)),
    "optionColors": maybe(COLORS),
    "filterDisplay": maybe(one_of("tab", "dropdown")),
}
CELLS: Json = {**OBJECT, "description": "Values by column name or id. Null and an empty text mean no value."}
SOME_CELLS: Json = {**CELLS, "minProperties": 1}
CONDITION = body({"value": ANYTHING}, column=TEXT, op=TEXT)
CLAUSE: Json = {"anyOf": [CONDITION, body(**{"or": many(CONDITION, minItems=1, maxItems=MAX_CONDITIONS)})]}
CLAUSES = many(CLAUSE, minItems=1, maxItems=MAX_CONDITIONS)
WHERE: Json = {
    "anyOf": [CLAUSE, CLAUSES, body(**{"and": CLAUSES})],
    "description": "A filter: all rows that match it now.",
}
REASON = {"reason": maybe({**TEXT, "maxLength": 2_000})}
DATA_OPERATION: Json = {
    "anyOf": [
        body(REASON, action=one_of("add"), data=CELLS),
        body(REASON, action=one_of("add"), data=CELLS, after_row_id=ID),
        body(REASON, action=one_of("add"), data=CELLS, before_row_id=ID),
        body(REASON, action=one_of("update"), row_id=ID, changes=SOME_CELLS),
        body(REASON, action=one_of("update"), where=WHERE, changes=SOME_CELLS),
        body(REASON, action=one_of("delete"), row_id=ID),
        body(REASON, action=one_of("delete"), where=WHERE),
    ],
}
CHANGES: Json = {**body({"name": maybe(TITLE), "type": maybe(TYPES), **DEFINITION}), "minProperties": 1}
EXPECTED = {
    "expected": {**maybe(CHANGES), "description": "Fields as the client knows them; 409 if one has changed."},
}
COLUMN_CHANGES: Json = {**CHANGES, "properties": {**CHANGES["properties"], **EXPECTED}}
COLUMN_POSITION = {"after_column_id": maybe(TEXT), **REASON}
ADD_COLUMN = body(COLUMN_POSITION, action=one_of("add"), column=a("Definition"))
COPY_COLUMN = body(COLUMN_POSITION, action=one_of("add"), column=body(name=TITLE), copy_of=TEXT)
SCHEMA_OPERATION: Json = {
    "anyOf": [
        ADD_COLUMN,
        COPY_COLUMN,
        body(EXPECTED | REASON, action=one_of("modify"), column_id=TEXT, changes=CHANGES),
        body(REASON, action=one_of("remove"), column_id=TEXT),
        body(COLUMN_POSITION, action=one_of("reorder"), column_id=TEXT),
    ],
}
COMMENTS = {"reasoning": maybe(TEXT), "next": maybe(TEXT)}
NAMES = {**COMMENTS, "table_name": maybe(TITLE), "table_description": maybe(TEXT), "sample_rows": ANYTHING}

# Where new rows are added, unless at the end.
POSITIONS: tuple[Json, ...] = ({}, {"after_row_id": maybe(ID)}, {"before_row_id": maybe(ID)})
SKIPPED = {
    "skipped": many(a("Fault")), "skipped_count": WHOLE, "skipped_of_not_added": WHOLE, "not_added": many(COUNT),
}  # fmt: skip
MANY_CELLS = many(CELLS, minItems=1, maxItems=MAX_ROWS)
ROW_IDS = many(ID, uniqueItems=True, minItems=1, maxItems=MAX_ROWS)
NEW_ROWS: Json = {"anyOf": [CELLS, *(body(position, rows=MANY_CELLS) for position in POSITIONS)]}
ADDED_ROWS: Json = {"anyOf": [a("Row"), answer(SKIPPED, rows=many(a("Row")), change=WHOLE, version=WHOLE)]}
UPSERT = body(merge_on=many(NAME, minItems=1, uniqueItems=True), rows=MANY_CELLS)
UPSERTED = answer(created=many(a("Row")), updated=many(a("Row")), change=maybe(WHOLE), version=WHOLE)
ROW_CHANGES = body(
    {"new_columns": many(NAME, minItems=1, maxItems=HARD_LIMITS.columns)},
    rows=many(
        {"anyOf": [body({"expected": CELLS}, id=ID, data=SOME_CELLS), body(id={"type": "null"}, data=CELLS)]},
        minItems=1,
        maxItems=MAX_ROWS,
    )
)
CHANGED_ROWS = answer(SKIPPED, rows=many(a("Row")), change=maybe(WHOLE), version=WHOLE)
ROWS_TO_DELETE = body(ids=ROW_IDS)
DELETED_ROWS = answer(deleted=many(WHOLE), change=WHOLE, version=WHOLE)
MOVE: Json = {"anyOf": [body(ids=ROW_IDS, **{position: ID}) for position in ("after_row_id", "before_row_id")]}
MOVED_ROWS = answer(moved=many(WHOLE), change=maybe(WHOLE), version=WHOLE)
CELL_CHANGES = body({"expected": CELLS}, data=SOME_CELLS)
NEW_COLUMN: Json = {
    "anyOf": [
        body({**DEFINITION, "after_column_id": maybe(TEXT)}, name=TITLE, type=TYPES),
        body({"after_column_id": maybe(TEXT)}, name=TITLE, copy_of=TEXT),
    ]
}
ROWS = answer({"next": maybe(TEXT)}, rows=many(a("Row")), count=WHOLE)
FOUND_ROWS = answer(found=many(answer(index=WHOLE, id=WHOLE)), count=WHOLE)
STATS = answer(row_count=WHOLE, columns=OBJECT)
CHOICES = answer(columns=OBJECT)
CHANGES_PAGE = answer(changes=many(a("Change")), next=maybe(TEXT))
CELLS_EXAMPLE = {"Company": "Acme", "Salary": 52_000}
ADDED_COLUMN_EXAMPLE = {"action": "add", "column": {"name": "Status", "type": "select", "options": ["Open", "Done"]}}
NEW_TABLE_EXAMPLE = {
    "mode": "create", "table_name": "Jobs", "table_description": "", "operations": [ADDED_COLUMN_EXAMPLE],
    "sample_rows": [{"Status": "Open"}],
}  # fmt: skip
APPLIED_OR_PREVIEW: Json = {"anyOf": [a("Applied"), a("Preview")]}
CHANGE: Json = {
    "id": WHOLE, "version": WHOLE, "actor": maybe(TEXT), "source": TEXT, "summary": TEXT, "counts": OBJECT,
    "created_at": TIME, "proposal_id": maybe(UUID), "undo_of": maybe(WHOLE), "undone_by": maybe(WHOLE),
    "undoable": FLAG,
}  # fmt: skip

COMPONENTS: dict[str, Json] = {
    "Definition": body(DEFINITION, name=TITLE, type=TYPES),
    "Row": answer({"change": maybe(WHOLE)}, id=WHOLE, version=WHOLE, data=OBJECT),
    "Change": answer(**CHANGE),
    "ChangeDetails": answer(
        **CHANGE,
        table=maybe(answer(was=OBJECT, now=OBJECT)),
        columns=many(
            answer(id=TEXT, name=TEXT, action=one_of("add", "modify", "remove"), was=maybe(OBJECT), now=maybe(OBJECT))
        ),
        columns_moved=FLAG,
        too_large=FLAG,
        rows=many(
            answer(
                id=WHOLE, name=TEXT, action=one_of("add", "update", "move", "delete"), too_large=FLAG,
                cells=many(answer(column_id=TEXT, column=TEXT, was=ANYTHING, now=ANYTHING)),
            )
        ),
        next=maybe(TEXT),
    ),
    # The change is null if nothing was different.
    "Applied": answer(
        {"warnings": many(a("Fault"))},
        change=maybe(WHOLE), version=WHOLE, table=answer(id=WHOLE, name=TEXT),
        applied=many(answer({"row_id": WHOLE, "column_id": TEXT}, index=WHOLE, action=TEXT)),
        skipped=many(answer(index=WHOLE, reason=TEXT)),
    ),
    "Preview": answer(
        operations=many(answer(index=WHOLE, action=TEXT, state=one_of("ok", "warning", "conflict", "error"))),
        counts=OBJECT, columns=many(a("Column")),
    ),
    "DataProposal": body(COMMENTS, operations=many(DATA_OPERATION, minItems=1)),
    "NewTableProposal": body(
        COMMENTS, mode=one_of("create"), table_name=TITLE, table_description=TEXT,
        operations=many(ADD_COLUMN, minItems=1), sample_rows=many(CELLS, maxItems=MAX_SAMPLE_ROWS),
    ),
    # Without operations, the table's name or description changes.
    "SchemaProposal": {
        "anyOf": [
            body(NAMES, mode=one_of("update"), operations=many(SCHEMA_OPERATION, minItems=1)),
            body(NAMES, mode=one_of("update"), operations=many(SCHEMA_OPERATION), table_name=TITLE),
            body(NAMES, mode=one_of("update"), operations=many(SCHEMA_OPERATION), table_description=TEXT),
        ],
    },
}  # fmt: skip
