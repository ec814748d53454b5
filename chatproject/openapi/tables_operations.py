"""What the addresses below /api/tables/ do."""
from __future__ import annotations

from chatproject.openapi.shapes import CELLS, COLUMN_CHANGES, DEFINITION, SOME_CELLS, TYPES
from chatproject.openapi.words import OFFSET, Asked, Operation, Operations, limit
from rest.schemas import (
    COUNT,
    FLAG,
    ID,
    NAME,
    OBJECT,
    TEXT,
    TITLE,
    WHOLE,
    ZONE,
    Json,
    a,
    answer,
    body,
    many,
    maybe,
    one_of,
)
from tables.operations.choice import SOURCES

TYPECAST = Asked("typecast", FLAG, "Also take texts that mean exactly a value, like “1,200” for a number.")
ON_INVALID = Asked(
    "on_invalid", one_of("refuse", "skip"),
    "“skip”: write the cells of many rows whose values fit and return the others as “skipped” (at most 1,000)."
    " “not_added” has the positions of the rows that cannot be added without them, “skipped_of_not_added” the number of"
    " their refused cells.",
)
SKIPPED = {
    "skipped": many(a("Fault")),
    "skipped_count": WHOLE,
    "skipped_of_not_added": WHOLE,
    "not_added": many(COUNT),
}
CREATE_OPTIONS = Asked(
    "create_options", FLAG, "Texts in select columns that are not an option yet become one, in the same change."
)
KEYS = Asked("keys", one_of("name", "id"), "What cells are keyed by in the answer.")
WORDS = {**TEXT, "maxLength": 1_000}
IDS = {**TEXT, "pattern": "^[0-9]{1,18}(,[0-9]{1,18}){0,199}$|^$"}
FILTER = {**TEXT, "format": "filter"}
ZONE_ASKED = Asked("tz", ZONE, "The time zone that days like today are meant in.")
VIEW = (
    Asked(
        "filter",
        FILTER,
        'JSON: “{"and": [condition | {"or": […]}]}”, “{"column", "op", "value"}” or a list. 422 “too_costly” for more'
        " conditions than a table of its size can be searched by in a few seconds; the error says how many fit.",
    ),
    Asked("search", WORDS, "Every word must be in the row. 422 “too_costly” for too many words, as for a filter."),
    ZONE_ASKED,
)
COLUMNS = Asked("columns", TEXT, "Names or ids of columns, with commas between them.")
REMOVED = {**TEXT, "format": "removed-option"}
WIDTH = {"type": "integer", "minimum": 48, "maximum": 1_200}
LOOK = answer(widths={"type": "object", "additionalProperties": WIDTH}, hidden=many(TEXT))
DECISIONS = (
    Asked("on_conflict", one_of("skip", "overwrite"), "What to do where the table has changed since."),
    Asked("on_unconvertible", one_of("clear"), "Empty the cells that cannot be converted."),
    Asked("on_removed_option", REMOVED, "“clear”, or JSON that maps removed options to remaining ones."),
    Asked("include_sample_rows", FLAG, "Add the sample rows of a new table."),
)
# Where new rows go, but for the end.
PLACES: tuple[Json, ...] = ({}, {"after_row_id": maybe(ID)}, {"before_row_id": maybe(ID)})
DRY_RUN = Asked("dry_run", FLAG, "Answer the preview and write nothing.")
PROPOSING = (DRY_RUN, TYPECAST, *DECISIONS)
FILTER_EXAMPLE = {"Company": "Acme", "Salary": 52_000}
ADDED_COLUMN = {"action": "add", "column": {"name": "Status", "type": "select", "options": ["Open", "Done"]}}
NEW_TABLE_EXAMPLE = {
    "mode": "create", "table_name": "Jobs", "table_description": "", "operations": [ADDED_COLUMN],
    "sample_rows": [{"Status": "Open"}],
}  # fmt: skip
WORD = one_of("overwrite", "keep")
BY_CELL: Json = {
    **OBJECT, "patternProperties": {r"^([0-9]{1,19}|columns|table):\w{1,64}$": WORD}, "additionalProperties": False,
}  # fmt: skip
UNDO = body({"on_conflict": {"anyOf": [WORD, BY_CELL, {"type": "null"}]}})
TABLE = a("Table")
CURSOR = {**TEXT, "pattern": r"^([0-9]{1,9}\.[0-9]{1,9})?$"}

