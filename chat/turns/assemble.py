"""Puts together what a turn sends to the model: system, history, and the person's words with what is current."""
from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from django.utils import timezone

from chat.agent.loop import AgentRequest
from chat.help import contents as help_contents
from chat.prompt import (
    TURN_SECTIONS,
    Section,
    build_turn_blocks,
    fence,
    history_window,
    new_token,
    system_blocks,
    system_sections,
)
from chat.selectors import branch_of, end_of, history_of, late_tools, manifest_of, notes_of, settled_since
from chat.selectors.actions import actions_since
from chat.turns.snapshot import Snapshot

# Tokens kept free for the system prompt and the current context, which are bounded by themselves.
ROOM_FOR_PROMPT = 20_000
LEAST_HISTORY = 1_000

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
    catalogue, engine = page.catalogue, page.catalogue.engine
    conversation, said = turn.conversation, turn.user_message
    assert said is not None, "a running turn has the message it answers"
    branch = branch_of(conversation, leaf_id=said.parent_id)
    token = new_token()
    manifest, older = manifest_of(conversation, message_ids=branch)
    blocks = build_turn_blocks(
        context=page.block,
        manifest=manifest,
        older=older,
        token=token,
        today=timezone.localdate(),
        words=said.exchange[0]["content"][0]["text"],
        record=_news(snapshot, branch=branch),
    )
    room = engine.context_tokens - engine.max_tokens - ROOM_FOR_PROMPT
    window = history_window(history_of(branch), budget_tokens=max(room, LEAST_HISTORY))
    instruct = page.reach.config.stream_instructions
    sections = system_sections(
        page.reach,
        texts=catalogue.texts,
        stream_instructions=instruct(page.context) if instruct else "",
        help_text=help_contents(
            page.user.has_perm, topics=catalogue.help_topics, narratives=catalogue.help_narratives
        ),
    )
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


def _news(snapshot: Snapshot, *, branch: list[Any]) -> list[str]:
    """What happened since the answer before: proposals answered, parts of the answer that were not shown."""
    if not branch:
        return []
    # Of the answer this follows: another branch may have ended later.
    before = end_of(branch[-1])
    conversation = snapshot.turn.conversation
    settled = settled_since(conversation, message_ids=branch, moment=before) if before else []
    done = actions_since(conversation, moment=before) if before else []
    return [*settled, *done, *notes_of(branch[-1]), *late_tools(conversation, before=snapshot.turn)]
