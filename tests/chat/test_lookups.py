"""Lookups in the registries by name, tool and page, limited by permissions."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from chat.actions import ServerAction, server_actions
from chat.agent.tools import tools
from chat.catalogue import CODE, PageEntries
from chat.lookups import (
    get_llm_instructions,
    get_page_client_actions,
    get_page_context_builder,
    get_page_payloads,
    get_page_tools,
    get_payload_type,
    get_payload_types_for_page,
    get_payload_types_for_tools,
    has_page_payloads,
    payload_types_for,
)
from chat.page_config import PageConfig, SubTabConfig, TabConfig, pages
from chat.payload_types import payload_types
from tests.chat.entries import CHART, PROPOSAL, build_context, echo, tool

WRITE_ONE = ServerAction(action="write_one", description="Writes.", executor=print)
LOOK_UP = ServerAction(action="look_up", description="Reads.", executor=print, only_reads=True)
STAFF = ServerAction(action="staff_action", description="For staff.", executor=print, permission="auth.delete_user")
LAYERED = PageConfig(
    page="layered",
    tools=("echo", "gone"),
    server_actions=("write_one",),
    client_actions=("close_chat",),
    tabs={
        "first": TabConfig(
            tools=("echo", "make_group", "staff_chart"),
            payloads=("note_proposal",),
            server_actions=("look_up", "staff_action"),
            instructions="The first tab.",
            subtabs={"deep": SubTabConfig(tools=("count_slowly",), instructions="Deep down.")},
        ),
        "second": TabConfig(tools=("count_slowly",)),
    },
)


@pytest.fixture(autouse=True)
def entries(notes: None) -> Iterator[None]:
    chart = replace(CHART, name="staff_chart")
    staff_chart = tool("staff_chart", echo, permission="auth.delete_user", payload_type="staff_chart")
    with (
        payload_types.registered(chart),
        tools.registered(staff_chart),
        server_actions.registered(WRITE_ONE, LOOK_UP, STAFF),
        pages.registered(LAYERED),
    ):
        yield


def local_names(page_entries: PageEntries) -> dict[str, list[str]]:
    """Return the names that are available, without global entries."""
    return {
        "tools": [entry.name for entry in page_entries.tools if not entry.is_global],
        "payloads": [entry.name for entry in page_entries.payload_types],
        "actions": [entry.action for entry in page_entries.server_actions],
    }


def reached(
    tab: str = "", subtab: str = "", *, may: Callable[[str], bool] = lambda permission: True, writes: bool = True
) -> dict[str, list[str]]:
    page_entries = CODE.resolve("layered", tab=tab, subtab=subtab, may=may, writes=writes)
    assert page_entries is not None
    return local_names(page_entries)


def test_layers_are_merged_without_duplicates() -> None:
    assert reached() == {"tools": ["echo"], "payloads": [], "actions": ["write_one"]}
    assert reached("first", "deep") == {
        "tools": ["echo", "make_group", "staff_chart", "count_slowly"],
        "payloads": ["note_proposal", "staff_chart", "note_chart"],
        "actions": ["write_one", "look_up", "staff_action"],
    }
    assert reached("second", "deep")["tools"] == ["echo", "count_slowly"]
    assert reached("nowhere", "deep") == reached()


def test_entries_without_permission_are_left_out_with_their_payloads() -> None:
    without_permissions = reached("first", may=lambda permission: False)

    assert without_permissions["tools"] == ["echo", "make_group"]
    assert without_permissions["payloads"] == ["note_proposal"]
    assert without_permissions["actions"] == ["write_one", "look_up"]


def test_viewer_has_nothing_that_writes() -> None:
    assert reached("first", writes=False) == {
        "tools": ["echo", "staff_chart"],
        "payloads": ["staff_chart"],
        "actions": ["look_up"],
    }


def test_payload_types_are_found_by_name_and_by_tool() -> None:
    assert get_payload_type("note_chart") is CHART
    assert get_payload_type("gone") is None
    assert get_payload_types_for_tools(["echo", "count_slowly", "count_slowly", "gone"]) == (CHART,)
    assert get_llm_instructions(["note_proposal", "note_chart"]) == PROPOSAL.llm_instructions


def test_page_has_its_parts() -> None:
    assert get_payload_types_for_page("layered") == ()
    assert get_payload_types_for_page("layered", tab="first", subtab="deep") == (PROPOSAL,)
    assert CHART in get_page_payloads("layered", tab="first", subtab="deep")
    assert "echo" in [entry.name for entry in get_page_tools("layered")]
    assert (has_page_payloads("layered"), has_page_payloads("layered", tab="first")) == (False, True)
    assert [entry.action for entry in get_page_client_actions("layered")] == ["close_chat"]
    assert get_page_context_builder("notes") is build_context


def test_unknown_page_has_nothing() -> None:
    nothing = (get_page_tools("gone"), get_page_payloads("gone"), get_payload_types_for_page("gone"))
    assert (*nothing, get_page_client_actions("gone")) == ((), (), (), ())
    assert get_page_context_builder("gone") is None
    assert not has_page_payloads("gone")


def test_payload_type_of_an_unavailable_tool_is_not_expected() -> None:
    def met(*, may: bool) -> set[str]:
        return {entry.name for entry in payload_types_for(lambda permission: may)}

    assert met(may=True) - met(may=False) == {"staff_chart"}
