"""The filter bar of a table: tabs and menus of select columns, yes or no, conditions. Every choice is a URL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from shared import strictjson
from tables.column_types import ColumnSpec, get_column_type
from tables.column_types.people import Person
from tables.views.grid.filter_words import sentence

Json = dict[str, Any]
Counts = Mapping[str, Mapping[str, int]]
# The operator that matches the user who reads the rows.
ME = "is_me"


@dataclass(frozen=True)
class FilterChoice:
    """One choice; `color` is that of an option, `count` the number of matching rows if it is known.

    `person` is the one that it means.
    """

    label: str
    color: str
    href: str
    chosen: bool
    count: int | None = None
    person: Person | None = None


@dataclass(frozen=True)
class FilterGroup:
    """The choices of one column. `shown` is the selected value on its chip, "" for none."""

    column: ColumnSpec
    kind: str
    choices: tuple[FilterChoice, ...]
    shown: str

    def shows(self, condition: Any) -> bool:
        """Return whether the condition can be that of the group."""
        return _is_about(condition, column=self.column)


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
        known = (counts or {}).get(column.id)
        if clicks == "people" and column.names_people:
            groups.append(_people_group(column, conditions=conditions, query=query, counts=known))
        elif clicks == "truth" or (clicks == "options" and column.options):
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
        matching = (index for index, each in enumerate(clauses) if group.shows(each))
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


def _own_condition(column: ColumnSpec, conditions: list[Any]) -> tuple[Any, list[Any]]:
    """Return the condition that the group of the column shows, None without one, and the others."""
    # A further condition of the same column has its own chip.
    own_index = next((index for index, each in enumerate(conditions) if _is_about(each, column=column)), None)
    others = [each for index, each in enumerate(conditions) if index != own_index]
    return None if own_index is None else conditions[own_index], others


def _group(
    column: ColumnSpec,
    *,
    kind: str,
    conditions: list[Any],
    query: dict[str, str],
    counts: Mapping[str, int] | None,
) -> FilterGroup:
    op = get_column_type(column.type).click_operator
    own, others = _own_condition(column, conditions)
    now = own and own["value"]

    def choice(label: str, value: Any, *, chosen: bool, color: str = "") -> FilterChoice:
        own = [] if value in (None, []) else [{"column": column.id, "op": op, "value": value}]
        count = counts.get(label) if counts and value is not None else None
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


def _people_group(
    column: ColumnSpec, *, conditions: list[Any], query: dict[str, str], counts: Mapping[str, int] | None
) -> FilterGroup:
    """Return the menu of the members, of those in the filter who left, and of the user who reads the table.

    `counts` are the rows by id as text, without people who have none; None if they are not known.
    """
    kind, people = get_column_type(column.type), column.people
    own, others = _own_condition(column, conditions)
    is_me = bool(own) and own["op"] == ME
    now = own["value"] if own and not is_me and isinstance(own["value"], list) else []
    chosen = {person.id for person in people.all if person.id in now or person.name in now}

    def choice(
        label: str, condition: Json | None, *, chosen: bool, pk: int | None = None, person: Person | None = None
    ) -> FilterChoice:
        own = [condition] if condition else []
        count = None if counts is None or pk is None else counts.get(str(pk), 0)
        href = "?" + urlencode(_url_query(others + own, query=query))
        return FilterChoice(label, "", href, chosen, count, person=person)

    def toggled(person: Person) -> Json | None:
        ids = [each for each in people.all if (each.id in chosen) != (each.id == person.id)]
        value = [each.id if column.has_people else each.name for each in ids]
        return {"column": column.id, "op": kind.click_operator, "value": value} if value else None

    choices = [choice(_("All"), None, chosen=not own)]
    if ME in kind.operators and people.me is not None:
        mine = None if is_me else {"column": column.id, "op": ME}
        choices.append(choice(_("Me"), mine, chosen=is_me, pk=people.me))
    listed = [person for person in people.all if not person.has_left or person.id in chosen]
    choices += [choice(each.name, toggled(each), chosen=each.id in chosen, pk=each.id, person=each) for each in listed]
    shown = _("Me") if is_me else ", ".join(each.name for each in listed if each.id in chosen)
    return FilterGroup(column, "menu", tuple(choices), shown)


def _is_about(condition: Any, *, column: ColumnSpec) -> bool:
    """Return whether the filter bar sets such conditions of the column."""
    if not isinstance(condition, dict) or condition.get("column") not in (column.id, column.name):
        return False
    kind = get_column_type(column.type)
    if condition.get("op") == ME and kind.clicks == "people":
        return True
    if condition.get("op") != kind.click_operator or "value" not in condition:
        return False
    if kind.clicks != "people":
        return True
    # The menu has no deleted accounts. An invalid filter may have any value.
    known = [*column.people.ids, *(person.name for person in column.people.all)]
    return isinstance(condition["value"], list) and all(value in known for value in condition["value"])
