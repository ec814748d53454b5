"""The prompt of another application's page has no texts of Table Chat, and is short."""
from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser

from chat.page_config import PageConfig, PageContext, pages
from chat.payload_types import payload_types
from chat.prompt import build_turn_blocks, estimate_tokens, system_blocks
from chat.turns.page import Page, build_example_page
from chat.turns.prompt.sections import prompt_sections
from tests.chat.entries import PROPOSAL

WORDS_OF_TABLES = re.compile(r"\b(tables?|rows?|columns?|cells?|check box(es)?|undo|\w+_PROPOSAL|proposals?)\b", re.I)
# Of the sections, the blocks of a turn and the global tools, before the page's own texts.
MAX_TOKENS = 900


def page_of(**fields: Any) -> Page:
    with pages.registered(PageConfig(page="minimal", **fields)):
        return build_example_page(PageContext(user=AnonymousUser(), page="minimal", object_id="", view={}))


def prompt_of(page: Page, *, record: Sequence[str] = ()) -> list[str]:
    """Return the texts of the prompt: the sections of the system prompt, and the blocks before the user's message."""
    turn = build_turn_blocks(
        context=page.block, manifest=[], token="0" * 16, today=date(2026, 11, 26), user_text="", record=record
    )
    return [block["text"] for block in [*system_blocks(prompt_sections(page)), *turn[:-1]]]


def test_prompt_of_a_minimal_page_is_neutral() -> None:
    page = page_of()
    texts = [*prompt_of(page, record=["Opened."]), *(json.dumps(tool.as_api()) for tool in page.entries.tools)]

    assert [found.group() for text in texts for found in WORDS_OF_TABLES.finditer(text)] == []


def test_prompt_with_a_proposal_is_short() -> None:
    with payload_types.registered(PROPOSAL):
        page = page_of(payloads=("note_proposal",))

    declared = [tool.as_api() for tool in page.entries.tools]
    assert [tool["name"] for tool in declared] == ["get_help", "get_payload"]
    assert sum(map(estimate_tokens, [*prompt_of(page), *declared])) <= MAX_TOKENS


@pytest.mark.parametrize("undo", [None, print], ids=["final", "undoable"])
def test_rules_for_proposals_name_those_of_the_page(undo: Any) -> None:
    with payload_types.registered(replace(PROPOSAL, undo=undo)):
        text = "\n".join(prompt_of(page_of(payloads=("note_proposal",))))

    assert "The user decides about these: NOTE_PROPOSAL." in text
    assert ("undo" in text) == (undo is not None)
    assert [word for word in ("table", "DATA_PROPOSAL") if word in text] == []
