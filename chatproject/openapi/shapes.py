"""The shapes that answers and bodies are made of."""
from __future__ import annotations

from rest.schemas import (
    ANYTHING,
    COUNT,
    FLAG,
    ID,
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
from tables.column_types.option_colors import OPTION_COLORS

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
AT_CONFLICT = one_of("skip", "overwrite")
REMOVED: Json = {
    "anyOf": [one_of("clear"), {**OBJECT, "additionalProperties": TEXT}],
    "description": "“clear”, or what becomes of each: {\"Open\": \"To do\"}.",
}
CELLS: Json = {**OBJECT, "description": "Values by column name or id. Null and an empty text mean no value."}
STATUS = one_of("pending", "applied", "partially_applied", "dismissed", "superseded", "undone")
SOME_CELLS: Json = {**CELLS, "minProperties": 1}
CONDITION = body({"value": ANYTHING}, column=TEXT, op=TEXT)
CLAUSE: Json = {"anyOf": [CONDITION, body(**{"or": many(CONDITION, minItems=1, maxItems=50)})]}
WHERE: Json = {
    "anyOf": [CLAUSE, many(CLAUSE, minItems=1, maxItems=50), body(**{"and": many(CLAUSE, minItems=1, maxItems=50)})],
    "description": "A filter: every row that fits it now.",
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
    "expected": {**maybe(CHANGES), "description": "Fields as you know them. 409 when one holds something else now."},
}
COLUMN_CHANGES: Json = {**CHANGES, "properties": {**CHANGES["properties"], **EXPECTED}}
PLACE = {"after_column_id": maybe(TEXT), **REASON}
ADD_COLUMN = body(PLACE, action=one_of("add"), column=a("Definition"))
COPY_COLUMN = body(PLACE, action=one_of("add"), column=body(name=TITLE), copy_of=TEXT)
SCHEMA_OPERATION: Json = {
    "anyOf": [
        ADD_COLUMN,
        COPY_COLUMN,
        body(EXPECTED | REASON, action=one_of("modify"), column_id=TEXT, changes=CHANGES),
        body(REASON, action=one_of("remove"), column_id=TEXT),
        body(PLACE, action=one_of("reorder"), column_id=TEXT),
    ],
}
WORDS = {"reasoning": maybe(TEXT), "next": maybe(TEXT)}
NAMES = {**WORDS, "table_name": maybe(TITLE), "table_description": maybe(TEXT), "sample_rows": ANYTHING}


def by_index(schema: Json) -> Json:
    """An object keyed by indexes of operations."""
    return {"type": "object", "patternProperties": {"^[0-9]{1,6}$": schema}, "additionalProperties": False}


EDITED: Json = {
    **OBJECT, "additionalProperties": {"type": ["string", "number", "boolean", "null", "array"], "items": TEXT},
}
DECIDED: dict[str, Json] = {
    "edits": maybe(by_index(OBJECT)), "table_name": maybe(TEXT), "table_description": maybe(TEXT),
    "content_hash": maybe(TEXT), "on_conflict": {"anyOf": [maybe(AT_CONFLICT), by_index(AT_CONFLICT)]},
    "on_unconvertible": maybe(one_of("clear")), "on_removed_option": maybe(REMOVED),
    "include_sample_rows": maybe(FLAG),
}  # fmt: skip


CHANGE: Json = {
    "id": WHOLE, "version": WHOLE, "actor": maybe(TEXT), "source": TEXT, "summary": TEXT, "counts": OBJECT,
    "created_at": TIME, "proposal_id": maybe(UUID), "undo_of": maybe(WHOLE), "undone_by": maybe(WHOLE),
    "undoable": FLAG,
}  # fmt: skip

# Which text `detail` is, and what fills its placeholders.
MESSAGE: dict[str, Json] = {"message_code": TEXT, "params": OBJECT}


SHAPES: dict[str, Json] = {
    "Fault": answer({"value": ANYTHING, **MESSAGE}, path=TEXT, code=TEXT, detail=TEXT),
    "Error": answer({"errors": many(a("Fault")), **MESSAGE}, error=TEXT, detail=TEXT, request_id=TEXT),
    # Other apps may bring types of their own: the document names those there are when it is asked for.
    "ColumnType": TEXT,
    "Definition": body(DEFINITION, name=TITLE, type=TYPES),
    "Column": answer(
        {
            "options": many(TEXT), "optionColors": COLORS, "filterDisplay": one_of("tab", "dropdown"),
            "change": maybe(WHOLE),
        },
        id=TEXT, name=TEXT, type=TYPES, required=FLAG, default=ANYTHING, position=WHOLE,
    ),
    "Table": answer(
        {"change": WHOLE},
        id=WHOLE, name=TEXT, description=TEXT, version=WHOLE, owner=TEXT, role=one_of("owner", "editor", "viewer"),
        row_count=WHOLE, columns=many(a("Column")), created_at=TIME, updated_at=TIME,
    ),
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
    "Written": answer(change=WHOLE, version=WHOLE),
    "Undone": answer(
        change=WHOLE, version=WHOLE, summary=TEXT, table=answer(id=WHOLE, name=TEXT, trashed=FLAG)
    ),
    # No change where everything was like that already.
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
    "DataProposal": body({"reasoning": maybe(TEXT), "next": maybe(TEXT)}, operations=many(DATA_OPERATION, minItems=1)),
    "NewTableProposal": body(
        WORDS, mode=one_of("create"), table_name=TITLE, table_description=TEXT,
        operations=many(ADD_COLUMN, minItems=1), sample_rows=many(CELLS, maxItems=5),
    ),
    # Without operations it has to be about the table's name or description.
    "SchemaProposal": {
        "anyOf": [
            body(NAMES, mode=one_of("update"), operations=many(SCHEMA_OPERATION, minItems=1)),
            body(NAMES, mode=one_of("update"), operations=many(SCHEMA_OPERATION), table_name=TITLE),
            body(NAMES, mode=one_of("update"), operations=many(SCHEMA_OPERATION), table_description=TEXT),
        ],
    },
    "Choice": body(DECIDED, operations={"anyOf": [one_of("all"), many(COUNT)]}),
    "PreviewChoice": {"anyOf": [
        a("Choice"),
        body(
            {**{name: each for name, each in DECIDED.items() if name != "edits"}, "review": FLAG},
            operations={"anyOf": [one_of("all"), many(COUNT)]},
        ),
    ]},
    "Review": answer(
        payload_id=UUID, revision=WHOLE, unchecked=by_index(FLAG), overwrites=by_index(OBJECT), edits=by_index(OBJECT),
        table_name=maybe(TEXT), include_sample_rows=maybe(FLAG), skip_next=maybe(FLAG),
        not_carried_over=maybe(answer(edits=WHOLE, unchecked=WHOLE, examples=many(OBJECT))),
    ),
    "ReviewChanges": body({
        "unchecked": maybe(by_index(maybe(FLAG))), "overwrites": maybe(by_index(maybe(EDITED))),
        "edits": maybe(by_index(maybe(EDITED))), "table_name": maybe(TITLE), "include_sample_rows": maybe(FLAG),
        "skip_next": maybe(FLAG), "not_carried_over": {"type": "null"},
    }),
    # An apply of nothing would use the proposal up.
    "Apply": body(DECIDED, operations={"anyOf": [one_of("all"), many(COUNT, minItems=1)]}),
    "TurnError": answer(code=TEXT, message=TEXT, retryable=FLAG),
    "Turn": answer(
        id=UUID, conversation_id=UUID, state=one_of("running", "complete", "error", "cancelled"), page=TEXT,
        model=TEXT, usage=ANYTHING, error=maybe(a("TurnError")), started_at=TIME, ended_at=maybe(TIME),
    ),
    "Trace": answer(
        {"cost": TEXT},
        turn_id=UUID, state=TEXT, error=maybe(OBJECT), started_at=TIME, page=maybe(OBJECT), model=maybe(TEXT),
        ended_ms=maybe(WHOLE), stop_reason=maybe(TEXT), usage=OBJECT, turns_left_out=WHOLE, declared_tools=ANYTHING,
        sections=many(answer(number=WHOLE, title=TEXT, text=TEXT, bytes=WHOLE, tokens=WHOLE)), messages=many(ANYTHING),
        calls=many(
            answer(
                kind=one_of("answer", "repair", "continuation"), messages=many(WHOLE), answer=ANYTHING,
                stop_reason=TEXT, usage=OBJECT, retries=WHOLE, began_ms=WHOLE, first_token_ms=maybe(WHOLE),
                ended_ms=maybe(WHOLE),
            )
        ),
        tools=many(OBJECT), dropped=many(TEXT),
    ),
    "Message": answer(
        id=UUID, role=one_of("user", "assistant"), text=TEXT, parent_id=maybe(UUID), beside=many(UUID),
        turn_id=maybe(UUID), created_at=TIME, tool_history=many(OBJECT), custom_payload=maybe(OBJECT), state=TEXT,
        model=TEXT,
        error=maybe(a("TurnError")), warning=TEXT, unreadable=TEXT, links=OBJECT,
        feedback=maybe(answer(rating=one_of("up", "down"), reason=TEXT)),
    ),
    "Payload": answer(
        id=UUID, type=TEXT, data=ANYTHING, status=TEXT, summary=TEXT, content_hash=TEXT, counts=ANYTHING,
        outcome=ANYTHING, last_error=TEXT,
    ),
    "PayloadType": answer(
        name=TEXT, description=TEXT, source=one_of("tool", "llm"), schema=OBJECT, frontend_config=OBJECT,
        is_proposal=FLAG,
    ),
}  # fmt: skip
