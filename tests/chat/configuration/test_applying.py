"""Overrides apply field by field; unusable ones leave the default of the code."""
from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.catalogue import CODE, Catalogue
from chat.configuration import KINDS, Address, Override, entries_by_address, entries_of, overridden, values_of
from tests.hypothesis_examples import examples

PERSONA = Override("page", "table_view", "identity", "You are a careful librarian.")
CHART = [
    Override("payload_type", "chart_spec", "added", True),
    Override("payload_type", "chart_spec", "description", "A chart"),
    Override("payload_type", "chart_spec", "parse_marker", "CHART_SPEC:"),
    Override("payload_type", "chart_spec", "schema", {"type": "object", "required": ["bars"]}),
    Override("payload_type", "chart_spec", "llm_instructions", "CHART_SPEC: a chart of bars."),
    Override("payload_type", "chart_spec", "is_global", True),
]


def changed(*overrides: Override) -> Catalogue:
    return overridden(CODE, overrides, version=1)


def test_only_the_overridden_field_changes() -> None:
    catalogue = changed(PERSONA)
    page, code = catalogue.pages.get("table_view"), CODE.pages.get("table_view")
    assert page is not None
    assert code is not None
    assert page.identity == "You are a careful librarian."
    assert page.tools == code.tools
    assert catalogue.pages.get("tables_list") == CODE.pages.get("tables_list")
    assert catalogue.faults == ()


def test_disabled_entries_are_available_nowhere() -> None:
    catalogue = changed(Override("tool", "get_rows", "enabled", False))
    page_entries = catalogue.resolve("table_view")
    assert page_entries is not None
    assert "get_rows" not in [tool.name for tool in page_entries.tools]
    assert "search_rows" in [tool.name for tool in page_entries.tools]


def test_disabled_page_does_not_exist() -> None:
    assert changed(Override("page", "table_view", "enabled", False)).resolve("table_view") is None


def test_limits_do_not_exceed_the_hard_caps() -> None:
    catalogue = changed(Override("engine", "all", "max_iterations", 999))
    assert catalogue.engine.max_iterations == CODE.engine.max_iterations
    assert "whole number from 1 to 20" in catalogue.faults[0]


def test_added_payload_type_is_available_on_its_pages() -> None:
    page_entries = changed(*CHART).resolve("table_view")
    assert page_entries is not None
    [chart] = [kind for kind in page_entries.llm_payload_types if kind.name == "chart_spec"]
    assert chart.marker == "CHART_SPEC"
    assert chart.instructions == "CHART_SPEC: a chart of bars."


def test_incomplete_added_entry_is_left_out_and_reported() -> None:
    catalogue = changed(*(override for override in CHART if override.field != "parse_marker"))
    assert "chart_spec" not in catalogue.payload_types
    assert catalogue.faults == ("payload_type chart_spec: Marker is required.",)


@pytest.mark.parametrize(
    ("kind", "name", "field", "value", "error"),
    [
        pytest.param("page", "table_view", "tools", ["get_row"], "Did you mean get_rows?", id="unknown tool"),
        pytest.param("page", "table_view", "identity", 7, "must be a text", id="a number for a text"),
        pytest.param("page", "table_view", "identity", "x" * 40_001, "40,000 characters", id="too long a text"),
        pytest.param("page", "table_view", "identity", "a\x00b", "cannot be stored", id="NUL"),
        pytest.param("page", "table_view", "colour", "red", "no such field", id="unknown field"),
        pytest.param("texts", "all", "preamble", "  ", "cannot be empty", id="required text empty"),
        pytest.param("tool", "get_rows", "enabled", "no", "on or off", id="text for a boolean"),
        pytest.param("engine", "all", "max_tokens", True, "whole number", id="boolean for a number"),
        pytest.param("page", "table_view", "starters", ["a", ""], "1 to 500 characters", id="an empty line"),
        pytest.param("page", "table_view", "starters", ["a", "a"], "'a' twice", id="a line twice"),
        pytest.param("page", "table_view", "identity", " ", "cannot be empty", id="empty persona"),
        pytest.param(
            "engine", "all", "call_seconds", 500,
            "cannot be greater than Turn timeout (seconds), which is 300.", id="a call longer than the turn",
        ),
        pytest.param(
            "engine", "all", "turn_seconds", 100,
            "cannot be less than Model call timeout (seconds), which is 120.", id="a turn shorter than the call",
        ),
        pytest.param("engine", "all", "first_token_seconds", 301, "cannot be greater", id="first token after the turn"),
        pytest.param("engine", "all", "context_tokens", 8_000, "cannot be less than", id="an answer over the context"),
        pytest.param(
            "client_action", "close_chat", "parameters", ["month of the year"],
            "Use letters, digits and _, for example month_of_the_year.", id="a parameter with spaces",
        ),
        pytest.param("tool", "get_rows", "label", "one\ntwo", "single line", id="two lines for one"),
    ],
)  # fmt: skip
def test_invalid_override_leaves_the_default_and_is_reported(
    kind: str, name: str, field: str, value: Any, error: str
) -> None:
    catalogue = changed(Override(kind, name, field, value))
    places, code = entries_by_address(catalogue), entries_by_address(CODE)
    address = Address(kind, name)
    assert values_of(places[address].entry) == values_of(code[address].entry)
    assert len(catalogue.faults) == 1
    assert error in catalogue.faults[0]


