"""The filter bar of a table: tabs and menus of select columns, yes or no, conditions; every choice is an address."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext as _

import strictjson
from tables.column_types import ColumnSpec, get_column_type
from tables.views.filter_words import sentence

Json = dict[str, Any]
Counts = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class FilterChoice:
    """One thing a click can choose; `color` is that of an option, `count` the rows it leaves, if that is known."""

    label: str
    color: str
    href: str
    chosen: bool
    count: int | None = None


@dataclass(frozen=True)
class FilterGroup:
    """What one column offers. `shown` says on its chip what is chosen, "" for nothing."""

    column: ColumnSpec
    kind: str
    choices: tuple[FilterChoice, ...]
    shown: str

    @property
    def op(self) -> str:
        """The operator of its condition."""
        return "is" if self.kind == "truth" else "any_of"


@dataclass(frozen=True)
class ConditionChip:
    """A condition that no group shows. `without` is the address without it, `other` whether it is a further choice."""

    text: str
    without: str
    other: bool


def draw_filters(
    columns: Sequence[ColumnSpec], *, filter_text: str, kept: dict[str, str], counts: Counts | None = None
) -> list[FilterGroup]:
    """The groups of all columns that can be filtered by a click; `kept` are the other words of the address.

    `counts` says by column id how many rows each option leaves, where that is known.
    """
    conditions = conditions_of(filter_text)
    groups = []
    for column in columns:
        clicks = get_column_type(column.type).clicks
        kind = "truth" if clicks == "truth" else "tab" if column.filter_display == "tab" else "menu"
        if clicks == "truth" or (clicks == "options" and column.options):
            known = (counts or {}).get(column.id, {})
            groups.append(_group(column, kind=kind, conditions=conditions, kept=kept, counts=known))
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


def draw_conditions(
    columns: Sequence[ColumnSpec], *, filter_text: str, kept: dict[str, str], groups: Sequence[FilterGroup]
) -> list[ConditionChip]:
    """A chip for each condition that the groups do not show; `filter_text` is in canonical form."""
    clauses, by_id = conditions_of(filter_text), {column.id: column for column in columns}
    shown = set()
    for group in groups:
        about = (place for place, each in enumerate(clauses) if _is_about(each, column=group.column, op=group.op))
        shown |= set(list(about)[:1])
    chips = []
    for place, clause in enumerate(clauses):
        choices = clause.get("or", [clause])
        for nth, condition in enumerate(choices if place not in shown else []):
            rest = [*choices[:nth], *choices[nth + 1 :]]
            left = [] if not rest else rest if len(rest) == 1 else [{"or": rest}]
            words = _words([*clauses[:place], *left, *clauses[place + 1 :]], kept=kept)
            text = sentence(condition, column=by_id[condition["column"]])
            chips.append(ConditionChip(text, "?" + urlencode(words), nth > 0))
    return chips


def _words(clauses: list[Any], *, kept: dict[str, str]) -> dict[str, str]:
    """What an address says that has these conditions."""
    return {**kept, **({"filter": strictjson.dump({"and": clauses})} if clauses else {})}


def _group(
    column: ColumnSpec, *, kind: str, conditions: list[Any], kept: dict[str, str], counts: Mapping[str, int]
) -> FilterGroup:
    op = "is" if kind == "truth" else "any_of"
    # A further condition of the same column has a chip of its own.
    own_place = next((place for place, each in enumerate(conditions) if _is_about(each, column=column, op=op)), None)
    now = None if own_place is None else conditions[own_place]["value"]
    others = [each for place, each in enumerate(conditions) if place != own_place]

    def choice(label: str, value: Any, *, chosen: bool, color: str = "") -> FilterChoice:
        own = [] if value in (None, []) else [{"column": column.id, "op": op, "value": value}]
        count = counts.get(label) if value is not None else None
        return FilterChoice(label, color, "?" + urlencode(_words(others + own, kept=kept)), chosen, count)

    if kind == "truth":
        following = {None: True, True: False}.get(now)
        shown = "" if now is None else _("Yes") if now else _("No")
        return FilterGroup(column, kind, (choice(column.name, following, chosen=now is not None),), shown)
    picked = [option for option in column.options if isinstance(now, list) and option in now]
    everything = choice(_("All"), None, chosen=not picked)
    options = []
    for option in column.options:
        toggled = [each for each in column.options if (each in picked) != (each == option)]
        value = [option] if kind == "tab" else toggled
        options.append(choice(option, value, chosen=option in picked, color=column.colors[option]))
    return FilterGroup(column, kind, (everything, *options), ", ".join(picked))


def _is_about(condition: Any, *, column: ColumnSpec, op: str) -> bool:
    return (
        isinstance(condition, dict)
        and condition.get("column") in (column.id, column.name)
        and condition.get("op") == op
        and "value" in condition
    )
