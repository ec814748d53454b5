"""JSON schemas of proposals, turns and messages, which have no serializers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from chat import events
from chat.api import trace_schemas
from chat.page_config import PageConfig, pages
from chat.payload_types import payload_types
from chat.selectors import PAYLOAD_STATUSES
from shared.rest.openapi import (
    ANY,
    BOOLEAN,
    COUNT,
    INTEGER,
    NEXT_PAGE,
    OBJECT,
    PAGE,
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
UNCHECKED = "By index: whether the operation is not chosen."
OVERWRITES = "By index: the values of a conflict as the user saw them, which are overwritten."
EDITS = "By index: other values of an operation, such as {\"0\": {\"Status\": \"Late\"}}."
SKIP_NEXT = "Whether the next step is left out."
CONTEXT: dict[str, Json] = {
    "current_page": PAGE,
    "active_tab": {"description": "The id of the open tab of the page."},
    "active_subtab": {"description": "The id of the open subtab of the tab."},
    "filter": {"description": "The filter of the page."},
    "sort": {"description": "The sort order of the page."},
    "search": {"description": "The words searched for on the page."},
}
CONVERSATION_ID = described(UUID, "The id of the conversation.")
NEW_TURN = named("NewTurn", body(
    {
        "message": described(TEXT, "The message of the user; not needed with “action” or “retry_of”."),
        "conversation_id": described(nullable(UUID), "The conversation to continue; without it, a new one starts."),
        "conversation_history": described(
            nullable(array(OBJECT)), "Earlier messages of a new conversation, each with “role” and “content”."
        ),
        "parent_message_id": {
            **nullable(UUID), "description": "The previous message; absent: the last one; null: none.",
        },
        "retry_of": described(nullable(UUID), "The id of the turn whose answer is written again."),
        "client_turn_id": described(nullable(UUID), "An id of your own: a request with the same one joins the turn."),
        "interaction_type": described(
            enum("text_input", "value_selected", "action_executed"), "How the user has made the message."
        ),
        "action": described(nullable(OBJECT), "The suggested action that the user has executed, with its “data”."),
        "files": described(
            nullable({**array(TEXT), "maxItems": 10}),
            "Ids of files of the page's object that are sent to the model with the message: PNG, JPEG, GIF and WebP "
            "pictures of up to 3.75 MB, PDF documents of up to 20 MB, at most 20 MB together.",
        ),
        "model": {
            **nullable({**TEXT, "maxLength": 64}), "description": "One of the models to choose from on the page.",
        },
    },
    context=ref("Context"),
))  # fmt: skip
PAYLOAD_ID = described(UUID, "The id of the payload.")
CONTENT_HASH = described(TEXT, "The hash of its content, for requests that must not apply another content.")
OUTCOME = described(
    OBJECT, "The result of the apply, with the path of its undo as “undo_url” if there is one; empty before."
)
STATUS = named(
    "PayloadState", described(enum(*PAYLOAD_STATUSES), "The status of a proposal; “shown” for other payloads.")
)
SETTLED = named("AppliedPayload", response(
    id=PAYLOAD_ID, status=STATUS, content_hash=CONTENT_HASH, outcome=OUTCOME,
    moved_to=described(TEXT, "The id of the object that the conversation is about now, such as a new one; or empty."),
    moved_to_page=described(TEXT, "The page of this object; empty if it is the same page."),
    next=nullable(described(
        named("NextStep", response(
            intention=described(TEXT, "What the assistant would do next."),
            client_turn_id=described(UUID, "The client_turn_id for the turn that does it."),
        )),
        "The next step that the proposal has announced; null without one.",
    )),
))  # fmt: skip
OPERATIONS = named("Operations", response(
    operations=described(
        array(OBJECT),
        "The operations of the page, as they are stored: they can have more fields than those of a request, such as "
        "“index”, and are not accepted by requests for proposals.",
    ),
    count=described(INTEGER, "The number of all these operations."), next=NEXT_PAGE,
))  # fmt: skip
DISMISSED = named("PayloadStatus", response(id=PAYLOAD_ID, status=STATUS))
CANCELLED = named("CancelledTurn", response(
    id=described(UUID, "The id of the turn."), state=described(TEXT, "The state of the turn, such as “cancelled”."),
))  # fmt: skip
ACTION = named("Action", body(
    {
        "data": described(OBJECT, "The data of the action, as in its schema."),
        "conversation_id": described(nullable(UUID), "The conversation in which the action was suggested."),
    },
    context=ref("Context"),
))  # fmt: skip
ACTION_RESULT = named("ActionResult", response(
    id=described(UUID, "The id of the execution."), action=described(TEXT, "The name of the action."),
    message=described(TEXT, "A sentence for the user."), data=described(OBJECT, "The result."),
))  # fmt: skip
MESSAGES = named("Messages", response(
    messages=described(array(ref("Message")), "The messages of the page, the oldest first."),
    earlier=described(nullable(UUID), "The value of “before” for the messages before these; null if there are none."),
    running_turn_id=described(nullable(UUID), "The id of the turn that is running; null without one."),
    tip=described(nullable(UUID), "The id of the last message of the current branch; null without messages."),
))  # fmt: skip
PAYLOAD_TYPES = named("PayloadTypes", response(
    payload_types=described(array(ref("PayloadType")), "The payload types that you may see.")
))  # fmt: skip
PAGE_OFFER = named("PageOffer", response(
    page=described(TEXT, "The name of the page."),
    payload_types=described(array(ref("PayloadType")), "The payloads that the assistant can write here."),
    tools=described(array(ref("Tool")), "The tools that it can use here."),
    all_tools=described(array(ref("Tool")), "All tools that you may use on any page."),
    client_actions=described(array(OBJECT), "Actions of the page: action, description, parameters, schema, may_run."),
    server_actions=described(array(OBJECT), "Actions of the server: action, description, parameters."),
    starters=described(array(TEXT), "Suggested first messages."),
    demo=described(BOOLEAN, "Whether the demo model answers."), notice=described(TEXT, "A notice about it; or empty."),
    models=described(
        array(named("Model", response(
            name=described(TEXT, "The value of “model” in a request."), label=described(TEXT, "The name to display."),
            default=described(BOOLEAN, "Whether it is used without a choice."),
        ))),
        "The models to choose from; empty if there is no choice.",
    ),
    tabs=described(
        array(named("Tab", response(
            name=described(TEXT, "The name of the tab."), subtabs=described(array(TEXT), "The names of its subtabs."),
        ))),
        "The tabs of the page.",
    ),
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

TURN_ERROR = described(nullable(ref("TurnError")), "Why the turn failed; null if it did not.")
FEEDBACK = response(
    rating=described(enum("up", "down"), "The rating."), reason=described(TEXT, "The reason; may be empty."),
)  # fmt: skip
TURN_ERROR_FIELDS = {
    "code": described(TEXT, "The code of the error. Codes do not change."),
    "message": described(TEXT, "A sentence in the language of the user."),
    "retryable": described(BOOLEAN, "Whether the same message may succeed later."),
}
COMPONENTS: dict[str, Json] = {
    **events.COMPONENTS, **trace_schemas.COMPONENTS,
    "TurnError": response(**TURN_ERROR_FIELDS),
    "EndedTurnError": response(**TURN_ERROR_FIELDS, retry_after=described(
        nullable({"type": "number"}),
        "The seconds to wait before it is sent again; null if the provider has named none.",
    )),
    "Turn": response(
        id=described(UUID, "The id of the turn."), conversation_id=CONVERSATION_ID,
        state=described(enum("running", "complete", "error", "cancelled"), "The state of the turn."),
        page=described(TEXT, "The page on which the message was sent."),
        model=described(TEXT, "The model that answers."),
        usage=described(OBJECT, "The tokens of the model: input_tokens, output_tokens, cache_read_tokens."),
        error=described(nullable(ref("EndedTurnError")), "Why the turn failed; null if it did not."),
        started_at=described(TIME, "The time at which it started."),
        ended_at=described(nullable(TIME), "The time at which it ended; null while it is running."),
    ),
    "Message": response(
        id=described(UUID, "The id of the message."), role=described(enum("user", "assistant"), "Who wrote it."),
        text=described(TEXT, "The text; answers are in Markdown."),
        parent_id=described(nullable(UUID), "The id of the message before it; null for the first one."),
        beside=described(array(UUID), "The ids of all messages at its position, if there are several."),
        turn_id=described(nullable(UUID), "The id of its turn; null if there is none."),
        created_at=described(TIME, "The time at which it was sent."),
        files=described(array(named("MessageFile", response(
            id=described(TEXT, "The id of the file."), name=described(TEXT, "Its name."),
            media_type=described(TEXT, "Its media type."), size=described(INTEGER, "Its size in bytes."),
        ))), "The files that the user has added."),
        interaction_type=described(TEXT, "How the user has made the message, such as “text_input”."),
        suggested_values=described(array(OBJECT), "Suggested replies, each with label and value."),
        suggested_actions=described(array(OBJECT), "Suggested actions, each with label, action and handler."),
        tool_history=described(
            array(OBJECT), "The tools: tool_name, input, output, is_error, duration_ms, and undo if it is possible."
        ),
        custom_payload=described(
            nullable(OBJECT),
            "The proposal, with the fields of Payload. Without one, the tools as “tool_history”, with type and data "
            "only; null without both.",
        ),
        state=described(TEXT, "The state of the turn; “complete” for messages of users."),
        model=described(TEXT, "The model that has answered; empty for messages of users."),
        error=TURN_ERROR, warning=described(TEXT, "A warning to the user; or empty."),
        unreadable=described(TEXT, "The text of a proposal that could not be read; or empty."),
        links=described(OBJECT, "The targets of links in the text by address, each with href and data."),
        feedback=described(nullable(FEEDBACK), "Your rating; null without one."),
    ),
    "Payload": response(
        id=PAYLOAD_ID, type=described(TEXT, "The payload type, such as “data_proposal” or “schema_proposal”."),
        data=described(ANY, "The content; of a proposal, an object with its operations."), status=STATUS,
        summary=described(TEXT, "A line about it, for people."), content_hash=CONTENT_HASH,
        counts=described(OBJECT, "The number of operations by action."), outcome=OUTCOME,
        last_error=described(TEXT, "Why the last apply failed; or empty."),
    ),
    "Tool": response(
        name=described(TEXT, "The name of the tool."), label=described(TEXT, "The name to display."),
        icon=described(TEXT, "The name of its icon."),
    ),
    "PayloadType": response(
        name=described(TEXT, "The name, as in the “type” of payloads."),
        description=described(TEXT, "What it contains."),
        source=described(enum("tool", "llm"), "Whether a tool or the model writes it."),
        schema=described(OBJECT, "The JSON Schema of its data."),
        frontend_config=described(OBJECT, "Settings for the display."),
        is_proposal=described(BOOLEAN, "Whether it can be applied."),
        verbs=described(
            {
                **OBJECT,
                "additionalProperties": response(
                    pending=described(TEXT, "Before the apply: “{count} to send”."),
                    applied=described(TEXT, "After it: “{count} sent”."),
                    tone=described(TEXT, "The color: add, change, delete or empty."),
                ),
            },
            "How operations are counted, by action.",
        ),
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
    ids = {
        key: {"description": f"The id of the object, required on {', '.join(names)}."} for key, names in keys.items()
    }
    return {
        **OBJECT, "required": ["current_page"],
        "properties": {**CONTEXT, **ids, **_united(page.context_schema.get("properties", {}) for page in pages)},
        "additionalProperties": True,
        "description": "The page on which the message is sent. A page of one object needs its id. A page can declare "
        "further fields. Other fields are refused.",
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
    chosen = "“all”, or the indexes of operations as in a preview: [0, 2]."
    operations = described({"anyOf": [enum("all"), array(COUNT)]}, chosen)
    review = described(BOOLEAN, "Also with the edits of the stored review; “edits” must be absent then.")
    with_review = named("ChoiceWithReview", body({**fields, "review": review}, operations=operations))
    return {
        "Choice": body(edited, operations=operations),
        "PreviewChoice": {"anyOf": [ref("Choice"), with_review]},
        # Applying no operations would mark the proposal as applied.
        "Apply": body(edited, operations=described({"anyOf": [enum("all"), array(COUNT, minItems=1)]}, chosen)),
    }


def _reviews() -> dict[str, Json]:
    reviewed = [each.review_fields for each in payload_types if each.revise_review is not None]
    declared = _united(reviewed)
    always = {name: schema for name, schema in declared.items() if all(name in fields for fields in reviewed)}
    return {
        "Review": response(
            declared,
            payload_id=PAYLOAD_ID,
            revision=described(INTEGER, "The number of the stored revision; 0 if nothing is stored."),
            unchecked=described(by_index(BOOLEAN), UNCHECKED), overwrites=described(by_index(OBJECT), OVERWRITES),
            edits=described(by_index(OBJECT), EDITS), skip_next=described(nullable(BOOLEAN), SKIP_NEXT), **always,
            not_carried_over=described(
                nullable(response(
                    edits=described(INTEGER, "The number of edits."),
                    unchecked=described(INTEGER, "The number of unchecked operations."),
                    examples=described(array(OBJECT), "Some of them."),
                )),
                "Decisions about an earlier proposal that do not fit this one; null without any.",
            ),
        ),
        "ReviewChanges": body({
            "unchecked": described(nullable(by_index(nullable(BOOLEAN))), UNCHECKED),
            "overwrites": described(nullable(by_index(nullable(EDITED))), OVERWRITES),
            "edits": described(nullable(by_index(nullable(EDITED))), EDITS),
            "skip_next": described(nullable(BOOLEAN), SKIP_NEXT),
            "not_carried_over": described({"type": "null"}, "Removes the list of lost decisions."), **declared,
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
