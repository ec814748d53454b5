"""Parse the body of a request that starts a turn. Unknown fields are refused with the nearest name."""
from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from difflib import get_close_matches
from functools import partial
from itertools import islice
from types import MappingProxyType
from typing import Any
from uuid import UUID, uuid4, uuid5

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from chat.exceptions import Malformed
from chat.files import MAX_FILES, MAX_ID_LENGTH
from chat.instructions import NEXT
from chat.page_config import PageConfig, pages
from chat.selectors.access import UUID_FORM
from chat.services import ImportedMessage, TurnRequest, next_turn_id
from chat.turns.body_values import check_size, read_object, read_text
from shared.strictjson.datetimes import DatetimeOutOfRange, parse_datetime
from shared.strictjson.invisible import is_blank
from shared.user_messages import Message, Param, declare, read_all
from shared.user_messages.request_messages import (
    FIELD_MISSING,
    ONE_OF,
    UNKNOWN_FIELD,
    UNKNOWN_PARAMETER,
    UUID_NEEDED,
)

HISTORY_NEEDS_NEW_CONVERSATION = declare(
    "history_needs_new_conversation", "History can only be imported into a new conversation."
)
WRITE_A_MESSAGE = declare("write_a_message", "Enter a message.")
RETRY_WITH_MESSAGE = declare(
    "retry_with_message", "A retry sends the same message again; leave out message and action."
)
PARENT_OF_RETRY = declare("parent_of_retry", "A retry replaces its own message; leave this out.")
PARENT_AND_HISTORY = declare("parent_and_history", "The message follows the history; leave this out.")
OBJECT_ID_NEEDED = declare("object_id_needed", "This page requires {name}.")
NEXT_WITH_MESSAGE = declare(
    "next_with_message", "The next step is stored with the proposal; leave out the message."
)
APPLIED_PROPOSAL_NEEDED = declare("applied_proposal_needed", "This must be the applied proposal.")
NEXT_TURN_ID_NEEDED = declare(
    "next_turn_id_needed", "This must be the UUIDv5 of the proposal's id and “{name}”."
)
TIME_NEEDED = declare("time_needed", "This must be a date and time like 2026-01-02T03:04:05Z.")
LIST_UP_TO = declare("messages_up_to", "This must be a list of at most {most} messages.")
FILES_UP_TO = declare("files_up_to", "This must be a list of at most {most} ids of files.")
FILES_WITH_MESSAGE = declare("files_with_message", "Files can only be added to a new message.")
UNKNOWN_PAGE = declare("unknown_page", "There is no page “{page}”.{hint}")
NEAREST = declare("nearest_name", " Did you mean {name}?")
ALL_NAMES = declare("all_names", " Available: {names}.")
ROLE_NEEDED = declare("role_needed", "The role must be user or assistant.")
MAX_CHARACTERS = 32_000
MAX_HISTORY = 200
MAX_CONTEXT = 1_000_000
MAX_OBJECT_ID = 64
MAX_LISTED = 12
MAX_FAULTS = 100
DATE_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,9})?)?(Z|[+-][0-9]{2}:[0-9]{2})?"
)
# The namespace of the turn ids that stand for idempotency keys; turn ids are unique per user.
KEYS = UUID("6f0f7a52-9d0b-4d4c-8a39-0f6b6f2b1f5e")
INTERACTIONS = ("text_input", "value_selected", "action_executed")
FIELDS = (
    "message", "context", "conversation_id", "conversation_history", "parent_message_id", "retry_of",
    "interaction_type", "action", "client_turn_id", "model", "files",
)  # fmt: skip
IDS = ("retry_of", "conversation_id", "parent_message_id", "client_turn_id")
# Other names for fields, as other APIs and older clients call them.
SYNONYMS = dict.fromkeys(("text", "content", "prompt", "query", "question", "input"), "message")
PAGE_FIELDS = ("current_page", "active_tab", "active_subtab")
VIEW_FIELDS = ("filter", "sort", "search")

Json = dict[str, Any]