TABLES: Operations = {
    "api_tables": {
        "get": Operation(
            "Your tables, and those shared with you.",
            {200: answer(tables=many(TABLE), count=WHOLE, next=maybe(TEXT))},
            query=(
                Asked("search", WORDS, "Words in name or description."),
                Asked("ordering", one_of("-updated_at", "updated_at", "name", "-name", "created_at", "-created_at"),
                      "The order."),
                Asked("trashed", FLAG, "Those in the trash."), limit(200), OFFSET,
            ),
        ),
        "post": Operation(
            "Creates a table with columns and rows.",
            {201: TABLE},
            takes=body(
                {"description": maybe(TEXT), "rows": maybe(many(CELLS, maxItems=10_000))},
                name=TITLE, columns=many(a("Definition"), minItems=1, maxItems=500),
            ),
            example={"name": "Jobs", "columns": [{"name": "Company", "type": "text"}], "rows": [{"Company": "Acme"}]},
            query=(TYPECAST,),
        ),
    },
    "api_table": {
        "get": Operation("The table with its columns.", {200: TABLE}),
        "patch": Operation(
            "Changes name and description.", {200: TABLE}, if_match=True,
            takes=body({"name": maybe(TITLE), "description": maybe(TEXT)}), example={"name": "Applications"},
        ),
        "delete": Operation("Puts the table in the trash.", {200: a("Written")}, if_match=True),
    },
    "api_restore": {"post": Operation("Takes the table out of the trash.", {200: TABLE}, takes=body())},
    "api_duplicate": {
        "post": Operation(
            "Makes a table of your own with the same columns and rows.", {201: TABLE},
            takes=body({"name": maybe(TITLE)}), example={"name": "Jobs of last year"},
        ),
    },
    "api_columns": {
        "get": Operation("The columns in their order.", {200: answer(columns=many(a("Column")))}),
        "post": Operation(
            "Adds a column.", {201: a("Column")},
            takes={
                "anyOf": [
                    body({**DEFINITION, "after_column_id": maybe(TEXT)}, name=TITLE, type=TYPES),
                    body({"after_column_id": maybe(TEXT)}, name=TITLE, copy_of=TEXT),
                ]
            },
            example={"name": "Status", "type": "select", "options": ["Open", "Done"]}, query=DECISIONS, if_match=True,
        ),
    },
    "api_column": {
        "patch": Operation(
            "Changes a column and converts its values.", {200: a("Column")},
            takes=COLUMN_CHANGES, example={"name": "Gross salary", "type": "number"}, query=DECISIONS, if_match=True,
        ),
        "delete": Operation(
            "Removes a column with its values.", {200: a("Written")}, query=DECISIONS, if_match=True
        ),
    },
    "api_rows": {
        "get": Operation(
            "Rows, filtered, sorted and searched.",
            {200: answer({"next": maybe(TEXT)}, rows=many(a("Row")), count=WHOLE)},
            query=(
                *VIEW, Asked("sort", TEXT, "Like “-Due,Company”."), limit(1_000), OFFSET,
                Asked("cursor", {**TEXT, "format": "cursor"}, "Where “next” goes on."), COLUMNS, KEYS,
                Asked("ids", IDS, "Just these rows, at most 200, as far as they pass."),
            ),
        ),
        "post": Operation(
            "Adds a row (an object of cells), or many: “{\"rows\": […]}”, all or nothing. Many go to the end, or "
            "directly after or before the row that after_row_id or before_row_id names.",
            {201: {"anyOf": [a("Row"), answer(SKIPPED, rows=many(a("Row")), change=WHOLE, version=WHOLE)]}},
            takes={"anyOf": [CELLS, *(body(place, rows=many(CELLS, minItems=1, maxItems=10_000)) for place in PLACES)]},
            example=FILTER_EXAMPLE,
            query=(TYPECAST, CREATE_OPTIONS, KEYS, ON_INVALID),
        ),
        "put": Operation(
            "Changes the rows that hold the same in the columns of merge_on, adds the others; all or nothing.",
            {200: answer(created=many(a("Row")), updated=many(a("Row")), change=maybe(WHOLE), version=WHOLE)},
            takes=body(
                merge_on=many(NAME, minItems=1, uniqueItems=True), rows=many(CELLS, minItems=1, maxItems=10_000),
            ),
            example={"merge_on": ["Company"], "rows": [FILTER_EXAMPLE]}, query=(TYPECAST, KEYS),
        ),
        "patch": Operation(
            "Changes many rows, and adds those with the id null at the end; all or nothing.",
            {200: answer(SKIPPED, rows=many(a("Row")), change=maybe(WHOLE), version=WHOLE)},
            takes=body({"new_columns": many(NAME, minItems=1, maxItems=500)}, rows=many({"anyOf": [
                body({"expected": CELLS}, id=ID, data=SOME_CELLS), body(id={"type": "null"}, data=CELLS),
            ]}, minItems=1, maxItems=10_000)),
            example={"rows": [{"id": 1, "data": {"Salary": 53_000}, "expected": {"Salary": 52_000}}]},
            query=(TYPECAST, KEYS, ON_INVALID), if_match=True,
        ),
    },
    "api_rows_find": {
        "get": Operation(
            "Where in a view rows with all words of “find” are, or with these ids; at most the first 1,000.",
            {200: answer(found=many(answer(index=WHOLE, id=WHOLE)), count=WHOLE)},
            query=(
                *VIEW, Asked("sort", TEXT, "Like “-Due,Company”."),
                Asked("find", WORDS, "Every word must be in the row."),
                Asked("ids", IDS, "These rows, at most 200, in place of words."),
            ),
        ),
    },
    "api_rows_delete": {
        "post": Operation(
            "Deletes many rows, all or nothing.", {200: answer(deleted=many(WHOLE), change=WHOLE, version=WHOLE)},
            takes=body(ids=many(ID, uniqueItems=True, minItems=1, maxItems=10_000)), example={"ids": [1, 2]},
        ),
    },
    "api_rows_move": {
        "post": Operation(
            "Moves rows, in their present order, directly after or before another row; the change is null where they"
            " are there already.",
            {200: answer(moved=many(WHOLE), change=maybe(WHOLE), version=WHOLE)},
            takes={
                "anyOf": [
                    body(ids=many(ID, uniqueItems=True, minItems=1, maxItems=10_000), **{place: ID})
                    for place in ("after_row_id", "before_row_id")
                ]
            },
            example={"ids": [1, 2], "after_row_id": 3}, if_match=True,
        ),
    },
    "api_row": {
        "get": Operation("The row.", {200: a("Row")}, query=(COLUMNS, KEYS)),
        "patch": Operation(
            "Changes cells; a conflict where one does not hold what was expected.", {200: a("Row")},
            takes=body({"expected": CELLS}, data=SOME_CELLS), example={"data": {"Salary": 53_000}},
            query=(TYPECAST, CREATE_OPTIONS, KEYS), if_match=True,
        ),
        "delete": Operation("Deletes the row.", {200: a("Written")}, if_match=True),
    },
    "api_stats": {
        "get": Operation(
            "Row count, distributions, least and greatest values.", {200: answer(row_count=WHOLE, columns=OBJECT)},
            query=(*VIEW, KEYS),
        ),
    },
    "api_choices": {
        "get": Operation(
            "How many rows each option of a select column would leave, were it what is chosen there.",
            {200: answer(columns=OBJECT)}, query=(*VIEW, COLUMNS, KEYS),
        ),
    },
    "api_new_table_proposal": {
        "post": Operation(
            "Makes the table of a proposal; with dry_run its preview.", {201: TABLE, 200: a("Preview")},
            takes=a("NewTableProposal"), example=NEW_TABLE_EXAMPLE, query=PROPOSING,
        ),
    },
    "api_schema_proposal": {
        "post": Operation(
            "Applies a proposal for columns; with dry_run its preview.",
            {200: {"anyOf": [a("Applied"), a("Preview")]}}, takes=a("SchemaProposal"),
            example={"mode": "update", "operations": [ADDED_COLUMN]}, query=PROPOSING,
        ),
    },
    "api_data_proposal": {
        "post": Operation(
            "Applies a proposal for rows; with dry_run its preview. Too costly conditions are 422 “too_costly”.",
            {200: {"anyOf": [a("Applied"), a("Preview")]}}, takes=a("DataProposal"),
            example={"operations": [{"action": "add", "data": FILTER_EXAMPLE}]}, query=(*PROPOSING, ZONE_ASKED),
        ),
    },
    "api_changes": {
        "get": Operation(
            "The history, the newest first. With “row”, a page may have few changes or none although more follow.",
            {200: answer(changes=many(a("Change")), next=maybe(TEXT))},
            query=(
                Asked("after_version", COUNT, "Only later ones."), Asked("before_version", COUNT, "Only earlier ones."),
                Asked("person", WORDS, "Only those of the user with this name."),
                Asked("source", one_of(*SOURCES), "Only those made this way."),
                Asked("row", {**COUNT, "minimum": 1}, "Only those that changed the row with this id."),
                Asked("piece", {**COUNT, "maximum": 10**9}, "Part of “next”: where to search on in a large change."),
                limit(200),
            ),
        ),
    },
    "api_change": {
        "get": Operation(
            "What a change did: each row with its cells before and after, columns with what differs. Entries of more"
            " than 100 kB come without their cells, as “too_large”. A page may have fewer rows although more follow.",
            {200: a("ChangeDetails")},
            query=(Asked("cursor", CURSOR, "From the “next” of the page before."), limit(200)),
        ),
    },
    "api_export": {
        "get": Operation(
            "The rows as a file, filtered, sorted and searched like the rows themselves. A server process writes one "
            "file at a time for each user or address and two in all; further requests are a 429 with Retry-After.",
            {200: {**TEXT, "format": "binary"}},
            query=(
                Asked("format", one_of("csv", "xlsx", "json"), "The kind of file."),
                *VIEW, Asked("sort", TEXT, "Like “-Due,Company”."), COLUMNS,
            ),
        ),
    },
    "api_view": {
        "get": Operation("How you look at the table: widths of columns in pixels, hidden columns.", {200: LOOK}),
        "put": Operation(
            "Replaces how you look at the table; columns by id or name.", {200: LOOK},
            takes=body(widths={"type": "object", "additionalProperties": WIDTH}, hidden=many(TEXT)),
            example={"widths": {"Company": 240}, "hidden": ["Notes"]},
        ),
    },
    "api_undo": {
        "post": Operation("Takes a change back.", {200: a("Undone")}, takes=UNDO, example={"on_conflict": "keep"}),
    },
    "api_redo": {
        "post": Operation(
            "Does an undone change again.", {200: a("Undone")}, takes=UNDO, example={"on_conflict": "keep"}
        ),
    },
    "api_restore_version": {
        "post": Operation(
            "Restores the table as it was after this change: all later changes are undone by one new change, which can"
            " be undone itself. 422 “too_many_changes” or “too_large_to_restore” where that is too much at once.",
            {200: a("Undone")}, takes=body(), if_match=True,
        ),
    },
}  # fmt: skip
