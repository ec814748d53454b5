"""JSON schemas of proposals, turns and messages, which have no serializers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from chat import events
from chat.page_config import PageConfig, pages
from chat.payload_types import payload_types
from chat.selectors import PAYLOAD_STATUSES
from shared.rest.openapi import (
    ANY,
    BOOLEAN,
    COUNT,
    INTEGER,
    OBJECT,
    PAGE,
    PAGE_URL,
    TEXT,
    TIME,
    UUID,
    Json,
    array,
    body,
    by_index,
    described,
    enum,
    named,
    nullable,
    ref,
    response,
)

# The message of the example of a turn.
EXAMPLE_MESSAGE = "What can you do here?"
EDITED: Json = {
    **OBJECT, "additionalProperties": {"type": ["string", "number", "boolean", "null", "array"], "items": TEXT},
}
EDITS_DESCRIPTION = (
    "Other values by the index of an operation as in a preview: {\"0\": {\"changes\": {\"Status\": \"Open\"}}}. "
    "The values of what is added are in the same field as in the operation."
)
CONTEXT: dict[str, Json] = {
    "current_page": PAGE,
    "active_tab": {"description": "The id of the open tab of the page."},
    "active_subtab": {"description": "The id of the open subtab of the tab."},
    "filter": {"description": "The filter of the page."},
    "sort": {"description": "The sort order of the page."},
    "search": {"description": "The words searched for on the page."},
}
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
    context=ref("Context"),
))  # fmt: skip
STATUS = named("PayloadState", enum(*PAYLOAD_STATUSES))
SETTLED = named("AppliedPayload", response(
    id=UUID, status=STATUS, content_hash=TEXT, outcome=ANY, moved_to=TEXT, moved_to_page=TEXT,
    next=nullable(named("NextStep", response(intention=TEXT, client_turn_id=UUID))),
))  # fmt: skip
OPERATIONS = named("Operations", response(operations=array(OBJECT), count=INTEGER, next=nullable(PAGE_URL)))
DISMISSED = named("PayloadStatus", response(id=UUID, status=STATUS))
ACTION = named("Action", body({"data": OBJECT, "conversation_id": nullable(UUID)}, context=ref("Context")))
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
    tabs=array(named("Tab", response(name=TEXT, subtabs=array(TEXT)))),
))  # fmt: skip

# The fields that only some errors of the chat have, with their statuses and codes.
ERROR_FIELDS: dict[str, Json] = {
    "status": described(TEXT, "409 of a proposal that is not pending, or cannot be undone: its status."),
    "outcome": described(
        nullable(OBJECT), "409 of a proposal that is not pending: the outcome of its apply; null if it was not applied."
    ),
    "undo_url": described(TEXT, "422 “cannot_be_undone”: the path at which the proposal can be undone instead."),
    "turn_id": described(UUID, "409 “turn_running”: the turn to wait for or cancel."),
    "page": described(TEXT, "400 “conversation_elsewhere”: the page of the conversation."),
    "object_id": described(TEXT, "400 “conversation_elsewhere”: the id of the object of its page, or an empty text."),
}

COMPONENTS: dict[str, Json] = {
    **events.COMPONENTS,
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
        id=UUID, type=TEXT, data=ANY, status=STATUS, summary=TEXT, content_hash=TEXT, counts=ANY,
        outcome=ANY, last_error=TEXT,
    ),
    "Tool": response(name=TEXT, label=TEXT, icon=TEXT),
    "PayloadType": response(
        name=TEXT, description=TEXT, source=enum("tool", "llm"), schema=OBJECT, frontend_config=OBJECT,
        is_proposal=BOOLEAN, verbs={**OBJECT, "additionalProperties": response(pending=TEXT, applied=TEXT, tone=TEXT)},
    ),
}  # fmt: skip


def components() -> dict[str, Json]:
    """Return the components with the fields that the registered pages and payload types declare."""
    return {**COMPONENTS, "Context": _context(), **_choices(), **_reviews()}


def object_parameters() -> tuple[str, ...]:
    """Return the other names that pages declare for the query parameter `object_id`."""
    return tuple(dict.fromkeys(page.object_parameter for page in pages if page.object_parameter))


def describe_pages(openapi: Json) -> None:
    """Add the other names of `object_id` to its operations, and a registered page to examples with a context."""
    for operation in (each for path in openapi["paths"].values() for each in path.values()):
        parameters = operation.get("parameters", [])
        for index, parameter in enumerate(parameters):
            if parameter["name"] == "object_id" and parameter["in"] == "query":
                same = {**parameter, "description": "The same as `object_id`."}
                parameters[index + 1 : index + 1] = [{**same, "name": name} for name in object_parameters()]
                break
        for content in operation.get("requestBody", {}).get("content", {}).values():
            for each in content.get("examples", {}).values():
                if "context" in each["value"]:
                    each["value"] = {**each["value"], "context": _example_context()}


def _context() -> Json:
    keys: dict[str, list[str]] = {}
    for page in pages:
        if page.object_key:
            keys.setdefault(page.object_key, []).append(f"“{page.page}”")
    needed = "; ".join(f"“{key}” on {', '.join(names)}" for key, names in keys.items())
    return {
        **OBJECT, "required": ["current_page"],
        "properties": {**CONTEXT, **_united(page.context_schema.get("properties", {}) for page in pages)},
        "additionalProperties": True,
        "description": "The page on which the message is sent. A page of one object needs its id"
        f"{': ' + needed if needed else ''}. A page can declare further fields. Other fields are refused.",
    }  # fmt: skip


def _example_context() -> Json:
    """Return the context of a page of one object, or of any page if there is none."""
    page: PageConfig | None = next((each for each in pages if each.object_key), None)
    if page is not None:
        return {"current_page": page.page, page.object_key: 1}
    return {"current_page": next(iter(pages.names()), "")}


def _choices() -> dict[str, Json]:
    declared = _united(each.selection_fields for each in payload_types)
    content = {**nullable(TEXT), "description": "That of the payload; 409 if its content is another one."}
    fields = {"content_hash": content, **declared}
    edited = {"edits": {**nullable(by_index(OBJECT)), "description": EDITS_DESCRIPTION}, **fields}
    operations = {"anyOf": [enum("all"), array(COUNT)]}
    with_review = named("ChoiceWithReview", body({**fields, "review": BOOLEAN}, operations=operations))
    return {
        "Choice": body(edited, operations=operations),
        "PreviewChoice": {"anyOf": [ref("Choice"), with_review]},
        # Applying no operations would mark the proposal as applied.
        "Apply": body(edited, operations={"anyOf": [enum("all"), array(COUNT, minItems=1)]}),
    }


def _reviews() -> dict[str, Json]:
    reviewed = [each.review_fields for each in payload_types if each.revise_review is not None]
    declared = _united(reviewed)
    always = {name: schema for name, schema in declared.items() if all(name in fields for fields in reviewed)}
    return {
        "Review": response(
            declared, payload_id=UUID, revision=INTEGER,
            unchecked=by_index(BOOLEAN), overwrites=by_index(OBJECT), edits=by_index(OBJECT),
            skip_next=nullable(BOOLEAN), **always,
            not_carried_over=nullable(response(edits=INTEGER, unchecked=INTEGER, examples=array(OBJECT))),
        ),
        "ReviewChanges": body({
            "unchecked": nullable(by_index(nullable(BOOLEAN))), "overwrites": nullable(by_index(nullable(EDITED))),
            "edits": nullable(by_index(nullable(EDITED))),
            "skip_next": nullable(BOOLEAN), "not_carried_over": {"type": "null"}, **declared,
        }),
    }  # fmt: skip


def _united(declared: Iterable[Mapping[str, Json]]) -> dict[str, Json]:
    """Return the schema of each field; any of its schemas if there are several."""
    schemas: dict[str, list[Json]] = {}
    for fields in declared:
        for name, schema in fields.items():
            if schema not in schemas.setdefault(name, []):
                schemas[name].append(schema)
    return {name: found[0] if len(found) == 1 else {"anyOf": found} for name, found in schemas.items()}
