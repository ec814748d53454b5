"""System checks: a name that leads nowhere is an error that says where it stands."""
from __future__ import annotations

import pytest

from chat.agent.tools import tools
from chat.checks import check_pages, check_registries
from chat.page_config import PageConfig, SubTabConfig, TabConfig
from chat.payload_types import PayloadType, payload_types
from tests.chat.entries import PROPOSAL, echo, tool

LAYERS = {
    "page": PageConfig(page="p", tools=("gone",)),
    "tab": PageConfig(page="p", tabs={"t": TabConfig(tools=("gone",))}),
    "subtab": PageConfig(page="p", tabs={"t": TabConfig(subtabs={"s": SubTabConfig(tools=("gone",))})}),
}


def codes() -> list[str | None]:
    return [error.id for error in check_registries()]


@pytest.mark.usefixtures("notes")
def test_entries_that_name_what_exists_pass() -> None:
    assert codes() == []


@pytest.mark.parametrize("layer", LAYERS)
def test_a_tool_that_nobody_declared_is_found_in_each_layer(layer: str) -> None:
    errors = list(check_pages([LAYERS[layer]]))

    assert [error.id for error in errors] == ["chat.E001"]
    assert "'gone'" in errors[0].msg


def test_the_nearest_name_is_offered() -> None:
    with payload_types.lent(PROPOSAL):
        (error,) = check_pages([PageConfig(page="p", payloads=("note_proposl",))])

    assert error.hint == "Did you mean 'note_proposal'?"


def test_a_payload_type_that_a_tool_names_must_exist() -> None:
    with tools.lent(tool("charting", echo, payload_type="gone")):
        assert codes() == ["chat.E003"]


@pytest.mark.parametrize(
    ("entry", "code"),
    [
        (PayloadType(name="x", description="", source="web", schema={}), "chat.E005"),
        (PayloadType(name="x", description="", source="llm", schema={}, parse_marker="x"), "chat.E006"),
        (PayloadType(name="x", description="", source="llm", schema={}, parse_marker="NOTE_PROPOSAL:"), "chat.E007"),
        (PayloadType(name="x", description="", source="tool", schema={}, apply=PROPOSAL.apply), "chat.E008"),
        (PayloadType(name="x", description="", source="tool", schema={"type": "thing"}), "chat.E009"),
    ],
    ids=["source", "marker", "marker twice", "apply without check", "schema"],
)
def test_a_payload_type_that_does_not_hold_is_an_error(entry: PayloadType, code: str) -> None:
    with payload_types.lent(PROPOSAL, entry):
        assert codes() == [code]
