"""Conversations and their messages. A branch is the path from the first message to one of the last."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Exists, OuterRef, Prefetch, QuerySet, Subquery

from chat.links import without_links
from chat.models import Conversation, Feedback, Message, Payload
from chat.selectors.access import not_found, parse_uuid, visible_to
from shared.db import CompiledQuery, Query

Json = dict[str, Any]

# Size of an exchange without messages.
EMPTY_EXCHANGE_BYTES = len("[]")
MAX_SEARCHED_CONVERSATIONS = 200
MAX_SEARCHED_MESSAGES = 100
EXPORT_CHUNK_SIZE = 200


@dataclass(frozen=True)
class MessagePage:
    """Messages in order.

    `earlier` is the id of the first message if there are older ones, else None. `beside` lists the ids of all messages
    with the same parent (edited messages, repeated answers), oldest first, for each message that is not the only one.
    """

    messages: list[Message]
    earlier: Any
    beside: dict[UUID, list[UUID]]


@dataclass(frozen=True)
class BranchTurn:
    """A turn of a branch: its messages with an exchange, and the sizes of their exchanges in bytes."""

    message_ids: tuple[Any, ...]
    sizes: tuple[int, ...]


def conversations_for(
    user: Any, *, page: str = "", object_ids: Iterable[str] = (), trashed: bool = False
) -> QuerySet[Conversation]:
    """Return the user's conversations, latest first; with `trashed`, the deleted ones."""
    found = Conversation.objects.filter(visible_to(user, trashed=trashed))
    if page:
        found = found.filter(page=page)
    for object_id in object_ids:
        found = found.filter(object_id=object_id)
    return found.order_by("-deleted_at" if trashed else "-updated_at", "id")


def latest_conversation_id(user: Any, *, page: str, object_id: str) -> UUID | None:
    """Return the id of the conversation that a page opens with, None if it has none."""
    # PostgreSQL rejects NUL in texts; no page or object id contains it.
    page, object_id = (name.replace("\0", "") for name in (page, object_id))
    found = conversations_for(user, page=page, object_ids=[object_id])
    return found.values_list("pk", flat=True).first()


def search_conversations(words: Sequence[str], *, among: QuerySet[Conversation]) -> list[Conversation]:
    """Return the conversations that contain all words in their title or messages.

    Searches the first 200 conversations of `among`, and the latest 100 messages of each. `words` are casefolded.
    """
    latest = Message.objects.filter(conversation=OuterRef(OuterRef("pk"))).order_by("-created_at").values("pk")
    messages = Message.objects.filter(pk__in=Subquery(latest[:MAX_SEARCHED_MESSAGES]))
    matches = {f"match_{n}": Exists(messages.filter(search_text__contains=word)) for n, word in enumerate(words)}
    return [
        conversation
        for conversation in among.annotate(**matches)[:MAX_SEARCHED_CONVERSATIONS]
        if all(
            word in conversation.title.casefold() or getattr(conversation, f"match_{n}") for n, word in enumerate(words)
        )
    ]


def get_conversation(
    user: Any, conversation_id: Any, *, lock: bool = False, trashed: bool | None = False
) -> Conversation:
    """Return one of the user's conversations; with `lock`, annotated with `has_open` (proposals). Raises NotFound."""
    found = Conversation.objects.filter(
        visible_to(user, trashed=trashed), pk=parse_uuid(conversation_id, kind="conversation")
    )
    if lock:
        pending = Payload.objects.filter(conversation=OuterRef("pk"), status=Payload.Status.PENDING)
        found = found.annotate(has_open=Exists(pending)).select_for_update(of=("self",))
    conversation = found.first()
    if conversation is None:
        raise not_found("conversation")
    return conversation


def lock_trial_conversation(user: Any, conversation_id: Any) -> Conversation:
    """Return a conversation in which the user tries a draft, locked until the transaction ends. Raises NotFound."""
    own = Conversation.objects.filter(user=user, sandbox=True)
    found = own.filter(pk=parse_uuid(conversation_id, kind="conversation")).select_for_update(of=("self",))
    conversation = found.first()
    if conversation is None:
        raise not_found("conversation")
    return conversation


