"""The stable part of the prompt, word by word, of each page, tab and subtab: no word changes without being read."""
from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from chat.page_config import pages
from tables.operations import Origin
from tables.services import create_table
from tests.chat.pages.test_prompts import Json, asked
from tests.snapshots import UPDATE_HINT, snapshot

pytestmark = pytest.mark.django_db(transaction=True)

SNAPSHOTS = Path(__file__).parent / "snapshots"
SYSTEM = SNAPSHOTS / "system"


def places() -> list[tuple[str, ...]]:
    """Each page, each of its tabs and each of their subtabs, as they are declared."""
    found: list[tuple[str, ...]] = []
    for page in pages:
        found.append((page.page,))
        for tab, config in page.tabs.items():
            found.append((page.page, tab))
            found += [(page.page, tab, subtab) for subtab in config.subtabs]
    return found


def file_of(place: tuple[str, ...]) -> Path:
    return SYSTEM / f"{'-'.join(place)}.txt"


def sent(user: User, place: tuple[str, ...]) -> Json:
    """What a model is sent there, as the code has it."""
    table = create_table(user=user, name="Jobs", columns=[{"name": "Company", "type": "text"}], origin=Origin("api"))
    context: Json = dict(zip(("current_page", "active_tab", "active_subtab"), place, strict=False))
    if place[0] != "tables_list":
        context["table_id"] = table.pk
    return asked(user, place[0], table=table.pk, context=context)


@pytest.mark.parametrize("place", places(), ids="-".join)
def test_the_system_prompt_is_as_it_was_written_down(user: User, place: tuple[str, ...]) -> None:
    text = "\n\n".join(block["text"] for block in sent(user, place)["system"]) + "\n"

    assert text == snapshot(text, file=file_of(place)), UPDATE_HINT


def test_what_is_declared_of_each_tool_is_as_it_was_written_down(user: User) -> None:
    declared = {tool["name"]: tool for place in places() for tool in sent(user, place)["tools"]}
    text = json.dumps(declared, indent=2, ensure_ascii=False) + "\n"

    assert text == snapshot(text, file=SNAPSHOTS / "tools.json"), UPDATE_HINT


def test_nothing_is_written_down_of_places_that_are_gone() -> None:
    assert sorted(SYSTEM.iterdir()) == sorted(file_of(place) for place in places())
