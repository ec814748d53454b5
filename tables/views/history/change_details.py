"""Details of a change for pages: rows, columns and the table, each value before and after."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tables import selectors
from tables.column_types import ColumnSpec, get_column_type
from tables.column_types.people import NO_PEOPLE
from tables.column_types.settings import setting_labels, settings_of, value_label
from tables.views.value_format import format_value, settings_text

Json = dict[str, Any]
MAX_TEXT = 2_000
# Length of values in the list of changes, which are truncated.
MAX_PREVIEW_TEXT = 80
MAX_PREVIEW_CELLS = 8
MARKS = {"add": "plus", "update": "pencil", "move": "arrow-up-down", "delete": "minus"}
# Columns are drawn with the same three actions as rows.
ACTIONS = {"add": "add", "modify": "update", "remove": "delete"}
COLORS = {
    "blue": gettext_lazy("Blue"), "orange": gettext_lazy("Orange"), "teal": gettext_lazy("Teal"),
    "purple": gettext_lazy("Purple"), "yellow": gettext_lazy("Yellow"), "pink": gettext_lazy("Pink"),
    "gray": gettext_lazy("Gray"), "cyan": gettext_lazy("Cyan"), "indigo": gettext_lazy("Indigo"),
    "magenta": gettext_lazy("Magenta"), "brown": gettext_lazy("Brown"), "lime": gettext_lazy("Lime"),
}  # fmt: skip


@dataclass(frozen=True)
class DrawnOptions:
    """Options with their colours, as `(option, colour)`; `more` is the number of omitted ones."""

    badges: tuple[tuple[str, str], ...]
    more: int = 0


@dataclass(frozen=True)
class DrawnValue:
    """A value before and after; "" for none. `changes`: it has both. Options are drawn in place of their text."""

    label: str
    was: str
    now: str
    changes: bool
    was_options: DrawnOptions | None = None
    now_options: DrawnOptions | None = None


@dataclass(frozen=True)
class DrawnItem:
    """A row, a column or the table with its values; `action` is add, update, move or delete.

    `note` replaces or follows the values; `more` is the number of omitted values; `row` the id of a row.
    """

    action: str
    label: str
    name: str
    values: tuple[DrawnValue, ...] = ()
    note: str = ""
    more: int = 0
    row: int | None = None

    @property
    def icon(self) -> str:
        return MARKS[self.action]


@dataclass(frozen=True)
class DrawnDetails:
    """The changes to columns and the table, and some of the changed rows; `more` if there are others."""

    definitions: tuple[DrawnItem, ...]
    rows: tuple[DrawnItem, ...]
    more: bool

    @property
    def is_empty(self) -> bool:
        return not (self.definitions or self.rows)


def draw_details(details: selectors.ChangeDetails, *, preview: bool = False) -> DrawnDetails:
    """Return the details of a change. A preview shortens long values and omits further cells."""
    return DrawnDetails(
        definitions=tuple(_definitions(details, preview=preview)),
        rows=tuple(_row(row, preview=preview) for row in details.rows),
        more=details.next is not None,
    )


def _definitions(details: selectors.ChangeDetails, *, preview: bool) -> Iterator[DrawnItem]:
    if details.table:
        yield _table(details.table["was"], details.table["now"], preview=preview)
    action_labels = {"add": _("New column"), "modify": _("Changed column"), "remove": _("Deleted column")}
    for column in details.columns:
        yield DrawnItem(
            action=ACTIONS[column.action],
            label=action_labels[column.action],
            name=column.name,
            values=tuple(_column_values(column, preview=preview)),
        )
    if details.columns_moved:
        yield DrawnItem(action="update", label=_("Changed"), name=_("Column order"))
    if details.too_large:
        yield DrawnItem(action="update", label=_("Changed"), name=_("Columns"), note=_("Too large to show here."))


def _table(was: Json, now: Json, *, preview: bool) -> DrawnItem:
    if "name" in now and now.get("deleted") is False:
        return DrawnItem(action="add", label=_("New table"), name=now["name"])
    labels = {"name": _("Name"), "description": _("Description"), "deleted": _("In the trash")}
    values = []
    for key in [key for key in labels if key in now]:
        old, new = (_yes_or_no(each[key]) if key == "deleted" else each.get(key) or "" for each in (was, now))
        values.append(_value(labels[key], was=old, now=new, action="update", preview=preview))
    return DrawnItem(action="update", label=_("Changed"), name=_("Table"), values=tuple(values))


def _column_values(column: selectors.ColumnChange, *, preview: bool) -> Iterator[DrawnValue]:
    labels = {
        "name": _("Name"), "type": _("Type"), "required": _("Required"), "default": _("Default"),
        "options": _("Options"), "optionColors": _("Colors"), "filterDisplay": _("Filter"),
        **{name: _(label) for name, label in setting_labels().items()},
    }  # fmt: skip
    was, now = _with_changed_colors(column.was or {}, column.now or {})
    if "format" in was or "format" in now:
        # The settings of a format are shown with it.
        labels = {key: label for key, label in labels.items() if key == "format" or key not in setting_labels()}
    defaults = {each.name: each.default for each in settings_of((now or was).get("type", ""))}
    for key, label in labels.items():
        if key not in was and key not in now:
            continue
        # Of a whole definition, only the relevant fields: the name is in the heading.
        is_named = key in ("name", "filterDisplay", "optionColors")
        if column.action != "modify" and (is_named or (now or was)[key] in (None, False, "", [], defaults.get(key))):
            continue
        old, new = (_column_text(key, each, column=column.column) for each in (was, now))
        value = _value(label, was=old, now=new, action=ACTIONS[column.action], preview=preview)
        if key == "options":
            colors = column.column.colors if column.column else {}
            before, after = (each.get(key) or () for each in (was, now))
            value = _with_options(value, was=before, now=after, colors=colors, preview=preview)
        yield value


def _with_changed_colors(was: Json, now: Json) -> tuple[Json, Json]:
    """Return both definitions with the changed colours of options that are in both."""
    new = set(now.get("options") or ()) - set(was.get("options") or ()) if "options" in was else set()
    old_colors, colors = was.get("optionColors") or {}, now.get("optionColors") or {}
    changed = [each for each in colors if each not in new and old_colors.get(each) != colors[each]]
    was, now = ({key: value for key, value in each.items() if key != "optionColors"} for each in (was, now))
    if changed:
        was["optionColors"] = {each: old_colors[each] for each in changed if each in old_colors}
        now["optionColors"] = {each: colors[each] for each in changed}
    return was, now


def _column_text(key: str, definition: Json, *, column: ColumnSpec | None) -> str:
    value = definition.get(key)
    if value is None or value == []:
        return ""
    if key == "type":
        return _(get_column_type(value).label)
    if key == "required":
        return _yes_or_no(value)
    if key == "options":
        return ", ".join(map(str, value))
    if key == "optionColors":
        return ", ".join(f"{option}: {COLORS.get(color, color)}" for option, color in value.items())
    if key == "filterDisplay":
        return {"tab": _("Tabs"), "dropdown": _("Menu")}.get(value, str(value))
    if key == "default":
        whole = column.as_json() if column else {"id": "", "name": "", "type": ""}
        people = column.people if column else NO_PEOPLE
        return _text(value, column=ColumnSpec.from_json({**whole, **definition}, people=people))
    if key == "format":
        return settings_text(definition)
    return _(value_label(key, value)) if key in setting_labels() else str(value)


def _row(row: selectors.RowChange, *, preview: bool) -> DrawnItem:
    action_labels = {
        "add": _("New row"), "update": _("Changed row"), "move": _("Moved row"), "delete": _("Deleted row"),
    }  # fmt: skip
    shown = row.cells[:MAX_PREVIEW_CELLS] if preview else row.cells
    return DrawnItem(
        action=row.action,
        label=action_labels[row.action],
        name=row.name or _("Empty row"),
        values=tuple(_cell(cell, action=row.action, preview=preview) for cell in shown),
        note=_("Too large to show here.") if row.too_large else "",
        more=len(row.cells) - len(shown),
        row=row.id,
    )


def _cell(cell: selectors.CellChange, *, action: str, preview: bool) -> DrawnValue:
    column = ColumnSpec(cell.column_id, cell.column, cell.type, settings=cell.settings, people=cell.people)
    was, now = (_text(each, column=column) for each in (cell.was, cell.now))
    value = _value(cell.column or _("Deleted column"), was=was, now=now, action=action, preview=preview)
    kind = get_column_type(cell.type)
    if not kind.has_options:
        return value
    before, after = (kind.options_of(each) if kind.stores(each) else () for each in (cell.was, cell.now))
    return _with_options(value, was=before, now=after, colors=cell.colors, preview=preview)


def _with_options(
    value: DrawnValue, *, was: Sequence[str], now: Sequence[str], colors: Mapping[str, str], preview: bool
) -> DrawnValue:
    """Return the value with options before and after, if there are any."""
    was_options, now_options = (_options(each, colors=colors, preview=preview) for each in (was, now))
    return replace(value, was_options=was_options, now_options=now_options)


def _options(options: Sequence[str], *, colors: Mapping[str, str], preview: bool) -> DrawnOptions | None:
    left = MAX_PREVIEW_TEXT if preview else MAX_TEXT
    badges: list[tuple[str, str]] = []
    for option in options:
        left -= len(option)
        if badges and left < 0:
            break
        badges.append((option, colors.get(option, "gray")))
    return DrawnOptions(tuple(badges), len(options) - len(badges)) if badges else None


def _value(label: str, *, was: str, now: str, action: str, preview: bool) -> DrawnValue:
    most = MAX_PREVIEW_TEXT if preview else MAX_TEXT
    was, now = (f"{text[: most - 1]}…" if len(text) > most else text for text in (was, now))
    return DrawnValue(label=label, was=was, now=now, changes=action == "update")


def _text(value: Any, *, column: ColumnSpec) -> str:
    """Return a cell in the page's language; the type is "" if the column is unknown."""
    if isinstance(value, bool):
        return _yes_or_no(value)
    return "" if value is None else format_value(value, column=column)


def _yes_or_no(value: object) -> str:
    return _("Yes") if value else _("No")
