"""What the addresses of chat, accounts and the roof do."""
from __future__ import annotations

from chatproject.openapi.words import OFFSET, Asked, Operation, Operations, limit
from rest.schemas import ANYTHING, FLAG, OBJECT, PAGE, TEXT, UUID, WHOLE, a, answer, body, many, maybe, one_of

SHORT = {**TEXT, "maxLength": 64}
EVENTS = {200: {**TEXT, "description": "Server-sent events, each with an id and a JSON object as data."}}
PLACE = {**OBJECT, "required": ["current_page"], "properties": {"current_page": PAGE}}
TURN = body(
    {
        "message": TEXT, "conversation_id": maybe(UUID), "conversation_history": maybe(many(OBJECT)),
        "parent_message_id": {**maybe(UUID), "description": "Absent: the last message. null: none, a first one."},
        "retry_of": maybe(UUID), "client_turn_id": maybe(UUID),
        "interaction_type": one_of("text_input", "value_selected", "action_executed"), "action": maybe(OBJECT),
        "model": {**maybe(SHORT), "description": "One of the models that the page lets people choose from."},
    },
    context=PLACE,
)  # fmt: skip
SETTLED = {
    200: answer(
        id=UUID, status=TEXT, content_hash=TEXT, outcome=ANYTHING, moved_to=TEXT, moved_to_page=TEXT,
        next=maybe(answer(intention=TEXT, client_turn_id=UUID)),
    ),
}

CHAT: Operations = {
    "chat_stream": {
        "post": Operation(
            "Starts a turn and streams it; a client_turn_id that was sent before joins its turn.", EVENTS, takes=TURN,
            example={"message": "How many rows are open?", "context": {"current_page": "table_view", "table_id": 1}},
            streams=True, once=False,
        ),
    },
    "chat_turn": {"get": Operation("The state of a turn.", {200: a("Turn")})},
    "chat_turn_trace": {
        "get": Operation("How a turn came about, for staff with the permission to see it.", {200: a("Trace")}),
    },
    "chat_turn_stream": {
        "get": Operation(
            "The events of a turn after one of them, then live ones.", EVENTS, streams=True,
            query=(
                Asked("after", WHOLE, "The number of the last event that is known."),
                Asked("Last-Event-ID", TEXT, "The same, as browsers send it.", where="header"),
            ),
        ),
    },
    "chat_turn_cancel": {
        "post": Operation("Stops a running turn.", {200: answer(id=UUID, state=TEXT)}, takes=body(), once=False),
    },
    "chat_messages": {
        "get": Operation(
            "The last messages of the branch that is shown; earlier names the one before which there are more, beside "
            "of each message all that stand in its place. And the running turn to join.",
            {200: answer(messages=many(a("Message")), earlier=maybe(UUID), running_turn_id=maybe(UUID),
                         tip=maybe(UUID))},
            query=(
                limit(200),
                Asked("before", UUID, "Only messages before this one."),
                Asked("through", UUID, "Those of the branch through this one, to its latest; beside before, needless."),
            ),
        ),
    },
    "chat_payload": {"get": Operation("A stored payload.", {200: a("Payload")})},
    "chat_operations": {
        "get": Operation(
            "The operations of a proposal, in pages.",
            {200: answer(operations=many(OBJECT), count=WHOLE, next=maybe(WHOLE))},
            query=(
                OFFSET, limit(500), Asked("status", one_of("ok", "warning", "conflict", "error"), "Only such ones."),
            ),
        ),
    },
    "chat_preview": {
        "post": Operation(
            "What applying this choice would do now; with review, with the edits of the stored review.",
            {200: a("Preview")}, takes=a("PreviewChoice"), example={"operations": "all"},
        ),
    },
    "chat_review": {
        "get": Operation(
            "The stored review of a pending proposal; revision 0 where nothing is stored.", {200: a("Review")}
        ),
        "patch": Operation(
            "Changes the stored review: null removes an entry or a setting. Operations are named by their index.",
            {200: a("Review")}, takes=a("ReviewChanges"),
            example={"unchecked": {"2": True}, "edits": {"0": {"Company": "Acme"}}},
        ),
    },
    "chat_apply": {
        "post": Operation(
            "Applies a choice of a proposal's operations, once.", SETTLED, takes=a("Apply"),
            example={"operations": [0, 2, 3]},
        ),
    },
    "chat_dismiss": {"post": Operation("Says no.", {200: answer(id=UUID, status=TEXT)}, takes=body())},
    "chat_action": {
        "post": Operation(
            "Runs a server action that the page offers; the assistant suggests them as buttons.",
            {200: answer(id=UUID, action=TEXT, message=TEXT, data=OBJECT)},
            takes=body({"data": OBJECT, "conversation_id": maybe(UUID)}, context=PLACE),
            example={"context": {"current_page": "table_view", "table_id": 1}, "data": {}},
        ),
    },
    "chat_payload_types": {
        "get": Operation("The payload types you may meet.", {200: answer(payload_types=many(a("PayloadType")))}),
    },
    "chat_page": {
        "get": Operation(
            "What the assistant offers on a page.",
            {200: answer(page=TEXT, payload_types=many(a("PayloadType")), tools=many(OBJECT),
                         client_actions=many(OBJECT), server_actions=many(OBJECT), starters=many(ANYTHING), demo=FLAG,
                         models=many(answer(name=TEXT, label=TEXT, default=FLAG)))},
            query=tuple(Asked(name, TEXT, f"The {name} that is open.") for name in ("tab", "subtab", "table")),
        ),
    },
}  # fmt: skip

ROOF: Operations = {
    "healthz": {"get": Operation("Whether the process answers.", {200: answer(status=TEXT)}, public=True)},
    "readyz": {
        "get": Operation(
            "Whether requests can be served; config is degraded when a change of administrators cannot be used.",
            {200: answer({"config": one_of("degraded")}, status=TEXT), 503: answer(status=TEXT)},
            public=True,
        ),
    },
    "metrics": {
        "get": Operation(
            "Numbers of this process in the text form of Prometheus; with a token of its own, or from this machine.",
            {200: {**TEXT}}, public=True,
        ),
    },
    "api_schema": {"get": Operation("This document.", {200: OBJECT}, public=True)},
    "api_docs": {"get": Operation("This document, for reading.", {200: {**TEXT}}, public=True)},
}  # fmt: skip
