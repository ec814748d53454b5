"""`start --model` in the application: turns follow the script, and pages say so."""
from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import override_settings

from chat.models import Turn
from tests.chat.stream_client import STREAM, Browser
from tests.conftest import Api

NOTICE = "Scripted model. Its answers come from a file."
SCRIPT = """
turns:
  - pattern: what is (?P<topic>.+)[?]
    replies:
      - {tools: [{name: get_help, input: {topic: "{topic}"}}], pace: 0}
      - {text: "The help says: {result}", suggestions: [Thanks], pace: 0}
"""


@pytest.mark.django_db(transaction=True)
def test_turn_follows_the_script_with_the_tools_of_the_page(browser: Browser, api: Api, tmp_path: Path) -> None:
    file = tmp_path / "script.yaml"
    file.write_text(SCRIPT)
    body = {"message": "What is changes/undo?", "context": {"current_page": "tables_list"}}
    with override_settings(CHAT_SCRIPT=str(file), ANTHROPIC_API_KEY="a-key-for-tests"):
        with browser.open("POST", STREAM, body) as stream:
            payload: dict[str, Any] = list(stream)[-1]["payload"]
        offer = api.get("/api/chat/pages/tables_list/").json()
        page = api.client.get("/", follow=True).content.decode()

    [tool] = payload["tool_history"]
    assert (tool["tool_name"], tool["input"], tool["is_error"]) == ("get_help", {"topic": "changes/undo"}, False)
    assert payload["message"].startswith("[[tool:0]]The help says: ")
    assert tool["output"].strip()[:40] in payload["message"]
    assert payload["suggested_values"] == [{"label": "Thanks", "value": "Thanks"}]
    assert Turn.objects.get(pk=payload["turn_id"]).model == "scripted model"
    assert (offer["notice"], offer["demo"], NOTICE in page) == (NOTICE, False, True)


def test_faulty_script_is_refused_before_anything_starts(tmp_path: Path) -> None:
    file = tmp_path / "script.yaml"
    file.write_text("turns:\n  - replies:\n      tools: [{name: get_hlp}]")

    with pytest.raises(CommandError, match=r"line 3, .*no page offers the tool 'get_hlp'. Did you mean 'get_help'"):
        call_command("start", model=str(file))
