"""JSON schemas of proposals, turns and messages, which have no serializers."""

from __future__ import annotations

from chat import events
from shared.rest.openapi import (
    ANY,
    BOOLEAN,
    COUNT,
    ID,
    INTEGER,
    OBJECT,
    PAGE,
    PAGE_URL,
    TEXT,
    TIME,
    TITLE,
    UUID,
    Json,
    array,
    body,
    enum,
    named,
    nullable,
    ref,
    response,
)

AT_CONFLICT = named("ConflictDecision", enum("skip", "overwrite"))
REMOVED: Json = {
    "anyOf": [enum("clear"), {**OBJECT, "additionalProperties": TEXT}],
    "description": "“clear”, or the replacement of each: {\"Open\": \"To do\"}.",
}


def by_index(schema: Json) -> Json:
    """Return the schema of an object whose keys are indexes of operations."""
    return {"type": "object", "patternProperties": {"^[0-9]{1,6}$": schema}, "additionalProperties": False}


EDITED: Json = {
    **OBJECT, "additionalProperties": {"type": ["string", "number", "boolean", "null", "array"], "items": TEXT},
}
DECIDED: dict[str, Json] = {
    "edits": nullable(by_index(OBJECT)), "table_name": nullable(TEXT), "table_description": nullable(TEXT),
    "content_hash": nullable(TEXT), "on_conflict": {"anyOf": [nullable(AT_CONFLICT), by_index(AT_CONFLICT)]},
    "on_unconvertible": nullable(enum("clear")), "on_removed_option": nullable(REMOVED),
    "on_empty_cells": nullable(enum("keep")), "include_sample_rows": nullable(BOOLEAN),
    "version": {**nullable(ID), "description": "The version of the table; 412 if it has changed."},
}  # fmt: skip
CONTEXT = named("Context", {
    **OBJECT, "required": ["current_page"],
    "properties": {
        "current_page": PAGE,
        "active_tab": {"description": "The id of the open tab of the page."},
        "active_subtab": {"description": "The id of the open subtab of the tab."},
        "filter": {"description": "The filter of the page."},
        "sort": {"description": "The sort order of the page."},
        "search": {"description": "The words searched for on the page."},
        "selected_row_ids": {"description": "The ids of the selected rows."},
        "visible_column_ids": {"description": "The ids of the visible columns."},
    },
    "additionalProperties": True,
    "description": "The page on which the message is sent. A page of one object needs its id, such as “table_id” on "
    "the page “table_view”. A page can declare further fields. Other fields are refused.",
})  # fmt: skip
NEW_TURN = named("NewTurn", body(
    {
        "message": TEXT, "conversation_id": nullable(UUID), "conversation_history": nullable(array(OBJECT)),
        "parent_message_id": {
            **nullable(UUID), "description": "The previous message; absent: the last one; null: none.",
        },
        "retry_of": nullable(UUID), "client_turn_id": nullable(UUID),
        "interaction_type": enum("text_input", "value_selected", "action_executed"), "action": nullable(OBJECT),
        "model": {
            **nullable({**TEXT, "maxLength": 64}), "description": "One of the models to choose from on the page.",
        },
    },
    context=CONTEXT,
))  # fmt: skip
SETTLED = named("AppliedPayload", response(
    id=UUID, status=TEXT, content_hash=TEXT, outcome=ANY, moved_to=TEXT, moved_to_page=TEXT,
    next=nullable(named("NextStep", response(intention=TEXT, client_turn_id=UUID))),
))  # fmt: skip
OPERATIONS = named("Operations", response(operations=array(OBJECT), count=INTEGER, next=nullable(PAGE_URL)))
DISMISSED = named("PayloadStatus", response(id=UUID, status=TEXT))
ACTION = named("Action", body({"data": OBJECT, "conversation_id": nullable(UUID)}, context=CONTEXT))
ACTION_RESULT = named("ActionResult", response(id=UUID, action=TEXT, message=TEXT, data=OBJECT))
MESSAGES = named(
    "Messages",
    response(
        messages=array(ref("Message")), earlier=nullable(UUID), running_turn_id=nullable(UUID), tip=nullable(UUID)
    ),
)
PAYLOAD_TYPES = named("PayloadTypes", response(payload_types=array(ref("PayloadType"))))
PAGE_OFFER = named("PageOffer", response(
    page=TEXT, payload_types=array(ref("PayloadType")), tools=array(ref("Tool")), all_tools=array(ref("Tool")),
    client_actions=array(OBJECT), server_actions=array(OBJECT), starters=array(ANY), demo=BOOLEAN, notice=TEXT,
    models=array(named("Model", response(name=TEXT, label=TEXT, default=BOOLEAN))),
))  # fmt: skip

