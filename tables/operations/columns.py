"""Order of columns and options, and differences between column definitions."""
from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tables.column_types import ColumnSpec, name_key
from tables.column_types.settings import setting_names, used_settings

Json = dict[str, Any]


class Order:
    """The ids of columns in order while a proposal is planned.

    Ids are never deleted: removed columns, and added ones that were not chosen, remain as anchors after which others
    can be placed. `live_ids` omits them.
    """

    def __init__(self, ids: Iterable[str]) -> None:
        self.ids = list(ids)
        self._anchors: dict[str, str | None] = {}

    def add(self, column_id: str, *, after: str | None) -> None:
        """Add a new column at the end, or after another column and those added after it before."""
        self._anchors[column_id] = after
        index = len(self.ids)
        if after is not None and after in self.ids:
            index = self.ids.index(after) + 1
            while index < len(self.ids) and self._follows(self.ids[index], after):
                index += 1
        self.ids.insert(index, column_id)

    def move(self, column_id: str, *, after: str | None) -> None:
        """Move a column to the start, or after another one."""
        self.ids.remove(column_id)
        self._anchors.pop(column_id, None)
        self.ids.insert(self.ids.index(after) + 1 if after in self.ids else 0, column_id)

    def live_ids(self, live: Collection[str]) -> list[str]:
        """Return the ids of live columns in order."""
        return [each for each in self.ids if each in live]

    def _follows(self, column_id: str, anchor: str) -> bool:
        previous = self._anchors.get(column_id)
        while previous is not None and previous != anchor:
            previous = self._anchors.get(previous)
        return previous == anchor


def restored_order(pair: Json | None, *, current: list[str], live: Collection[str]) -> list[str]:
    """Return the order after a change was undone: `pair["now"]` if columns were not moved since.

    Otherwise as few columns as possible are moved. Columns added later remain after their predecessor.
    """
    remaining = [each for each in current if each in live]
    if pair is None:
        return remaining + [each for each in live if each not in remaining]
    unmoved = [each for each in current if each in pair["was"]] == [each for each in pair["was"] if each in current]
    base, others = (pair["now"], remaining) if unmoved else (remaining, pair["now"])
    result = [each for each in base if each in live]
    previous: str | None = None
    for each in others:
        if each not in live:
            continue
        if each not in result:
            result.insert(result.index(previous) + 1 if previous is not None else 0, each)
        previous = each
    return result + [each for each in live if each not in result]


def restored_options(current: Sequence[str], *, was: Sequence[str], now: Sequence[str]) -> list[str] | None:
    """Return the options after undoing a change from `now` to `was`, where they were changed again since.

    Later additions and deletions are preserved. Returns None if the change reordered options, or if the result would
    be empty or have duplicates.
    """
    if [each for each in was if each in now] != [each for each in now if each in was]:
        return None
    result = [each for each in current if each in now or each not in was]
    previous: str | None = None
    for each in now:
        if each not in was and each not in result:
            result.insert(result.index(previous) + 1 if previous in result else 0, each)
        previous = each if each in result else previous
    return result if result and len({name_key(each) for each in result}) == len(result) else None


def restored_colors(
    current: Mapping[str, str], *, was: Mapping[str, str], now: Mapping[str, str]
) -> dict[str, str] | None:
    """Return the option colours after undoing a change; None if the colour of the same option was changed since."""
    changed = {option: color for option, color in now.items() if was.get(option) != color}
    if any(current.get(option) not in (None, was.get(option)) for option in changed):
        return None
    return {**current, **changed}


def numbered(columns: Iterable[ColumnSpec]) -> tuple[ColumnSpec, ...]:
    """Return the columns with positions from 0."""
    return tuple(replace(column, position=position) for position, column in enumerate(columns))


def definition(column: ColumnSpec) -> Json:
    """Return the whole definition of a column without its position.

    It includes fields that its type does not use, because undo restores exactly this.
    """
    return {
        "id": column.id,
        "name": column.name,
        "type": column.type,
        "required": column.required,
        "default": column.default,
        "options": list(column.options),
        "optionColors": dict(column.option_colors),
        "filterDisplay": column.filter_display,
        "settings": dict(column.settings),
    }


def public_fields(fields: Json, *, type_name: str) -> Json:
    """Return some fields of a definition as users and programs see them: each setting is a field of its own."""
    if "settings" not in fields:
        return fields
    others = {key: value for key, value in fields.items() if key != "settings"}
    return others | used_settings(fields.get("type", type_name), fields["settings"])


def public_changes(was: Json, now: Json, *, type_name: str) -> tuple[Json, Json]:
    """Return the fields that a change of a definition sets, before and after, without settings that are equal."""
    old, new = (public_fields(each, type_name=type_name) for each in (was, now))
    equal = [name for name in setting_names() if name in old and old[name] == new.get(name)]
    return _without(old, equal), _without(new, equal)


def _without(fields: Json, names: Collection[str]) -> Json:
    return {key: value for key, value in fields.items() if key not in names}


def difference(was: ColumnSpec, now: ColumnSpec) -> tuple[Json, Json]:
    """Return the keys in which the definitions of two columns differ, with the values of both."""
    one, other = definition(was), definition(now)
    keys = [key for key in one if one[key] != other[key] or type(one[key]) is not type(other[key])]
    return {key: one[key] for key in keys}, {key: other[key] for key in keys}