@pytest.mark.parametrize(
    ("schema", "error"),
    [
        pytest.param({"type": "objekt"}, "is not valid", id="unknown type"),
        pytest.param({"$ref": "http://example.com/s"}, "cannot have '$ref'", id="a reference"),
        pytest.param({"properties": {"a": {"pattern": "(a+)+$"}}}, "cannot have 'pattern'", id="nested pattern"),
        pytest.param(["x"], "must be an object", id="a list"),
        pytest.param({"type": "array"}, 'must have "type": "object"', id="an array at the top"),
    ],
)
def test_schemas_are_checked(schema: Any, error: str) -> None:
    overrides = [o if o.field != "schema" else Override(o.kind, o.name, "schema", schema) for o in CHART]
    assert any(error in fault for fault in changed(*overrides).faults)


def test_property_may_be_named_pattern() -> None:
    schema = {"type": "object", "properties": {"pattern": {"type": "string"}}}
    overrides = [o if o.field != "schema" else Override(o.kind, o.name, "schema", schema) for o in CHART]
    assert changed(*overrides).faults == ()


@pytest.mark.parametrize("marker", ["DATA_PROPOSAL:", "SUGGESTED_VALUES:", "chart:", "CHART", "AB:", "A" * 60 + ":"])
def test_markers_are_checked(marker: str) -> None:
    overrides = [o if o.field != "parse_marker" else Override(o.kind, o.name, o.field, marker) for o in CHART]
    catalogue = changed(*overrides)
    assert any("Marker" in fault for fault in catalogue.faults)


def test_order_moves_an_entry_in_the_lists() -> None:
    last = list(CODE.tools)[-1].name
    moved = changed(Override("tool", last, "order", 0), Override("tool", next(iter(CODE.tools)).name, "order", 1))
    assert next(iter(moved.tools)).name == last


def test_every_entry_of_the_code_can_be_configured() -> None:
    kinds = {address.kind for address, _ in entries_of(CODE)}
    assert kinds <= set(KINDS)
    tools = {address.name for address, _ in entries_of(CODE) if address.kind == "tool"}
    assert tools == set(CODE.tools.names())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
ADDRESSES = [*sorted({address for address, _ in entries_of(CODE)}), Address("nothing", "x"), Address("tool", "gone")]
FIELDS = [*sorted({field.name for kind in KINDS.values() for field in kind.fields}), "added", "nothing"]


@examples(50)
@given(st.lists(st.tuples(st.sampled_from(ADDRESSES), st.sampled_from(FIELDS), JSON), max_size=8))
def test_no_override_breaks_the_catalogue(overrides: list[tuple[Address, str, Any]]) -> None:
    catalogue = changed(*(Override(address.kind, address.name, field, value) for address, field, value in overrides))
    assert catalogue.texts.preamble
    assert 1 <= catalogue.engine.max_iterations <= 20
    for page in catalogue.pages:
        assert catalogue.resolve(page.page) is not None
