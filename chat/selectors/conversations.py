"""Reads conversations and their messages; a branch is the path from the first message to one of its leaves."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Exists, OuterRef, Prefetch, QuerySet, Subquery

from chat.models import Conversation, Feedback, Message, Payload
from chat.selectors.ids import as_uuid, nothing
from chat.selectors.visibility import visible_to
from statements import Compiled, Question

Json = dict[str, Any]

# The bytes of an exchange without a message.
EMPTY = len("[]")
MOST_CONVERSATIONS = 200
MOST_MESSAGES = 100


@dataclass(frozen=True)
class BranchTurn:
    """A turn of a branch: its messages that stand for something, with the bytes of each one's exchange."""

    message_ids: tuple[Any, ...]
    sizes: tuple[int, ...]


def conversations_for(
    user: Any, *, page: str = "", object_ids: Iterable[str] = (), trashed: bool = False
) -> QuerySet[Conversation]:
    """This person's conversations, the latest first; or, with `trashed`, what they deleted, in the same way."""
    found = Conversation.objects.filter(visible_to(user, trashed=trashed))
    if page:
        found = found.filter(page=page)
    for object_id in object_ids:
        found = found.filter(object_id=object_id)
    return found.order_by("-deleted_at" if trashed else "-updated_at", "id")


def latest_conversation(user: Any, *, page: str, object_id: str) -> UUID | None:
    """The id of the one that a page opens with; None where nothing was said there."""
    # No name of a page or an object holds what databases take for the end of a text.
    page, object_id = (name.replace("\0", "") for name in (page, object_id))
    found = conversations_for(user, page=page, object_ids=[object_id])
    return found.values_list("pk", flat=True).first()


def conversations_with(words: Sequence[str], *, among: QuerySet[Conversation]) -> list[Conversation]:
    """Those that have every word in their title or messages, in their order; `words` are without case.

    Looked through are the first 200 conversations, and of each its latest 100 messages.
    """
    latest = Message.objects.filter(conversation=OuterRef(OuterRef("pk"))).order_by("-created_at").values("pk")
    spoken = Message.objects.filter(pk__in=Subquery(latest[:MOST_MESSAGES]))
    said = {f"said_{at}": Exists(spoken.filter(search_text__contains=word)) for at, word in enumerate(words)}
    looked_at = among.annotate(**said)[:MOST_CONVERSATIONS]
    return [
        conversation
        for conversation in looked_at
        if all(
            word in conversation.title.casefold() or getattr(conversation, f"said_{at}")
            for at, word in enumerate(words)
        )
    ]


def get_conversation(
    user: Any, conversation_id: Any, *, lock: bool = False, trashed: bool | None = False
) -> Conversation:
    """One of this person's conversations; a locked one knows whether it `has_open` proposals. Raises NotFound."""
    found = Conversation.objects.filter(
        visible_to(user, trashed=trashed), pk=as_uuid(conversation_id, what="conversation")
    )
    if lock:
        pending = Payload.objects.filter(conversation=OuterRef("pk"), status=Payload.Status.PENDING)
        found = found.annotate(has_open=Exists(pending)).select_for_update(of=("self",))
    conversation = found.first()
    if conversation is None:
        raise nothing("conversation")
    return conversation


def locking_conversation(user: Any, conversation_id: Any) -> Question[Conversation | None]:
    """What `get_conversation` gives, locked, but for whether the person may still see what it is about: for whoever has
    asked for that already. Raises NotFound for what cannot be an id."""
    statement = LOCKED.statement(user_id=user.pk, conversation_id=as_uuid(conversation_id, what="conversation"))

    def read(found: list[tuple[Any, ...]]) -> Conversation | None:
        if not found:
            return None
        *values, has_open = found[0]
        conversation = Conversation.from_db(connection.alias, CONCRETE, values)
        conversation.has_open = has_open  # type: ignore[attr-defined]  # as where it is annotated
        return conversation

    return Question((statement,), read)


def _locked(*, user_id: Any, conversation_id: UUID) -> QuerySet[Conversation, tuple[Any, ...]]:
    pending = Payload.objects.filter(conversation=OuterRef("pk"), status=Payload.Status.PENDING)
    own = Conversation.objects.filter(pk=conversation_id, user_id=user_id, sandbox=False, deleted_at__isnull=True)
    return own.select_for_update(of=("self",)).values_list(*CONCRETE, Exists(pending))


