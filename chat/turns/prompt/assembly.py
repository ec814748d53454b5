"""Build the request of a turn: system prompt, history, and the user's message with the current context."""
from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from django.utils import timezone

from chat.agent.loop import AgentRequest
from chat.files import tokens_of_files
from chat.prompt import (
    TURN_SECTIONS,
    Section,
    build_turn_blocks,
    fence,
    history_window,
    new_token,
    system_blocks,
)
from chat.selectors import LastAnswer, TurnStart, events_since, turn_start_query
from chat.turns.files import file_contents
from chat.turns.page import Snapshot
from chat.turns.prompt.history import History, history_before
from chat.turns.prompt.sections import prompt_sections
from shared.db import run_query

Json = dict[str, Any]


@dataclass(frozen=True)
class TurnPrompt:
    """The request of a turn and its parts: sections of the system prompt, titles of the blocks before the user's
    message, declared tools, the number of older turns that did not fit, and the history."""

    request: AgentRequest
    sections: tuple[Section, ...]
    turn_sections: tuple[str, ...]
    tools: tuple[Json, ...]
    turns_left_out: int
    history: History


@dataclass(frozen=True)
class PreparedTurn:
    """Everything a turn reads from the database before the model is called. `used`: tokens used on this day."""

    turn_prompt: TurnPrompt
    used: int


def prepare_turn(snapshot: Snapshot, *, turn_start: TurnStart | None = None) -> PreparedTurn:
    """Read the data of a turn, except for `turn_start` if it was read when the turn was stored."""
    turn = snapshot.turn
    assert turn.user_message is not None, "a running turn has the message it answers"
    if turn_start is None:
        turn_start = run_query(turn_start_query(turn.user_message.parent_id, user_id=turn.user_id, now=timezone.now()))
    return PreparedTurn(build_turn_prompt(snapshot, last=turn_start.last), used=turn_start.tokens)


def build_turn_prompt(snapshot: Snapshot, *, last: LastAnswer | None) -> TurnPrompt:
    """Read the conversation up to `last`, the answer before the turn, and build the request."""
    turn, page = snapshot.turn, snapshot.page
    engine = page.catalogue.engine
    conversation, user_message = turn.conversation, turn.user_message
    assert user_message is not None, "a running turn has the message it answers"
    words, *references = user_message.exchange[0]["content"]
    budget, tokens_of_new = engine.history_tokens, tokens_of_files(references)
    history = history_before(conversation, last=last, budget_tokens=budget)
    if tokens_of_new and history.sent_tokens + tokens_of_new > budget:
        history = history_before(conversation, last=last, budget_tokens=max(0, budget - tokens_of_new))
    free = budget - history.sent_tokens - tokens_of_new
    token = new_token()
    events = events_since(turn, branch=history.branch, last=last)
    *before, text = build_turn_blocks(
        context=page.block,
        manifest=events.manifest,
        older=events.older,
        token=token,
        today=timezone.localdate(),
        user_text=words["text"],
        record=events.record,
    )
    window = history_window(history.messages, left_out=history.left_out)
    messages = (*window.messages, {"role": "user", "content": [*before, *references, text]})
    sections = prompt_sections(page)
    return TurnPrompt(
        request=AgentRequest(
            system=tuple(system_blocks(sections)),
            messages=messages,
            max_tokens=engine.max_tokens,
            fence=partial(fence, token=token),
            files=file_contents(page, window.messages, new=references, free_tokens=free),
        ),
        sections=tuple(sections),
        turn_sections=TURN_SECTIONS[: len(before)],
        tools=tuple(tool.as_api() for tool in page.entries.tools),
        turns_left_out=window.left_out,
        history=history,
    )

