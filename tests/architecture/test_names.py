"""An entry of the catalogue has the same name in modules, templates, scripts, URLs and tests."""

from __future__ import annotations

import pytest
from django.urls import get_resolver

from chat.agent.tools import tools
from chat.page_config import pages
from chat.payload_types import payload_types
from tests.architecture.tree import ROOT


def missing(*paths: str) -> list[str]:
    return [path for path in paths if not (ROOT / path).exists()]


@pytest.mark.parametrize("name", sorted(pages.names()))
def test_a_page_has_one_name(name: str) -> None:
    assert name in get_resolver().reverse_dict
    assert missing(
        f"chat/pages/{name}.py",
        f"templates/tables/{name}.html",
        f"static/chat/pages/{name}.js",
        f"tests/chat/pages/test_{name}.py",
    ) == []  # fmt: skip


@pytest.mark.parametrize("name", sorted(payload_types.names()))
def test_a_payload_type_has_one_name(name: str) -> None:
    assert missing(f"static/chat/payloads/{name}.js") == []
    if missing(f"fills/chat_entries/{name}.py"):
        assert missing(f"chat/payloads/{name}.py", f"tests/chat/payloads/test_{name}.py") == []


@pytest.mark.parametrize("name", sorted(tools.names()))
def test_a_tool_has_one_name(name: str) -> None:
    assert len(missing(f"chat/tools/{name}.py", f"fills/chat_entries/{name}.py")) == 1
