"""The filter bar of a table: tabs and menus of select columns, and yes or no; every choice is an address."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import strictjson
from tables.column_types import ColumnSpec, get_column_type
from tables.views.cells import hue_of

Json = dict[str, Any]


@dataclass(frozen=True)
class FilterChoice:
    """One thing a click can choose; `hue` is the colour of an option."""

    label: str
    hue: int
    href: str
    chosen: bool


@dataclass(frozen=True)
class FilterGroup:
    """What one column offers. `shown` says on its chip what is chosen, "" for nothing."""

    column: ColumnSpec
    kind: str
    choices: tuple[FilterChoice, ...]
    shown: str


def draw_filters(columns: Sequence[ColumnSpec], *, filter_text: str, kept: dict[str, str]) -> list[FilterGroup]:
    """The groups of all columns that can be filtered by a click; `kept` are the other words of the address."""
    conditions = conditions_of(filter_text)
    groups = []
    for column in columns:
        clicks = get_column_type(column.type).clicks
        kind = "truth" if clicks == "truth" else "tab" if column.filter_display == "tab" else "menu"
        if clicks == "truth" or (clicks == "options" and column.options):
            groups.append(_group(column, kind=kind, conditions=conditions, kept=kept))
    return groups


def conditions_of(filter_text: str) -> list[Any]:
    """The conditions that are joined by AND; none for a text that is no filter."""
    try:
        raw = strictjson.read(filter_text) if filter_text else []
    except strictjson.NotStrictJson:
        return []
    if isinstance(raw, dict):
        raw = raw["and"] if isinstance(raw.get("and"), list) else [raw]
    return raw if isinstance(raw, list) else []


def _group(column: ColumnSpec, *, kind: str, conditions: list[Any], kept: dict[str, str]) -> FilterGroup:
    op = "is" if kind == "truth" else "any_of"
    now = next((each["value"] for each in conditions if _is_about(each, column=column, op=op)), None)
    others = [each for each in conditions if not _is_about(each, column=column, op=op)]

    def choice(label: str, value: Any, *, chosen: bool, hue: int = 0) -> FilterChoice:
        own = [] if value in (None, []) else [{"column": column.id, "op": op, "value": value}]
        words = {**kept, **({"filter": strictjson.dump({"and": others + own})} if others or own else {})}
        return FilterChoice(label, hue, "?" + urlencode(words), chosen)

    if kind == "truth":
        following = {None: True, True: False}.get(now)
        shown = "" if now is None else "Yes" if now else "No"
        return FilterGroup(column, kind, (choice(column.name, following, chosen=now is not None),), shown)
    picked = [option for option in column.options if isinstance(now, list) and option in now]
    everything = choice("All", None, chosen=not picked)
    options = []
    for option in column.options:
        toggled = [each for each in column.options if (each in picked) != (each == option)]
        value = [option] if kind == "tab" else toggled
        options.append(choice(option, value, chosen=option in picked, hue=hue_of(column, option=option)))
    return FilterGroup(column, kind, (everything, *options), ", ".join(picked))


def _is_about(condition: Any, *, column: ColumnSpec, op: str) -> bool:
    return (
        isinstance(condition, dict)
        and condition.get("column") in (column.id, column.name)
        and condition.get("op") == op
        and "value" in condition
    )