CONCRETE = [field.attname for field in Conversation._meta.concrete_fields]
LOCKED = Compiled(_locked, user_id=int, conversation_id=UUID)


def get_message(conversation: Conversation, message_id: Any) -> Message:
    """A message of the conversation. Raises NotFound."""
    message = Message.objects.filter(pk=as_uuid(message_id, what="message"), conversation=conversation).first()
    if message is None:
        raise nothing("message")
    return message


def get_answer(user: Any, message_id: Any) -> Message:
    """An answer in one of this person's conversations. Raises NotFound."""
    answers = Message.objects.filter(visible_to(user, through="conversation__"), role=Message.Role.ASSISTANT)
    answer = answers.filter(pk=as_uuid(message_id, what="answer")).select_related("conversation").first()
    if answer is None:
        raise nothing("answer")
    return answer


def branch_of(conversation: Conversation, *, leaf_id: Any) -> list[Any]:
    """The ids of the messages from the root to the leaf."""
    return path_to(leaf_id, parents=dict(conversation.messages.values_list("pk", "parent_id")))


def branch_with_sizes(conversation: Conversation, *, leaf_id: Any) -> tuple[list[Any], list[BranchTurn]]:
    """`branch_of` and, of the same query, its `sizes_of`."""
    found = list(conversation.messages.values_list("pk", "parent_id", "role", "exchange_bytes"))
    branch = path_to(leaf_id, parents={pk: parent_id for pk, parent_id, _, _ in found})
    return branch, _turns(branch, kept={pk: (role, size) for pk, _, role, size in found})


def path_to(leaf_id: Any, *, parents: dict[Any, Any]) -> list[Any]:
    """From the root to the leaf, by what each message follows; `parents` is used up."""
    branch: list[Any] = []
    while leaf_id is not None and leaf_id in parents:
        branch.append(leaf_id)
        # pop: a circle, should one ever be stored, ends the walk.
        leaf_id = parents.pop(leaf_id)
    return branch[::-1]


def messages_of(conversation: Conversation) -> list[Message]:
    """The messages of the branch that is shown, oldest first, with their turns and payloads, and what the person
    thought of them."""
    return read_messages(branch_of(conversation, leaf_id=conversation.tip_id), user_id=conversation.user_id)


def read_messages(ids: list[Any], *, user_id: Any) -> list[Message]:
    """These messages in this order, with their turns and payloads, and what the person thought of them."""
    found = Message.objects.filter(pk__among=ids).select_related("turn").defer("exchange", "search_text")
    own = Prefetch("feedback", Feedback.objects.filter(user_id=user_id))
    by_id = {message.pk: message for message in found.prefetch_related("payloads", own)}
    return [by_id[pk] for pk in ids if pk in by_id]


def sizes_of(branch: list[Any]) -> list[BranchTurn]:
    """The turns of a branch, each beginning with the person's message; what they say is not read."""
    found = Message.objects.filter(pk__among=branch).values_list("pk", "role", "exchange_bytes")
    return _turns(branch, kept={pk: (role, size) for pk, role, size in found})


def _turns(branch: list[Any], *, kept: dict[Any, tuple[str, int]]) -> list[BranchTurn]:
    turns: list[list[tuple[Any, int]]] = []
    for pk in branch:
        role, size = kept.get(pk, ("", EMPTY))
        if role == Message.Role.USER or not turns:
            turns.append([])
        if size > EMPTY:
            turns[-1].append((pk, size))
    return [BranchTurn(*map(tuple, zip(*turn, strict=True))) for turn in turns if turn]


def history_of(turns: list[BranchTurn]) -> list[list[Json]]:
    """Each of the turns as the API messages it stands for."""
    wanted = [pk for turn in turns for pk in turn.message_ids]
    exchanges = dict(Message.objects.filter(pk__among=wanted).values_list("pk", "exchange"))
    return [[message for pk in turn.message_ids for message in exchanges.get(pk, ())] for turn in turns]
