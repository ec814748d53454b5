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
    build_turn_blocks,
    fence,
    history_window,
    new_token,
    system_blocks,
)
from chat.selectors import Beginning, LastAnswer, beginning, news_for
from chat.turns.page_prompt import sections_of
from chat.turns.past import Past, past_of
from chat.turns.snapshot import Snapshot
from statements import ask

Json = dict[str, Any]


@dataclass(frozen=True)
class Assembled:
    """What a turn sends, with what it was made of: the system prompt's sections, the titles of the blocks that stand
    before the person's words, the declared tools, how many older turns did not fit, and what was said."""

    request: AgentRequest
    sections: tuple[Section, ...]
    turn_sections: tuple[str, ...]
    tools: tuple[Json, ...]
    turns_left_out: int
    past: Past


@dataclass(frozen=True)
class Prepared:
    """All that a turn reads of the database before its model is called; `used` are the day's tokens so far."""

    assembled: Assembled
    used: int


def prepare(snapshot: Snapshot, *, found: Beginning | None = None) -> Prepared:
    """Reads it, but for what was `found` when the turn was stored."""
    turn = snapshot.turn
    assert turn.user_message is not None, "a running turn has the message it answers"
    if found is None:
        found = ask(beginning(turn.user_message.parent_id, user_id=turn.user_id, now=timezone.now()))
    return Prepared(assemble(snapshot, last=found.last), used=found.tokens)


def assemble(snapshot: Snapshot, *, last: LastAnswer | None) -> Assembled:
    """Reads the conversation up to `last`, which the turn follows, and builds the request."""
    turn, page = snapshot.turn, snapshot.page
    engine = page.catalogue.engine
    conversation, said = turn.conversation, turn.user_message
    assert said is not None, "a running turn has the message it answers"
    past = past_of(conversation, last=last, budget_tokens=engine.history_tokens)
    token = new_token()
    news = news_for(turn, branch=past.branch, last=last)
    blocks = build_turn_blocks(
        context=page.block,
        manifest=news.manifest,
        older=news.older,
        token=token,
        today=timezone.localdate(),
        words=said.exchange[0]["content"][0]["text"],
        record=news.record,
    )
    window = history_window(past.messages, left_out=past.left_out)
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
        past=past,
    )

