"""Links, headings and commands in README.md and docs/ exist, and their code runs."""
from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import get_commands, load_command_class
from django.core.management.base import CommandError

from chat.agent.tools import ToolConfig, ToolContext
from chat.page_config import PageConfig
from chat.payload_types import PayloadType
from tests.architecture.tree import ROOT

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^ *```(?P<language>\w*)\n(?P<text>.*?)^ *```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)")
COMMAND = re.compile(r"python3? manage\.py [^`\n;|]+")
# `shell` in the guide has a program of several lines; the others parse their arguments without argparse.
OWN_PARSERS = {"start", "test", "shell"}


def anchors(path: Path) -> set[str]:
    """Return the anchors that GitHub gives the headings."""
    headings = re.findall(r"^#+ (.+)$", BLOCK.sub("", path.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def commands() -> Iterator[str]:
    """Yield every command of manage.py in the documents."""
    for path in DOCUMENTS:
        yield from COMMAND.findall(path.read_text(encoding="utf-8").replace("\\\n", " "))


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_leads_to_a_file_and_heading(path: Path) -> None:
    broken = []
    for target, anchor in LINK.findall(path.read_text(encoding="utf-8")):
        file = (path.parent / target).resolve() if target else path
        if not file.exists() or (anchor and anchor not in anchors(file)):
            broken.append(f"{target}#{anchor}")
    assert broken == []


def test_every_document_is_listed_in_the_index() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert [path.name for path in DOCUMENTS[1:] if path.name != "index.md" and f"]({path.name})" not in index] == []


@pytest.mark.parametrize("command", sorted(set(commands())))
def test_every_command_is_accepted_with_its_options(command: str) -> None:
    name = command.split()[2].rstrip(".,:)")
    if name in OWN_PARSERS:
        return
    arguments = shlex.split(command.rstrip(" .,:)"))[3:]
    application = get_commands()[name]
    assert isinstance(application, str)
    parser = load_command_class(application, name).create_parser("manage.py", name)
    # Sentences name a command without its arguments.
    if not arguments:
        return
    try:
        parser.parse_args(arguments)
    except CommandError as error:
        pytest.fail(f"{command}: {error}")


def examples() -> list[str]:
    blocks = BLOCK.finditer((ROOT / "README.md").read_text(encoding="utf-8"))
    return [block["text"] for block in blocks if block["language"] == "python"]


@pytest.mark.parametrize("number", range(3))
def test_examples_of_the_readme_register_entries(number: int) -> None:
    entries: list[Any] = []
    names = {
        "Any": Any, "ToolConfig": ToolConfig, "ToolContext": ToolContext, "PayloadType": PayloadType,
        "PageConfig": PageConfig, "SCHEMA": {"type": "object"}, "build_context": lambda context: None,
        "count_tables": lambda user: 3, "register_tool": entries.append, "register_payload_type": entries.append,
        "register_page": entries.append,
    }  # fmt: skip
    exec(examples()[number], names)
    assert [type(entry) for entry in entries] == [(ToolConfig, PayloadType, PageConfig)[number]]