def read_turn_request(body: Any, *, idempotency_key: str = "") -> TurnRequest:
    """Parse a body. Raises Malformed with the faults of all fields; if there are none, with all conflicts between them.

    `idempotency_key` stands for the `client_turn_id` of a body without one.
    """
    fields = read_object(body, path="")
    _, page, action, history, message, interaction, model, files, *ids = read_together(
        lambda: refuse_unknown(fields, known=FIELDS, synonyms=SYNONYMS),
        lambda: read_page_context(fields.get("context")),
        lambda: _action(fields.get("action")),
        lambda: _history(fields.get("conversation_history")),
        lambda: _message(fields),
        lambda: _interaction(fields.get("interaction_type", "text_input")),
        lambda: read_text(fields.get("model") or "", path="model", most=MAX_OBJECT_ID),
        lambda: _files(fields),
        *(partial(read_id, fields, name) for name in IDS),
    )
    config, context, object_id = page
    retry_of, conversation_id, parent_id, given_id = ids
    *_, applied_payload_id = read_together(
        lambda: _check_history(history, conversation_id=conversation_id, retry_of=retry_of),
        lambda: _check_message(message, action=action, retry_of=retry_of),
        lambda: _check_parent(fields, history=history, retry_of=retry_of),
        lambda: _applied_payload_id(action, message=message, given_id=given_id),
    )
    uses_key = bool(idempotency_key) and not given_id and applied_payload_id is None
    if uses_key:
        given_id = str(uuid5(KEYS, idempotency_key))
    return TurnRequest(
        client_turn_id=_client_turn_id(given_id, applied_payload_id=applied_payload_id),
        uses_key=uses_key,
        page=config.page,
        object_id=object_id,
        context=context,
        message=message,
        conversation_id=conversation_id,
        parent_message_id=parent_id,
        from_beginning=fields.get("parent_message_id", "") is None,
        retry_of=retry_of,
        history=history,
        interaction_type="action_executed" if applied_payload_id else interaction,
        action=None if applied_payload_id else action,
        next_payload_id=applied_payload_id,
        model=model,
        files=files,
    )


def _check_history(history: Sequence[ImportedMessage], *, conversation_id: str, retry_of: str) -> None:
    if history and (conversation_id or retry_of):
        raise Malformed(HISTORY_NEEDS_NEW_CONVERSATION(), path="conversation_history")


def _message(fields: Json) -> str:
    message = read_text(fields.get("message", ""), path="message", most=MAX_CHARACTERS)
    is_misnamed = "message" not in fields and any(name.casefold() in SYNONYMS for name in fields)
    if is_blank(message) and fields.get("action") is None and not fields.get("retry_of") and not is_misnamed:
        raise Malformed(WRITE_A_MESSAGE(), code="" if "message" in fields else "missing", path="message")
    return message


def _files(fields: Json) -> tuple[str, ...]:
    """Return the ids of the files of the message, each once."""
    value = fields.get("files")
    if value is None:
        return ()
    if not isinstance(value, list) or len(value) > MAX_FILES:
        raise Malformed(FILES_UP_TO(most=MAX_FILES), path="files")
    if value and (fields.get("retry_of") or fields.get("action") is not None):
        raise Malformed(FILES_WITH_MESSAGE(), path="files")
    reads = (partial(read_text, key, path=f"files[{at}]", most=MAX_ID_LENGTH, least=1) for at, key in enumerate(value))
    return tuple(dict.fromkeys(read_together(*reads)))


def _check_message(message: str, *, action: Json | None, retry_of: str) -> None:
    if retry_of and (not is_blank(message) or action is not None):
        raise Malformed(RETRY_WITH_MESSAGE(), path="retry_of")


def _check_parent(fields: Json, *, history: Sequence[ImportedMessage], retry_of: str) -> None:
    if "parent_message_id" in fields and (retry_of or history):
        raise Malformed((PARENT_OF_RETRY if retry_of else PARENT_AND_HISTORY)(), path="parent_message_id")


def read_together(*reads: Callable[[], Any]) -> list[Any]:
    """Return the results of these functions. Raises the Malformed of one, or one error with the faults of all."""
    return read_all(*reads, errors=Malformed, most=MAX_FAULTS)


def missing(name: str, *, path: str = "") -> Malformed:
    """Return the error for a required field that was not sent."""
    return Malformed(FIELD_MISSING(name=name), code="missing", path=path or name)