COMPONENTS: dict[str, Json] = {
    **events.COMPONENTS,
    "Choice": body(DECIDED, operations={"anyOf": [enum("all"), array(COUNT)]}),
    "PreviewChoice": {"anyOf": [
        ref("Choice"),
        named("ChoiceWithReview", body(
            {**{name: each for name, each in DECIDED.items() if name != "edits"}, "review": BOOLEAN},
            operations={"anyOf": [enum("all"), array(COUNT)]},
        )),
    ]},
    "Review": response(
        payload_id=UUID, revision=INTEGER,
        unchecked=by_index(BOOLEAN), overwrites=by_index(OBJECT), edits=by_index(OBJECT),
        table_name=nullable(TEXT), include_sample_rows=nullable(BOOLEAN), skip_next=nullable(BOOLEAN),
        not_carried_over=nullable(response(edits=INTEGER, unchecked=INTEGER, examples=array(OBJECT))),
    ),
    "ReviewChanges": body({
        "unchecked": nullable(by_index(nullable(BOOLEAN))), "overwrites": nullable(by_index(nullable(EDITED))),
        "edits": nullable(by_index(nullable(EDITED))), "table_name": nullable(TITLE),
        "include_sample_rows": nullable(BOOLEAN),
        "skip_next": nullable(BOOLEAN), "not_carried_over": {"type": "null"},
    }),
    # Applying no operations would mark the proposal as applied.
    "Apply": body(DECIDED, operations={"anyOf": [enum("all"), array(COUNT, minItems=1)]}),
    "TurnError": response(code=TEXT, message=TEXT, retryable=BOOLEAN),
    "Turn": response(
        id=UUID, conversation_id=UUID, state=enum("running", "complete", "error", "cancelled"), page=TEXT,
        model=TEXT, usage=ANY, error=nullable(ref("TurnError")), started_at=TIME, ended_at=nullable(TIME),
    ),
    "Trace": response(
        {"cost": TEXT},
        turn_id=UUID, state=TEXT, error=nullable(OBJECT), started_at=TIME, page=nullable(OBJECT), model=nullable(TEXT),
        ended_ms=nullable(INTEGER), stop_reason=nullable(TEXT), usage=OBJECT,
        turns_left_out=INTEGER, declared_tools=ANY, messages=array(ANY),
        sections=array(response(number=INTEGER, title=TEXT, text=TEXT, bytes=INTEGER, tokens=INTEGER)),
        calls=array(
            response(
                kind=enum("answer", "repair", "continuation"), messages=array(INTEGER), answer=ANY,
                stop_reason=TEXT, usage=OBJECT, retries=INTEGER, began_ms=INTEGER, first_token_ms=nullable(INTEGER),
                ended_ms=nullable(INTEGER),
            )
        ),
        tools=array(OBJECT), dropped=array(TEXT),
    ),
    "Message": response(
        id=UUID, role=enum("user", "assistant"), text=TEXT, parent_id=nullable(UUID), beside=array(UUID),
        turn_id=nullable(UUID), created_at=TIME, tool_history=array(OBJECT),
        custom_payload=nullable(OBJECT), state=TEXT,
        model=TEXT,
        error=nullable(ref("TurnError")), warning=TEXT, unreadable=TEXT, links=OBJECT,
        feedback=nullable(response(rating=enum("up", "down"), reason=TEXT)),
    ),
    "Payload": response(
        id=UUID, type=TEXT, data=ANY, status=TEXT, summary=TEXT, content_hash=TEXT, counts=ANY,
        outcome=ANY, last_error=TEXT,
    ),
    "Tool": response(name=TEXT, label=TEXT, icon=TEXT),
    "PayloadType": response(
        name=TEXT, description=TEXT, source=enum("tool", "llm"), schema=OBJECT, frontend_config=OBJECT,
        is_proposal=BOOLEAN, verbs={**OBJECT, "additionalProperties": response(pending=TEXT, applied=TEXT, tone=TEXT)},
    ),
}  # fmt: skip
