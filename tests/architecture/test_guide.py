"""The guide for adding the assistant to a page is the example that the tests run, to the letter."""

from __future__ import annotations

import re

import pytest

from chat import lookups
from tests.architecture.tree import ROOT, own_files, text_of

GUIDE = ROOT / "docs" / "add_chat_to_a_page.md"
BLOCK = re.compile(r"^\*\*`reports/(?P<name>[^`]+)`\*\*\n```\w+\n(?P<text>.*?)\n```$", re.MULTILINE | re.DOTALL)
# How the example is started for tests; migrations are made by Django.
BESIDE = {"__init__.py", "running.py"}


def printed() -> dict[str, str]:
    return {found["name"]: found["text"] for found in BLOCK.finditer(GUIDE.read_text(encoding="utf-8"))}


def written() -> dict[str, str]:
    files = [path for path in own_files() if path.parts[:2] == ("tests", "reports")]
    return {"/".join(path.parts[2:]): text_of(path) for path in files}


def test_each_file_of_the_example_stands_in_the_guide() -> None:
    assert set(written()) - set(printed()) == BESIDE


@pytest.mark.parametrize("name", sorted(printed()))
def test_what_the_guide_prints_is_the_file(name: str) -> None:
    assert printed()[name] == written()[name].replace("tests.reports", "reports").rstrip("\n")


def test_the_guide_names_every_lookup() -> None:
    named = set(re.findall(r"`(\w+)`", GUIDE.read_text(encoding="utf-8")))
    assert {name for name in lookups.__all__ if name != "payload_types_for"} <= named
