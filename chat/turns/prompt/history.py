"""The conversation before a turn as messages for the API, cached so that each turn reads only what is new.

Messages never change, so the id of the last message identifies the history up to it. What can still change (proposals,
late tools, the page) is not part of it.
"""
from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any

from chat.agent.message_history import extend_normalized, normalize_messages
from chat.prompt import tokens_of_turn, turns_left_out
from chat.selectors import LastAnswer, branch_ids_and_sizes, load_exchanges
from chat.services.traces import StoredTexts

if TYPE_CHECKING:
    from chat.models import Conversation

# Bytes of JSON in the cache. In memory they take about three times as much.
MAX_BYTES = 16_000_000
ROLES_OF_A_TURN = ["user", "assistant"]

Json = dict[str, Any]


@dataclass(frozen=True)
class History:
    """A branch from its first message.

    `branch` has the message ids, `tokens` the tokens of each turn, `left_out` the number of oldest turns that do not
    fit, `messages` the others in a valid order, `size` their bytes. `names` maps the `id()` of a message to its name in
    traces, once that is known; `stored` has the names that are in the database.
    """

    branch: tuple[Any, ...] = ()
    tokens: tuple[int, ...] = ()
    left_out: int = 0
    messages: tuple[Json, ...] = ()
    size: int = 0
    names: dict[int, str] = field(default_factory=dict, compare=False)
    stored: StoredTexts = field(default_factory=StoredTexts, compare=False)

    @property
    def sent_tokens(self) -> int:
        """The tokens of the turns that fit."""
        return sum(self.tokens[self.left_out :])


class HistoryCache:
    """Recently used histories by last message and token budget, up to `max_bytes` of JSON."""

    def __init__(self, *, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._entries: OrderedDict[tuple[Any, int], History] = OrderedDict()
        self._lock = Lock()

    def get(self, leaf_id: Any, *, budget_tokens: int) -> History | None:
        """Return the history up to this message if it is cached; without a message, an empty one."""
        if leaf_id is None:
            return History()
        with self._lock:
            history = self._entries.get((leaf_id, budget_tokens))
            if history is not None:
                self._entries.move_to_end((leaf_id, budget_tokens))
            return history

    def put(self, history: History, *, budget_tokens: int, instead_of: Any = None) -> None:
        """Cache a history, replacing that up to the earlier message `instead_of`."""
        with self._lock:
            for leaf_id in (history.branch[-1], instead_of):
                replaced = self._entries.pop((leaf_id, budget_tokens), None)
                self._bytes -= replaced.size if replaced is not None else 0
            self._entries[history.branch[-1], budget_tokens] = history
            self._bytes += history.size
            while self._bytes > self._max_bytes:
                _, oldest = self._entries.popitem(last=False)
                self._bytes -= oldest.size


history_cache = HistoryCache()


def history_before(
    conversation: Conversation, *, last: LastAnswer | None, budget_tokens: int, cache: HistoryCache = history_cache
) -> History:
    """Return the history up to `last`, cut to the budget, without a query if the turn before it is cached."""
    if last is None:
        return History()
    leaf_id = last.messages[-1].id
    history = cache.get(leaf_id, budget_tokens=budget_tokens)
    if history is None:
        history = _extended(last, budget_tokens=budget_tokens, cache=cache) or _read(
            conversation, leaf_id=leaf_id, budget_tokens=budget_tokens
        )
        cache.put(history, budget_tokens=budget_tokens, instead_of=last.before_id)
    return history


def _extended(last: LastAnswer, *, budget_tokens: int, cache: HistoryCache) -> History | None:
    """Return the cached history extended by one turn, or None if it cannot be extended."""
    before = cache.get(last.before_id, budget_tokens=budget_tokens)
    if before is None or [message.role for message in last.messages] != ROLES_OF_A_TURN:
        return None
    size = sum(message.size for message in last.messages)
    tokens = (*before.tokens, tokens_of_turn([message.size for message in last.messages]))
    messages = extend_normalized(before.messages, more=[part for message in last.messages for part in message.exchange])
    if messages is None or turns_left_out(tokens, budget_tokens=budget_tokens) != before.left_out:
        return None
    ids = (message.id for message in last.messages)
    names = {id(message): before.names.get(id(message), "") for message in messages}
    branch, whole = (*before.branch, *ids), before.size + size
    return History(branch, tokens, before.left_out, tuple(messages), whole, names, before.stored)


def _read(conversation: Conversation, *, leaf_id: Any, budget_tokens: int) -> History:
    """Read the messages that fit, and the sizes of the others."""
    branch, turns = branch_ids_and_sizes(conversation, leaf_id=leaf_id)
    tokens = tuple(tokens_of_turn(turn.sizes) for turn in turns)
    left_out = turns_left_out(tokens, budget_tokens=budget_tokens)
    messages = normalize_messages([message for turn in load_exchanges(turns[left_out:]) for message in turn])
    size = sum(sum(turn.sizes) for turn in turns[left_out:])
    names = {id(message): "" for message in messages}
    return History(tuple(branch), tokens, left_out, tuple(messages), size, names)
