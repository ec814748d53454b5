"""JSON schemas of requests with rows and proposals, which the operations pipeline parses itself."""
from __future__ import annotations

from shared.rest.openapi import (
    ANY,
    BOOLEAN,
    COUNT,
    ID,
    NAME,
    OBJECT,
    TEXT,
    TITLE,
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
from tables.api.setting_fields import described_settings
from tables.column_types.limits import HARD_LIMITS
from tables.column_types.spec import OPTION_COLORS
from tables.operations.proposals.sample_rows import MAX_SAMPLE_ROWS
from tables.operations.queries.filters import MAX_CONDITIONS

MAX_ROWS = 10_000
TYPES = ref("ColumnType")
CELL_FILE = named(
    "CellFile",
    described(
        response(
            id=described(TEXT, "The id of the file, by which it is read and written."),
            name=described(TEXT, "Its name in this cell."),
            size=described(COUNT, "Its size in bytes."),
            type=described(TEXT, "Its media type, detected from the content."),
        ),
        "A file in a cell of an attachment column.",
    ),
)
ANY_CELL: Json = {
    "type": ["string", "number", "boolean", "null", "array"], "items": {"anyOf": [TEXT, CELL_FILE]},
}  # fmt: skip
CELL_VALUE = named("CellValue", described(ANY_CELL, "A value of a cell. Its form depends on the type of the column."))
FILTER_DISPLAY = named(
    "FilterDisplay", described(enum("tab", "dropdown"), "For the pages: how users filter by the options.")
)
COLORS: Json = {
    **OBJECT,
    "additionalProperties": named("OptionColor", enum(*OPTION_COLORS)),
    "description": "Colors by option. An option without one gets the next unused color.",
}
# Columns of files have no default.
DEFAULT_VALUE: Json = {**ANY_CELL, "items": TEXT}
COLUMN_NAME = described(TITLE, "The name of the column.")
DEFINITION = {
    "required": described(nullable(BOOLEAN), "Whether each row must have a value."),
    "default": described(
        DEFAULT_VALUE, "The value of new rows that leave out the cell. It is always converted as with “typecast=true”."
    ),
    "options": described(nullable(array(TEXT)), "The options of a select or multiple select column, in their order."),
    "optionColors": nullable(COLORS),
    "filterDisplay": nullable(FILTER_DISPLAY),
    **{name: nullable(schema) for name, schema in described_settings().items()},
}
CELLS: Json = {
    **OBJECT,
    "description": "Values by column name or id, in the form of CellValue. Null and an empty text mean no value.",
}
SOME_CELLS: Json = {**CELLS, "minProperties": 1}
ROW_VERSION = {
    "version": {**nullable(ID), "description": "The version of the row as the client knows it; 412 if it has changed."},
}
KNOWN_CELLS = {
    "expected": {**nullable(CELLS), "description": "Cells as the client knows them; 409 if one has changed."},
}
KNOWN_ROW = {**ROW_VERSION, **KNOWN_CELLS}
CONDITION = named(
    "Condition",
    body(
        {"value": described(ANY, "The value or values of the operator, if it has any.")},
        column=described(TEXT, "The name or id of the column."), op=described(TEXT, "The operator."),
    ),
)  # fmt: skip
ANY_CONDITION = named("AnyCondition", body(
    **{"or": described(array(CONDITION, minItems=1, maxItems=MAX_CONDITIONS), "Conditions of which one must hold.")}
))
CLAUSES = array({"anyOf": [CONDITION, ANY_CONDITION]}, minItems=1, maxItems=MAX_CONDITIONS)
ALL_CONDITIONS = named("AllConditions", body(**{"and": described(CLAUSES, "Conditions that must all hold.")}))
WHERE = named(
    "Filter",
    {
        "anyOf": [CONDITION, ANY_CONDITION, CLAUSES, ALL_CONDITIONS],
        "description": "A filter: all rows that match it now.",
    },
)


def _action(word: str) -> Json:
    """Return the schema of the `action` of an operation."""
    return described(enum(word), "What the operation does.")


REASON = {"reason": described(nullable({**TEXT, "maxLength": 2_000}), "A reason, shown in previews.")}
ROW_ID = described(ID, "The id of the row to change or delete.")
AFTER_ROW = described(ID, "The id of the row after which it is added or moved.")
BEFORE_ROW = described(ID, "The id of the row before which it is added or moved.")
COLUMN_ID = described(TEXT, "The name or id of the column.")
AFTER_COLUMN_ID = described(nullable(TEXT), "The name or id of the column after which it is placed.")
COPY_OF = described(TEXT, "The name or id of the column whose type and values the new one gets.")
DATA_OPERATION = named(
    "DataOperation",
    {
        "anyOf": [
            named("AddRow", body(REASON, action=_action("add"), data=CELLS)),
            named("AddRowAfter", body(REASON, action=_action("add"), data=CELLS, after_row_id=AFTER_ROW)),
            named("AddRowBefore", body(REASON, action=_action("add"), data=CELLS, before_row_id=BEFORE_ROW)),
            named(
                "UpdateRow",
                body({**KNOWN_ROW, **REASON}, action=_action("update"), row_id=ROW_ID, changes=SOME_CELLS),
            ),
            named(
                "UpdateRowsWhere",
                body({**KNOWN_CELLS, **REASON}, action=_action("update"), where=WHERE, changes=SOME_CELLS),
            ),
            named("DeleteRow", body({**KNOWN_ROW, **REASON}, action=_action("delete"), row_id=ROW_ID)),
            named("DeleteRowsWhere", body({**KNOWN_CELLS, **REASON}, action=_action("delete"), where=WHERE)),
        ],
    },
)
DEFINITION_CHANGES = {
    "name": described(nullable(TITLE), "The name of the column."),
    "type": described(nullable(TYPES), "The type of its values."), **DEFINITION,
}  # fmt: skip
CHANGES = named(
    "DefinitionChanges", {**described(body(DEFINITION_CHANGES), "Fields of the column."), "minProperties": 1}
)
EXPECTED = {
    "expected": {**nullable(CHANGES), "description": "Fields as the client knows them; 409 if one has changed."},
}
COLUMN_CHANGES = named("ColumnChanges", {**body({**DEFINITION_CHANGES, **EXPECTED}), "minProperties": 1})
COLUMN_POSITION = {"after_column_id": AFTER_COLUMN_ID, **REASON}
ADD_COLUMN = named("AddColumn", body(COLUMN_POSITION, action=_action("add"), column=ref("Definition")))
COPIED_COLUMN = named("CopiedColumn", described(body(name=COLUMN_NAME), "The new column."))
COPY_COLUMN = named(
    "CopyColumn",
    body(COLUMN_POSITION, action=_action("add"), column=COPIED_COLUMN, copy_of=COPY_OF),
)
SCHEMA_OPERATION = named(
    "SchemaOperation",
    {
        "anyOf": [
            ADD_COLUMN,
            COPY_COLUMN,
            named(
                "ModifyColumn",
                body(EXPECTED | REASON, action=_action("modify"), column_id=COLUMN_ID, changes=CHANGES),
            ),
            named("RemoveColumn", body(EXPECTED | REASON, action=_action("remove"), column_id=COLUMN_ID)),
            named("ReorderColumn", body(COLUMN_POSITION, action=_action("reorder"), column_id=COLUMN_ID)),
        ],
    },
)
CREATE = {"mode": described(enum("create"), "For a new table.")}
UPDATE = {"mode": described(enum("update"), "For an existing table.")}
COMMENTS = {
    "reasoning": described(nullable(TEXT), "A comment, which has no effect."),
    "next": described(nullable(TEXT), "What an assistant would do after it; has no effect here."),
}
NEW_NAME = described(TITLE, "The name of the table.")
NEW_DESCRIPTION = described(TEXT, "The description of the table.")
NAMES = {
    **COMMENTS,
    "table_name": nullable(NEW_NAME),
    "table_description": nullable(NEW_DESCRIPTION),
    "sample_rows": described(ANY, "Only used on creation."),
}
SCHEMA_OPERATIONS = described(array(SCHEMA_OPERATION), "The operations on columns.")
# Where new rows are added, unless at the end.
POSITIONS: tuple[Json, ...] = (
    {},
    {"after_row_id": described(nullable(ID), "The id of the row after which they are added.")},
    {"before_row_id": described(nullable(ID), "The id of the row before which they are added.")},
)
MANY_CELLS = described(
    array(CELLS, minItems=1, maxItems=MAX_ROWS),
    "The new rows: each an object of cells, alone or as “data”. A single row with a list in a column named "
    "“rows” must be sent as “data”.",
)
COPIED_FROM = described(
    array(ID, minItems=1, maxItems=MAX_ROWS),
    "The ids of rows that are copied. Their values are accepted even if the format of the column only allows others in "
    "new rows.",
)
ROW_IDS = described(array(ID, uniqueItems=True, minItems=1, maxItems=MAX_ROWS), "The ids of the rows.")
ID_OF_ROW = described(ID, "The id of the row.")
NEW_ROWS = named(
    "NewRows",
    {
        "anyOf": [
            CELLS,
            *(
                named(name, body({**position, "copied_from": COPIED_FROM}, rows=MANY_CELLS))
                for name, position in zip(("ManyRows", "ManyRowsAfter", "ManyRowsBefore"), POSITIONS, strict=True)
            ),
        ],
    },
)
UPSERTED_ROW = {"anyOf": [CELLS, named("VersionedCells", body(ROW_VERSION, data=CELLS))]}
UPSERT = named(
    "Upsert",
    body(
        merge_on=described(
            array(NAME, minItems=1, uniqueItems=True), "Names or ids of the columns by which existing rows are found."
        ),
        rows=described(
            array(UPSERTED_ROW, minItems=1, maxItems=MAX_ROWS),
            "The rows: each an object of cells, alone or as “data” beside a “version”.",
        ),
    ),
)
CHANGED_ROW = named("ChangedRow", body(KNOWN_ROW, id=ID_OF_ROW, data=SOME_CELLS))
ADDED_ROW = named("AddedRow", body(id=described({"type": "null"}, "For a new row."), data=CELLS))
ROW_CHANGES = named(
    "RowChanges",
    body(
        {
            "new_columns": described(
                array(NAME, minItems=1, maxItems=HARD_LIMITS.columns), "Text columns to add in the same change."
            )
        },
        rows=described(
            array({"anyOf": [CHANGED_ROW, ADDED_ROW]}, minItems=1, maxItems=MAX_ROWS), "The rows to change or add."
        ),
    ),
)
KNOWN_ROWS = described(
    array(named("KnownRow", body(KNOWN_ROW, id=ID_OF_ROW)), minItems=1, maxItems=MAX_ROWS), "The rows."
)
ROWS_TO_DELETE = named(
    "RowsToDelete",
    {"anyOf": [named("DeleteById", body(ids=ROW_IDS)), named("DeleteKnownRows", body(rows=KNOWN_ROWS))]},
)
VERSIONED_ROWS = described(
    array(named("VersionedRow", body(ROW_VERSION, id=ID_OF_ROW)), minItems=1, maxItems=MAX_ROWS), "The rows."
)
MOVE = named(
    "RowsToMove",
    {
        "anyOf": [
            named("MoveAfterById", body(ids=ROW_IDS, after_row_id=AFTER_ROW)),
            named("MoveAfter", body(rows=VERSIONED_ROWS, after_row_id=AFTER_ROW)),
            named("MoveBeforeById", body(ids=ROW_IDS, before_row_id=BEFORE_ROW)),
            named("MoveBefore", body(rows=VERSIONED_ROWS, before_row_id=BEFORE_ROW)),
        ],
    },
)
CELL_CHANGES = named("CellChanges", body(KNOWN_CELLS, data=SOME_CELLS))
AFTER_COLUMN = {"after_column_id": AFTER_COLUMN_ID}
NEW_COLUMN = named(
    "NewColumn",
    {
        "anyOf": [
            named("EmptyColumn", body({**DEFINITION, **AFTER_COLUMN}, name=COLUMN_NAME, type=TYPES)),
            named("ColumnCopy", body(AFTER_COLUMN, name=COLUMN_NAME, copy_of=COPY_OF)),
        ],
    },
)
CELLS_EXAMPLE = {"Company": "Acme", "Salary": 52_000}
# Values of other forms: several options, a share of 5 %, 90 minutes, a time with its zone, a person and a file.
TYPED_CELLS_EXAMPLE = {
    "Tags": ["Red", "Blue"], "Discount": 0.05, "Length": 90, "Starts": "2027-03-01T10:00+01:00", "Lead": 7,
    "Documents": [{"id": "6f1c9e"}],
}  # fmt: skip
ADDED_COLUMN_EXAMPLE = {"action": "add", "column": {"name": "Status", "type": "select", "options": ["Open", "Done"]}}
NEW_TABLE_EXAMPLE = {
    "mode": "create", "table_name": "Jobs", "table_description": "", "operations": [ADDED_COLUMN_EXAMPLE],
    "sample_rows": [{"Status": "Open"}],
}  # fmt: skip
COMPONENTS: dict[str, Json] = {
    "Definition": described(body(DEFINITION, name=COLUMN_NAME, type=TYPES), "A column to create."),
    "DataProposal": body(COMMENTS, operations=described(array(DATA_OPERATION, minItems=1), "The operations on rows.")),
    "NewTableProposal": body(
        COMMENTS, **CREATE,
        table_name=NEW_NAME, table_description=NEW_DESCRIPTION,
        operations=described(array(ADD_COLUMN, minItems=1), "The columns of the table."),
        sample_rows=described(array(CELLS, maxItems=MAX_SAMPLE_ROWS), "Rows to add with “include_sample_rows”."),
    ),
    # Without operations, the table's name or description changes.
    "SchemaProposal": {
        "anyOf": [
            named("ColumnsProposal", body(NAMES, **UPDATE, operations={**SCHEMA_OPERATIONS, "minItems": 1})),
            named(
                "TableNameProposal",
                body(NAMES, **UPDATE, operations=SCHEMA_OPERATIONS, table_name=NEW_NAME),
            ),
            named(
                "TableDescriptionProposal",
                body(NAMES, **UPDATE, operations=SCHEMA_OPERATIONS, table_description=NEW_DESCRIPTION),
            ),
        ],
    },
}  # fmt: skip
