"""What was said before a turn, as the API takes it, kept from turn to turn: each reads only what is new since the last.

What has been said never changes, so a message stands for all that was said up to it. What may still change (proposals,
late tools, the page) is no part of it.
"""
from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any

from chat.agent.exchange import mended, mended_after
from chat.prompt import tokens_of_turn, turns_left_out
from chat.selectors import LastAnswer, branch_with_sizes, history_of
from chat.services.traces import StoredTexts

if TYPE_CHECKING:
    from chat.models import Conversation

# Of the JSON of what is kept; in memory it takes about three times as much.
MOST_BYTES = 16_000_000
ROLES_OF_A_TURN = ["user", "assistant"]

Json = dict[str, Any]


@dataclass(frozen=True)
class Past:
    """A branch from its first message: the ids, the tokens of its turns, how many of those do not fit, and the messages
    of the others, mended. `size`: the bytes of the messages; `names`: room for what each, by its `id`, is called in
    traces, once that is known; `stored`: which of those names stand in the database."""

    branch: tuple[Any, ...] = ()
    tokens: tuple[int, ...] = ()
    left_out: int = 0
    messages: tuple[Json, ...] = ()
    size: int = 0
    names: dict[int, str] = field(default_factory=dict, compare=False)
    stored: StoredTexts = field(default_factory=StoredTexts, compare=False)


class KeptPasts:
    """Those asked for lately, by the last message and the budget they were cut to; at most so many bytes of them."""

    def __init__(self, *, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._kept: OrderedDict[tuple[Any, int], Past] = OrderedDict()
        self._lock = Lock()

    def get(self, leaf_id: Any, *, budget_tokens: int) -> Past | None:
        """What was said up to this message, if it is known; before the first there is nothing."""
        if leaf_id is None:
            return Past()
        with self._lock:
            past = self._kept.get((leaf_id, budget_tokens))
            if past is not None:
                self._kept.move_to_end((leaf_id, budget_tokens))
            return past

    def put(self, past: Past, *, budget_tokens: int, instead_of: Any = None) -> None:
        """Keeps it, in place of what was said up to an earlier message."""
        with self._lock:
            for leaf_id in (past.branch[-1], instead_of):
                gone = self._kept.pop((leaf_id, budget_tokens), None)
                self._bytes -= gone.size if gone is not None else 0
            self._kept[past.branch[-1], budget_tokens] = past
            self._bytes += past.size
            while self._bytes > self._most_bytes:
                _, oldest = self._kept.popitem(last=False)
                self._bytes -= oldest.size


kept = KeptPasts()


def past_of(
    conversation: Conversation, *, last: LastAnswer | None, budget_tokens: int, kept: KeptPasts = kept
) -> Past:
    """What was said up to `last`, cut to the budget. No query where the turn before that one is known here."""
    if last is None:
        return Past()
    leaf_id = last.said[-1].id
    past = kept.get(leaf_id, budget_tokens=budget_tokens)
    if past is None:
        past = _gone_on(last, budget_tokens=budget_tokens, kept=kept) or _read(
            conversation, leaf_id=leaf_id, budget_tokens=budget_tokens
        )
        kept.put(past, budget_tokens=budget_tokens, instead_of=last.before_id)
    return past


def _gone_on(last: LastAnswer, *, budget_tokens: int, kept: KeptPasts) -> Past | None:
    """What is known of the turns before, and one turn more; None unless it is as simple as that."""
    before = kept.get(last.before_id, budget_tokens=budget_tokens)
    if before is None or [said.role for said in last.said] != ROLES_OF_A_TURN:
        return None
    size = sum(said.size for said in last.said)
    tokens = (*before.tokens, tokens_of_turn([said.size for said in last.said]))
    messages = mended_after(before.messages, more=[message for said in last.said for message in said.exchange])
    if messages is None or turns_left_out(tokens, budget_tokens=budget_tokens) != before.left_out:
        return None
    ids = (said.id for said in last.said)
    names = {id(message): before.names.get(id(message), "") for message in messages}
    branch, whole = (*before.branch, *ids), before.size + size
    return Past(branch, tokens, before.left_out, tuple(messages), whole, names, before.stored)


def _read(conversation: Conversation, *, leaf_id: Any, budget_tokens: int) -> Past:
    """Reads of the branch what is sent, and of what is not only how much it is."""
    branch, turns = branch_with_sizes(conversation, leaf_id=leaf_id)
    tokens = tuple(tokens_of_turn(turn.sizes) for turn in turns)
    left_out = turns_left_out(tokens, budget_tokens=budget_tokens)
    messages = mended([message for turn in history_of(turns[left_out:]) for message in turn])
    size = sum(sum(turn.sizes) for turn in turns[left_out:])
    names = {id(message): "" for message in messages}
    return Past(tuple(branch), tokens, left_out, tuple(messages), size, names)
