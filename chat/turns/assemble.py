"""Puts together what a turn sends to the model: system, history, and the person's words with what is current."""
from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from django.utils import timezone

from chat.agent.loop import AgentRequest
from chat.prompt import (
    TURN_SECTIONS,
    Section,
    Window,
    build_turn_blocks,
    fence,
    history_window,
    new_token,
    system_blocks,
    tokens_of_turn,
    turns_left_out,
)
from chat.selectors import branch_with_sizes, history_of, news_for
from chat.selectors.conversations import BranchTurn
from chat.turns.page_prompt import sections_of
from chat.turns.snapshot import Snapshot

Json = dict[str, Any]


@dataclass(frozen=True)
class Assembled:
    """What a turn sends, with what it was made of: the system prompt's sections, the titles of the blocks that stand
    before the person's words, the declared tools, and how many older turns did not fit."""

    request: AgentRequest
    sections: tuple[Section, ...]
    turn_sections: tuple[str, ...]
    tools: tuple[Json, ...]
    turns_left_out: int


def assemble(snapshot: Snapshot) -> Assembled:
    """Reads the conversation and builds the request."""
    turn, page = snapshot.turn, snapshot.page
    engine = page.catalogue.engine
    conversation, said = turn.conversation, turn.user_message
    assert said is not None, "a running turn has the message it answers"
    branch, turns = branch_with_sizes(conversation, leaf_id=said.parent_id)
    token = new_token()
    news = news_for(turn, branch=branch)
    blocks = build_turn_blocks(
        context=page.block,
        manifest=news.manifest,
        older=news.older,
        token=token,
        today=timezone.localdate(),
        words=said.exchange[0]["content"][0]["text"],
        record=news.record,
    )
    window = _history(turns, budget_tokens=engine.history_tokens)
    sections = sections_of(page)
    return Assembled(
        request=AgentRequest(
            system=tuple(system_blocks(sections)),
            messages=(*window.messages, {"role": "user", "content": list(blocks)}),
            max_tokens=engine.max_tokens,
            fenced=partial(fence, token=token),
        ),
        sections=tuple(sections),
        turn_sections=TURN_SECTIONS[: len(blocks) - 1],
        tools=tuple(tool.as_api() for tool in page.reach.tools),
        turns_left_out=window.left_out,
    )


def _history(turns: list[BranchTurn], *, budget_tokens: int) -> Window:
    """Reads of the branch what is sent, and of what is not only how much it is."""
    left_out = turns_left_out([tokens_of_turn(turn.sizes) for turn in turns], budget_tokens=budget_tokens)
    return history_window(history_of(turns[left_out:]), left_out=left_out)

