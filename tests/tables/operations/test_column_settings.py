"""Settings of columns in proposals: checked with the type, changed one by one, removed where they are not used."""
from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tables.column_types import ColumnSpec, TableShape
from tables.exceptions import TablesError
from tables.operations.cells import RowState
from tables.operations.plans.conversion import convert_rows
from tables.operations.plans.format_examples import add_format_examples
from tables.operations.plans.planned import refuse_unresolved
from tables.operations.plans.schema_plan import SchemaPlan, plan_schema
from tables.operations.proposals.choice import Choice
from tables.operations.proposals.schema_proposal import read_schema_proposal

Json = dict[str, Any]
PRICE = ColumnSpec(id="c_price", name="Price", type="number", settings=(("format", "currency"), ("currency", "EUR")))
TABLE = TableShape(id=1, name="Orders", version=3, columns=(PRICE,))


def planned(*operations: Json, shape: TableShape = TABLE, edits: Json | None = None) -> SchemaPlan:
    numbers = count()
    body = {"mode": "update", "operations": list(operations)}
    prepared = read_schema_proposal(body, shape=shape, new_id=lambda: f"c_new{next(numbers)}")
    plan = plan_schema(shape=shape, prepared=prepared, choice=replace(Choice(), edits=edits or {}))
    refuse_unresolved(plan.planned)
    return plan


def changed(**changes: Any) -> Json:
    return {"action": "modify", "column_id": "Price", "changes": changes}


def added(**column: Any) -> Json:
    return {"action": "add", "column": {"name": "New", "type": "number", **column}}


SETTINGS_AFTER: dict[str, tuple[Json, Json]] = {
    "another currency": (changed(currency="usd"), {"format": "currency", "currency": "USD"}),
    "a format without the currency": (changed(format="percent"), {"format": "percent"}),
    "the default format": (changed(format="plain"), {"format": "plain"}),
    "a format with its defaults": (changed(format="rating"), {"format": "rating", "maximum": 5}),
    "another name": (changed(name="Cost"), {"format": "currency", "currency": "EUR"}),
    "another type": (changed(type="text"), {"format": "line"}),
    "a new column": (added(format="decimal", places=3), {"format": "decimal", "places": 3}),
    "a copy": ({"action": "add", "copy_of": "Price", "column": {"name": "Copy"}},
               {"format": "currency", "currency": "EUR"}),
}  # fmt: skip


@pytest.mark.parametrize(("operation", "settings"), SETTINGS_AFTER.values(), ids=SETTINGS_AFTER)
def test_a_column_has_the_settings_of_its_type_and_format(operation: Json, settings: Json) -> None:
    assert planned(operation).after[-1].used_settings == settings


@pytest.mark.parametrize(
    ("operation", "path", "code"),
    [
        (changed(format="money"), "changes.format", "unknown_value"),
        (changed(currency="EURO"), "changes.currency", "unknown_currency"),
        (changed(places=2), "changes.places", "unused_setting"),
        (changed(format="decimal", places=7), "changes.places", "out_of_range"),
        (changed(format="decimal", places=True), "changes.places", "out_of_range"),
        (added(format="currency"), "column.currency", "unknown_currency"),
        (added(type="boolean", format="plain"), "column.format", "unused_setting"),
    ],
)  # fmt: skip
def test_invalid_settings_are_refused_with_their_path(operation: Json, path: str, code: str) -> None:
    with pytest.raises(TablesError) as refused:
        planned(operation)
    assert [(fault.path, fault.code) for fault in refused.value.faults] == [(f"operations[0].{path}", code)]


def test_an_edit_of_a_proposed_format_replaces_its_settings() -> None:
    plan = planned(added(format="currency", currency="EUR"), edits={0: {"format": "percent"}})
    assert plan.after[-1].used_settings == {"format": "percent"}


def test_a_setting_changed_since_is_a_conflict_only_if_the_proposal_changes_it() -> None:
    body = {"mode": "update", "operations": [changed(currency="USD")]}
    prepared = read_schema_proposal(body, shape=TABLE, new_id=str)
    since = replace(PRICE, settings=(("format", "currency"), ("currency", "CHF")))
    plan = plan_schema(shape=replace(TABLE, columns=(since,)), prepared=prepared, choice=Choice())
    assert [each.state for each in plan.planned] == ["conflict"]


def test_the_preview_of_a_format_has_three_values_before_and_after() -> None:
    plan = planned(changed(format="percent"))
    values = [0.05, None, 0.05, 1, "n/a", 2]
    rows = [RowState(id=number, version=1, data={"c_price": value}) for number, value in enumerate(values)]
    add_format_examples(plan, rows=lambda key: rows)
    assert plan.planned[0].as_json()["examples"] == [
        {"value": 0.05, "was": "€0.05", "now": "5%"},
        {"value": 1, "was": "€1.00", "now": "100%"},
        {"value": "n/a", "was": "n/a", "now": "n/a"},
    ]