def lock_conversation_query(user: Any, conversation_id: Any) -> Query[Conversation | None]:
    """Return a query for one of the user's conversations that locks it, with the result None if it does not exist.

    It does not check whether the user may see the conversation's object; callers must have checked it. Raises NotFound
    for an invalid id.
    """
    statement = LOCK_CONVERSATION.statement(
        user_id=user.pk, conversation_id=parse_uuid(conversation_id, kind="conversation")
    )

    def read(found: list[tuple[Any, ...]]) -> Conversation | None:
        if not found:
            return None
        *values, has_open = found[0]
        conversation = Conversation.from_db(connection.alias, CONVERSATION_COLUMNS, values)
        conversation.has_open = has_open  # type: ignore[attr-defined]  # an annotation
        return conversation

    return Query((statement,), read)


def _locked_conversation(*, user_id: Any, conversation_id: UUID) -> QuerySet[Conversation, tuple[Any, ...]]:
    pending = Payload.objects.filter(conversation=OuterRef("pk"), status=Payload.Status.PENDING)
    own = Conversation.objects.filter(pk=conversation_id, user_id=user_id, sandbox=False, deleted_at__isnull=True)
    return own.select_for_update(of=("self",)).values_list(*CONVERSATION_COLUMNS, Exists(pending))


CONVERSATION_COLUMNS = [field.attname for field in Conversation._meta.concrete_fields]
LOCK_CONVERSATION = CompiledQuery(_locked_conversation, user_id=int, conversation_id=UUID)


def get_message(conversation: Conversation, message_id: Any) -> Message:
    """Return a message of the conversation. Raises NotFound."""
    message = Message.objects.filter(pk=parse_uuid(message_id, kind="message"), conversation=conversation).first()
    if message is None:
        raise not_found("message")
    return message


def get_answer(user: Any, message_id: Any) -> Message:
    """Return an answer in one of the user's conversations. Raises NotFound."""
    answers = Message.objects.filter(visible_to(user, through="conversation__"), role=Message.Role.ASSISTANT)
    answer = answers.filter(pk=parse_uuid(message_id, kind="answer")).select_related("conversation").first()
    if answer is None:
        raise not_found("answer")
    return answer


def branch_ids(conversation: Conversation, *, leaf_id: Any) -> list[Any]:
    """Return the ids of the messages from the root to the leaf."""
    return path_to(leaf_id, parents=dict(conversation.messages.values_list("pk", "parent_id")))


def branch_ids_and_sizes(conversation: Conversation, *, leaf_id: Any) -> tuple[list[Any], list[BranchTurn]]:
    """Return `branch_ids` and their `branch_sizes` from a single query."""
    found = list(conversation.messages.values_list("pk", "parent_id", "role", "exchange_bytes"))
    branch = path_to(leaf_id, parents={pk: parent_id for pk, parent_id, _, _ in found})
    return branch, _branch_turns(branch, sizes={pk: (role, size) for pk, _, role, size in found})


def path_to(leaf_id: Any, *, parents: dict[Any, Any]) -> list[Any]:
    """Return the ids from the root to the leaf; `parents` maps ids to parent ids and is consumed."""
    branch: list[Any] = []
    while leaf_id is not None and leaf_id in parents:
        branch.append(leaf_id)
        # pop, so that a cycle in the data cannot cause an endless loop.
        leaf_id = parents.pop(leaf_id)
    return branch[::-1]


def read_messages(ids: list[Any], *, user_id: Any) -> list[Message]:
    """Return these messages in order, with their turns, payloads and the user's ratings."""
    found = Message.objects.filter(pk__among=ids).select_related("turn").defer("exchange", "search_text")
    own = Prefetch("feedback", Feedback.objects.filter(user_id=user_id))
    by_id = {message.pk: message for message in found.prefetch_related("payloads", own)}
    return [by_id[pk] for pk in ids if pk in by_id]