def refuse_unknown_parameters(given: Iterable[str], *, known: Iterable[str] = ()) -> None:
    """Raise Malformed for unknown query parameters, each with the nearest known one, or all of them."""

    def message(name: str, hint: Param) -> Message:
        return UNKNOWN_PARAMETER(name=name, hint=hint)

    refuse_unknown(given, known=known, message=message)


def _unknown_field(name: str, hint: Param) -> Message:
    return UNKNOWN_FIELD(field=name, hint=hint)


def refuse_unknown(
    given: Iterable[str],
    *,
    known: Iterable[str],
    path: str = "",
    synonyms: Mapping[str, str] = MappingProxyType({}),
    message: Callable[[str, Param], Message] = _unknown_field,
) -> None:
    """Raise Malformed for unknown names, each with its synonym or the nearest known one, or all of them.

    `message` returns the message for a name and a hint; its code is that of the error.
    """
    names = list(known)

    def refuse(name: str) -> None:
        synonym = synonyms.get(name[:64].casefold())
        nearest = [synonym] if synonym else get_close_matches(name[:64].casefold(), names, n=1, cutoff=0.5)
        listed = ALL_NAMES(names=names) if 0 < len(names) <= MAX_LISTED else ""
        hint = NEAREST(name=nearest[0]) if nearest else listed
        refused = message(name[:64], hint)
        raise Malformed(refused, code=refused.code, path=_join(path, name[:64]))

    unknown = [name for name in given if name not in names][:MAX_FAULTS]
    read_together(*(partial(refuse, name) for name in unknown))


def _interaction(value: Any) -> str:
    if value not in INTERACTIONS:
        raise Malformed(ONE_OF(names=INTERACTIONS), path="interaction_type")
    return str(value)


def view_state(context: Json, *, config: PageConfig) -> Json:
    """Return the part of a context that describes the state of the page."""
    page_fields = {*PAGE_FIELDS, config.object_key}
    return {name: value for name, value in context.items() if name not in page_fields}


def get_page(page: str, *, path: str) -> PageConfig:
    """Return the page of this name. Raises Malformed with the nearest one."""
    config = pages.get(page)
    if config is None:
        nearest = pages.nearest(page)
        hint = NEAREST(name=nearest) if nearest else ""
        raise Malformed(UNKNOWN_PAGE(page=page, hint=hint), code="unknown_page", path=path)
    return config


def read_page_context(value: Any) -> tuple[PageConfig, Json, str]:
    """Parse the `context` of a body: the page, the context and the object id. Raises Malformed with a path."""
    if value is None:
        raise missing("context")
    context = read_object(value, path="context")
    check_size(context, path="context", most=MAX_CONTEXT)
    if context.get("current_page") is None:
        raise missing("current_page", path="context.current_page")
    page = read_text(context.get("current_page"), path="context.current_page", most=MAX_OBJECT_ID)
    config = get_page(page, path="context.current_page")
    schema = config.context_schema
    own = tuple(schema.get("properties", ()))
    object_key = (config.object_key,) if config.object_key else ()
    tabs = [name for name in PAGE_FIELDS[1:] if context.get(name) is not None]
    *_, object_id = read_together(
        lambda: refuse_unknown(context, known=(*PAGE_FIELDS, *VIEW_FIELDS, *object_key, *own), path="context"),
        *(partial(read_text, context[name], path=f"context.{name}", most=MAX_OBJECT_ID) for name in tabs),
        lambda: _check_schema(context, schema=schema),
        lambda: _object_id(context, config=config),
    )
    return config, context, object_id


def _check_schema(context: Json, *, schema: Json) -> None:
    """Raise Malformed for the values that the page does not accept."""

    def refuse(fault: ValidationError) -> None:
        path = "context" + fault.json_path.removeprefix("$")
        raise Malformed(f"{path}: {fault.message}"[:500], path=path)

    faults = Draft202012Validator(schema).iter_errors(context) if schema else ()
    read_together(*(partial(refuse, fault) for fault in islice(faults, MAX_FAULTS)))


def _object_id(context: Json, *, config: PageConfig) -> str:
    if not config.object_key:
        return ""
    value = context.get(config.object_key)
    if value is None:
        raise missing(config.object_key, path=f"context.{config.object_key}")
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not 0 < len(value) <= MAX_OBJECT_ID:
        raise Malformed(OBJECT_ID_NEEDED(name=config.object_key), path=f"context.{config.object_key}")
    return value


