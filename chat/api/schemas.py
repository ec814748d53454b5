"""JSON schemas of proposals, turns and messages, which have no serializers."""

from __future__ import annotations

from shared.rest.schemas import (
    ANYTHING,
    COUNT,
    FLAG,
    OBJECT,
    PAGE,
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

AT_CONFLICT = one_of("skip", "overwrite")
REMOVED: Json = {
    "anyOf": [one_of("clear"), {**OBJECT, "additionalProperties": TEXT}],
    "description": "“clear”, or the replacement of each: {\"Open\": \"To do\"}.",
}


def by_index(schema: Json) -> Json:
    """Return the schema of an object whose keys are indexes of operations."""
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
CONTEXT = {**OBJECT, "required": ["current_page"], "properties": {"current_page": PAGE},
           "additionalProperties": True}  # fmt: skip
NEW_TURN = body(
    {
        "message": TEXT, "conversation_id": maybe(UUID), "conversation_history": maybe(many(OBJECT)),
        "parent_message_id": {**maybe(UUID), "description": "The previous message; absent: the last one; null: none."},
        "retry_of": maybe(UUID), "client_turn_id": maybe(UUID),
        "interaction_type": one_of("text_input", "value_selected", "action_executed"), "action": maybe(OBJECT),
        "model": {**maybe({**TEXT, "maxLength": 64}), "description": "One of the models to choose from on the page."},
    },
    context=CONTEXT,
)  # fmt: skip
EVENTS = {**TEXT, "description": "Server-sent events, each with an id and a JSON object as data."}
SETTLED = answer(
    id=UUID, status=TEXT, content_hash=TEXT, outcome=ANYTHING, moved_to=TEXT, moved_to_page=TEXT,
    next=maybe(answer(intention=TEXT, client_turn_id=UUID)),
)  # fmt: skip
OPERATIONS = answer(operations=many(OBJECT), count=WHOLE, next=maybe(WHOLE))
DISMISSED = answer(id=UUID, status=TEXT)
ACTION = body({"data": OBJECT, "conversation_id": maybe(UUID)}, context=CONTEXT)
ACTION_RESULT = answer(id=UUID, action=TEXT, message=TEXT, data=OBJECT)
MESSAGES = answer(messages=many(a("Message")), earlier=maybe(UUID), running_turn_id=maybe(UUID), tip=maybe(UUID))
PAYLOAD_TYPES = answer(payload_types=many(a("PayloadType")))
PAGE_OFFER = answer(
    page=TEXT, payload_types=many(a("PayloadType")), tools=many(OBJECT), client_actions=many(OBJECT),
    server_actions=many(OBJECT), starters=many(ANYTHING), demo=FLAG,
    models=many(answer(name=TEXT, label=TEXT, default=FLAG)),
)  # fmt: skip

COMPONENTS: dict[str, Json] = {
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
    # Applying no operations would mark the proposal as applied.
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
