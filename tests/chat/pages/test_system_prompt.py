"""The system prompt of each page, tab and subtab equals its snapshot."""
from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from chat.page_config import pages
from tables.operations import Origin
from tables.services import create_table
from tests.chat.pages.test_prompts import Json, prompt_of
from tests.snapshots import UPDATE_HINT, snapshot

pytestmark = pytest.mark.django_db(transaction=True)

SNAPSHOTS = Path(__file__).parent / "snapshots"
SYSTEM = SNAPSHOTS / "system"


def locations() -> list[tuple[str, ...]]:
    """Return each page, tab and subtab as declared."""
    found: list[tuple[str, ...]] = []
    for page in pages:
        found.append((page.page,))
        for tab, config in page.tabs.items():
            found.append((page.page, tab))
            found += [(page.page, tab, subtab) for subtab in config.subtabs]
    return found


def file_of(location: tuple[str, ...]) -> Path:
    return SYSTEM / f"{'-'.join(location)}.txt"


def request_of(user: User, location: tuple[str, ...]) -> Json:
    """Return the request to the model at this location, with the texts of the code."""
    table = create_table(user=user, name="Jobs", columns=[{"name": "Company", "type": "text"}], origin=Origin("api"))
    context: Json = dict(zip(("current_page", "active_tab", "active_subtab"), location, strict=False))
    if location[0] != "tables_list":
        context["table_id"] = table.pk
    return prompt_of(user, location[0], table=table.pk, context=context)


@pytest.mark.parametrize("location", locations(), ids="-".join)
def test_system_prompt_equals_its_snapshot(user: User, location: tuple[str, ...]) -> None:
    text = "\n\n".join(block["text"] for block in request_of(user, location)["system"]) + "\n"

    assert text == snapshot(text, file=file_of(location)), UPDATE_HINT


def test_tool_declarations_equal_their_snapshot(user: User) -> None:
    declared = {tool["name"]: tool for location in locations() for tool in request_of(user, location)["tools"]}
    text = json.dumps(declared, indent=2, ensure_ascii=False) + "\n"

    assert text == snapshot(text, file=SNAPSHOTS / "tools.json"), UPDATE_HINT


def test_snapshots_exist_only_for_declared_locations() -> None:
    assert sorted(SYSTEM.iterdir()) == sorted(file_of(location) for location in locations())