def _action(value: Any) -> Json | None:
    if value is None:
        return None
    action = read_object(value, path="action")
    read_together(
        lambda: refuse_unknown(action, known=("action", "data"), path="action"),
        lambda: _action_name(action.get("action")),
        lambda: check_size(action, path="action", most=MAX_CHARACTERS),
    )
    return action


def _action_name(value: Any) -> str:
    if value is None:
        raise missing("action", path="action.action")
    return read_text(value, path="action.action", most=200, least=1)


def _applied_payload_id(action: Json | None, *, message: str, given_id: str) -> UUID | None:
    """Return the proposal after which the assistant continues, or None for other actions."""
    if action is None or action["action"] != NEXT:
        return None
    _, payload_id = read_together(
        lambda: _check_next_message(message), lambda: _payload_id(action.get("data"), given_id=given_id)
    )
    return UUID(payload_id)


def _check_next_message(message: str) -> None:
    if message:
        raise Malformed(NEXT_WITH_MESSAGE(), path="message")


def _payload_id(value: Any, *, given_id: str) -> str:
    """Return the id of the proposal in the data of the action. The turn after it has exactly one valid id."""
    data = read_object(value, path="action.data")
    _, payload_id = read_together(
        lambda: refuse_unknown(data, known=("payload_id",), path="action.data"),
        lambda: read_id(data, "payload_id", path="action.data.payload_id"),
    )
    if not payload_id:
        raise Malformed(APPLIED_PROPOSAL_NEEDED(), path="action.data.payload_id")
    if given_id not in ("", str(next_turn_id(UUID(payload_id)))):
        raise Malformed(NEXT_TURN_ID_NEEDED(name=NEXT), path="client_turn_id")
    return str(payload_id)


def _client_turn_id(given: str, *, applied_payload_id: UUID | None) -> UUID:
    """Return the client's id of the turn, by default a new one, after a proposal its only valid one."""
    if applied_payload_id is not None:
        return next_turn_id(applied_payload_id)
    return UUID(given) if given else uuid4()


def _history(value: Any) -> tuple[ImportedMessage, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or len(value) > MAX_HISTORY:
        raise Malformed(LIST_UP_TO(most=MAX_HISTORY), path="conversation_history")
    paths = (f"conversation_history[{index}]" for index in range(len(value)))
    reads = (partial(_imported_message, item, path=path) for item, path in zip(value, paths, strict=True))
    return tuple(read_together(*reads))


def _imported_message(value: Any, *, path: str) -> ImportedMessage:
    entry = read_object(value, path=path)
    _, role, text, timestamp = read_together(
        lambda: refuse_unknown(entry, known=("role", "content", "timestamp"), path=path),
        lambda: _role(entry.get("role"), path=f"{path}.role"),
        lambda: read_text(entry.get("content"), path=f"{path}.content", most=MAX_CHARACTERS, least=1),
        lambda: _time(entry.get("timestamp"), path=path),
    )
    return ImportedMessage(role=role, text=text, timestamp=timestamp)


def _role(value: Any, *, path: str) -> str:
    if value not in ("user", "assistant"):
        raise Malformed(ROLE_NEEDED(), path=path)
    return str(value)


def _time(value: Any, *, path: str) -> datetime | None:
    if value is None:
        return None
    try:
        # Python also accepts dates without a time, weeks, and spaces.
        if not DATE_TIME.fullmatch(value):
            raise ValueError(value)
        return parse_datetime(value)
    except DatetimeOutOfRange as error:
        raise Malformed(error.message, path=f"{path}.timestamp") from None
    except (TypeError, ValueError):
        raise Malformed(TIME_NEEDED(), path=f"{path}.timestamp") from None


def read_id(fields: Json, name: str, *, path: str = "") -> str:
    """Return a UUID in lower case, or "" if absent. Raises Malformed."""
    value = fields.get(name)
    if value is None:
        return ""
    if not isinstance(value, str) or not UUID_FORM.fullmatch(value):
        raise Malformed(UUID_NEEDED(), path=path or name)
    return value.lower()


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
