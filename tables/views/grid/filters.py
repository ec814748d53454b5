"""The filter bar of a table: tabs and menus of select columns, yes or no, conditions. Every choice is a URL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from shared import strictjson
from tables.column_types import ColumnSpec, get_column_type
from tables.views.grid.filter_words import sentence

Json = dict[str, Any]
Counts = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class FilterChoice:
    """One choice; `color` is that of an option, `count` the number of matching rows if it is known."""

    label: str
    color: str
    href: str
    chosen: bool
    count: int | None = None


@dataclass(frozen=True)
class FilterGroup:
    """The choices of one column. `shown` is the selected value on its chip, "" for none."""

    column: ColumnSpec
    kind: str
    choices: tuple[FilterChoice, ...]
    shown: str

    @property
    def op(self) -> str:
        """The operator of its condition."""
        return get_column_type(self.column.type).click_operator


@dataclass(frozen=True)
class ConditionChip:
    """A condition that no group shows. `without` is the URL without it; `other`: it is joined with "or"."""

    text: str
    without: str
    other: bool


def draw_filters(
    columns: Sequence[ColumnSpec], *, filter_text: str, query: dict[str, str], counts: Counts | None = None
) -> list[FilterGroup]:
    """Return the groups of all columns with choices; `query` are the other parameters of the URL.

    `counts` are the rows of each option by column id, where known.
    """
    conditions = conditions_of(filter_text)
    groups = []
    for column in columns:
        clicks = get_column_type(column.type).clicks
        kind = "truth" if clicks == "truth" else "tab" if column.filter_display == "tab" else "menu"
        if clicks == "truth" or (clicks == "options" and column.options):
            known = (counts or {}).get(column.id, {})
            groups.append(_group(column, kind=kind, conditions=conditions, query=query, counts=known))
    return groups


def conditions_of(filter_text: str) -> list[Any]:
    """Return the conditions joined with "and"; none for an invalid filter."""
    try:
        raw = strictjson.loads(filter_text) if filter_text else []
    except strictjson.StrictJsonError:
        return []
    if isinstance(raw, dict):
        raw = raw["and"] if isinstance(raw.get("and"), list) else [raw]
    return raw if isinstance(raw, list) else []


def draw_conditions(
    columns: Sequence[ColumnSpec], *, filter_text: str, query: dict[str, str], groups: Sequence[FilterGroup]
) -> list[ConditionChip]:
    """Return a chip for each condition that the groups do not show; `filter_text` is in canonical form."""
    clauses, by_id = conditions_of(filter_text), {column.id: column for column in columns}
    shown = set()
    for group in groups:
        matching = (index for index, each in enumerate(clauses) if _is_about(each, column=group.column, op=group.op))
        shown |= set(list(matching)[:1])
    chips = []
    for index, clause in enumerate(clauses):
        choices = clause.get("or", [clause])
        for nth, condition in enumerate(choices if index not in shown else []):
            rest = [*choices[:nth], *choices[nth + 1 :]]
            left = [] if not rest else rest if len(rest) == 1 else [{"or": rest}]
            url_query = _url_query([*clauses[:index], *left, *clauses[index + 1 :]], query=query)
            text = sentence(condition, column=by_id[condition["column"]])
            chips.append(ConditionChip(text, "?" + urlencode(url_query), nth > 0))
    return chips


def _url_query(clauses: list[Any], *, query: dict[str, str]) -> dict[str, str]:
    """Return the query parameters with these conditions."""
    return {**query, **({"filter": strictjson.dumps({"and": clauses})} if clauses else {})}


def _group(
    column: ColumnSpec, *, kind: str, conditions: list[Any], query: dict[str, str], counts: Mapping[str, int]
) -> FilterGroup:
    op = get_column_type(column.type).click_operator
    # A further condition of the same column has its own chip.
    own_index = next((index for index, each in enumerate(conditions) if _is_about(each, column=column, op=op)), None)
    now = None if own_index is None else conditions[own_index]["value"]
    others = [each for index, each in enumerate(conditions) if index != own_index]

    def choice(label: str, value: Any, *, chosen: bool, color: str = "") -> FilterChoice:
        own = [] if value in (None, []) else [{"column": column.id, "op": op, "value": value}]
        count = counts.get(label) if value is not None else None
        return FilterChoice(label, color, "?" + urlencode(_url_query(others + own, query=query)), chosen, count)

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