def test_the_difference_of_settings_has_each_changed_one_as_a_field() -> None:
    [operation] = planned(changed(format="percent")).planned
    assert (operation.old, operation.new) == ({"format": "currency", "currency": "EUR"}, {"format": "percent"})
    [operation] = planned(changed(currency="usd")).planned
    assert (operation.old, operation.new) == ({"currency": "EUR"}, {"currency": "USD"})


def test_a_format_that_converts_values_counts_those_that_lose_their_time() -> None:
    when = ColumnSpec("c_when", "When", "date", settings=(("format", "datetime"),), default="2026-12-24T10:00Z")
    shape = TableShape(id=1, name="Orders", version=3, columns=(when,)).in_zone(ZoneInfo("Europe/Berlin"))
    operation = {"action": "modify", "column_id": "When", "changes": {"format": "date"}}
    plan = planned(operation, shape=shape)
    values = ["2026-12-23T23:00Z", "2026-12-24T23:30Z", None]
    rows = [RowState(id=number, version=1, data={"c_when": value}) for number, value in enumerate(values)]
    entries = convert_rows(plan, rows=lambda ids: rows, empty=lambda columns: {}, choice=Choice())
    add_format_examples(plan, rows=lambda key: rows)
    [change] = plan.planned
    assert [now["c_when"] for _, _, now in entries] == ["2026-12-24", "2026-12-25"]
    assert plan.after[0].default == "2026-12-24"
    assert [(note["code"], note.get("value")) for note in change.notes] == [
        ("values_converted", 2), ("values_shortened", 1),
    ]  # fmt: skip
    assert [(each["was"], each["now"]) for each in change.as_json()["examples"]] == [
        ("Dec 24, 2026, 12:00 AM", "Dec 24, 2026"), ("Dec 25, 2026, 12:30 AM", "Dec 25, 2026"),
    ]  # fmt: skip


def test_times_and_seconds_that_a_date_cannot_have_count_as_shortened() -> None:
    texts = ["2024-03-15", "2024-03-15T00:00", "2024-03-15T10:00", "2024-03-15T23:30Z", "2024-03-15 10:00:45Z"]
    days = ["2024-03-15"] * 5
    moments = ["2024-03-14T15:00Z", "2024-03-14T15:00Z", "2024-03-15T01:00Z", "2024-03-15T23:30Z", "2024-03-15T10:00Z"]
    assert converted("text", texts, format="date") == (days, 3)
    assert converted("text", texts, format="datetime") == (moments, 1)
    # The midnight of Tokyo loses nothing.
    assert converted("created_at", ["2024-03-14T15:00Z", "2024-03-15T23:30Z"], format="date") == (
        ["2024-03-15", "2024-03-16"], 1,
    )  # fmt: skip


def converted(type_name: str, values: list[str], **changes: Any) -> tuple[list[Any], int]:
    """Return the values that a column of this type has as a date in Tokyo, and how many are noted as shortened."""
    shape = TableShape(id=1, name="Orders", version=3, columns=(ColumnSpec("c_when", "When", type_name),))
    operation = {"action": "modify", "column_id": "When", "changes": {"type": "date", **changes}}
    plan = planned(operation, shape=shape.in_zone(ZoneInfo("Asia/Tokyo")))
    rows = [RowState(id=number, version=1, data={"c_when": value}) for number, value in enumerate(values)]
    entries = convert_rows(plan, rows=lambda ids: rows, empty=lambda columns: {}, choice=Choice())
    now = {row.id: data["c_when"] for row, _, data in entries}
    shortened = sum(note["value"] for note in plan.planned[0].notes if note["code"] == "values_shortened")
    return [now.get(number, value) for number, value in enumerate(values)], shortened


def test_files_that_become_text_count_as_shortened() -> None:
    files = ColumnSpec("c_files", "Files", "attachment")
    shape = TableShape(id=1, name="Orders", version=3, columns=(files,))
    plan = planned({"action": "modify", "column_id": "Files", "changes": {"type": "text"}}, shape=shape)
    rows = [RowState(id=1, version=1, data={"c_files": [{"id": "f", "name": "a.png", "size": 1, "type": "image/png"}]})]
    entries = convert_rows(plan, rows=lambda ids: rows, empty=lambda columns: {}, choice=Choice())
    assert [now["c_files"] for _, _, now in entries] == ["a.png"]
    assert [note["code"] for note in plan.planned[0].notes] == ["values_converted", "values_shortened"]
