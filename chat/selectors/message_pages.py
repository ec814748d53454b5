"""Reads a conversation's messages a page at a time: of one of its branches, with what stands beside each."""
from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from chat.models import Conversation, Message
from chat.selectors.conversations import get_message, path_to, read_messages


@dataclass(frozen=True)
class MessagePage:
    """Messages in order; `earlier`: the one before which there are more, or None. `beside`: for each that has others in
    its place (said in other words, answered again), the ids of all of them, oldest first."""

    messages: list[Message]
    earlier: Any
    beside: dict[UUID, list[UUID]]


def page_of_messages(
    conversation: Conversation, *, before: Any = None, through: Any = None, most: int
) -> MessagePage:
    """The last `most` messages of the branch that is shown, or those before one of them; or of the branch that goes
    `through` another message, to the latest that was said after it. Those before one are on every branch through it.

    An answer never comes without its question, so there may be one more. Raises NotFound.
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
        for _ in parents:  # a circle, should one ever be stored, ends the walk
            leaf_id = after[leaf_id][-1] if after[leaf_id] else leaf_id
    branch = path_to(leaf_id, parents=dict(parents))
    found = read_messages(branch[-most - 1 :], user_id=conversation.user_id)
    if len(found) > most and found[1].role == Message.Role.USER:
        found = found[1:]
    beside = {message.pk: after[message.parent_id] for message in found if len(after[message.parent_id]) > 1}
    return MessagePage(found, found[0].pk if len(found) < len(branch) else None, beside)