def message_page(conversation: Conversation, *, before: Any = None, through: Any = None, limit: int) -> MessagePage:
    """Return the last `limit` messages of a branch.

    It is the current branch, up to the message `before` if given; or the latest branch `through` a message. The page
    has one message more if it would otherwise start with an answer. Raises NotFound.
    """
    parents = dict(conversation.messages.order_by("created_at", "id").values_list("pk", "parent_id"))
    after: defaultdict[Any, list[UUID]] = defaultdict(list)
    for pk, parent_id in parents.items():
        after[parent_id].append(pk)
    leaf_id = conversation.tip_id
    if before:
        leaf_id = get_message(conversation, before).parent_id
    elif through:
        leaf_id = get_message(conversation, through).pk
        for _ in parents:  # bounded, so that a cycle in the data cannot cause an endless loop
            leaf_id = after[leaf_id][-1] if after[leaf_id] else leaf_id
    branch = path_to(leaf_id, parents=dict(parents))
    found = read_messages(branch[-limit - 1 :], user_id=conversation.user_id)
    if len(found) > limit and found[1].role == Message.Role.USER:
        found = found[1:]
    beside = {message.pk: after[message.parent_id] for message in found if len(after[message.parent_id]) > 1}
    return MessagePage(found, found[0].pk if len(found) < len(branch) else None, beside)


def branch_sizes(branch: list[Any]) -> list[BranchTurn]:
    """Return the turns of a branch, each starting with the user's message, without loading their exchanges."""
    found = Message.objects.filter(pk__among=branch).values_list("pk", "role", "exchange_bytes")
    return _branch_turns(branch, sizes={pk: (role, size) for pk, role, size in found})


def _branch_turns(branch: list[Any], *, sizes: dict[Any, tuple[str, int]]) -> list[BranchTurn]:
    turns: list[list[tuple[Any, int]]] = []
    for pk in branch:
        role, size = sizes.get(pk, ("", EMPTY_EXCHANGE_BYTES))
        if role == Message.Role.USER or not turns:
            turns.append([])
        if size > EMPTY_EXCHANGE_BYTES:
            turns[-1].append((pk, size))
    return [BranchTurn(*map(tuple, zip(*turn, strict=True))) for turn in turns if turn]


def load_exchanges(turns: list[BranchTurn]) -> list[list[Json]]:
    """Return the API messages of each turn."""
    ids = [pk for turn in turns for pk in turn.message_ids]
    exchanges = dict(Message.objects.filter(pk__among=ids).values_list("pk", "exchange"))
    return [[message for pk in turn.message_ids for message in exchanges.get(pk, ())] for turn in turns]


def export_conversations(user: Any) -> Iterator[dict[str, Any]]:
    """Yield the user's conversations with their messages, oldest first.

    Deleted conversations that can be restored are included, as are the messages of all branches; `answers` is the id
    of the parent message.
    """
    own = Conversation.objects.filter(user_id=user.pk, sandbox=False).order_by("created_at", "id")
    for conversation in own.iterator(chunk_size=EXPORT_CHUNK_SIZE):
        messages = Message.objects.filter(conversation_id=conversation.pk).order_by("created_at", "id")
        rows = messages.values("id", "parent_id", "role", "text", "created_at")
        yield {
            "id": str(conversation.pk),
            "title": conversation.title,
            "page": conversation.page,
            "about": conversation.object_id,
            "created_at": conversation.created_at.isoformat(),
            "deleted_at": conversation.deleted_at.isoformat() if conversation.deleted_at else None,
            "messages": [
                {
                    "id": str(row["id"]),
                    "answers": str(row["parent_id"]) if row["parent_id"] else None,
                    "from": row["role"],
                    "text": without_links(row["text"]) if row["role"] == Message.Role.ASSISTANT else row["text"],
                    "at": row["created_at"].isoformat(),
                }
                for row in rows
            ],
        }
