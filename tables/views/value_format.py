"""Values formatted in the user's locale, as scripts format them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from django.utils import timezone
from django.utils.translation import gettext as _

from shared.locales.active import current_tag
from shared.locales.formats import day_text, moment_text, number_signs
from tables.column_types import ColumnSpec, get_column_type
from tables.column_types.display_locale import DisplayLocale, display_locale
from tables.column_types.settings import setting_labels, settings_of, value_label


def format_value(value: Any, *, column: ColumnSpec) -> str:
    """Return the text of a stored value of the column; "" for none."""
    kind = get_column_type(column.type)
    if column.has_people and kind.stores(value) and value not in column.people.by_id:
        return _("Deleted account")
    if kind.has_days:
        if day := kind.day(value):
            return day_text(day, tag=current_tag())
        if local := kind.local_time(value, timezone.get_current_timezone()):
            return moment_text(local, tag=current_tag())
    return kind.display(value, column, page_locale())


def count_text(number: int) -> str:
    """Return a whole number with its thousands separated."""
    return number_signs(current_tag()).number(str(number), grouped=True)


def settings_text(settings: Mapping[str, Any]) -> str:
    """Return settings of a column by name as text: “Currency, EUR”, “Rating, Stars: 5” or “Decimal places: 2”."""
    words: list[str] = []
    for name, label in setting_labels().items():
        value = settings.get(name)
        if value is None:
            continue
        text = _(value_label(name, value))
        if isinstance(value, int):
            # A format that has the name of its setting is not repeated.
            words = words[:-1] if words[-1:] == [_(label)] else words
            text = f"{_(label)}: {text}"
        words.append(text)
    return ", ".join(words)


def type_text(column: ColumnSpec) -> str:
    """Return the label of a column's type and, unless it is the default, its format: “Number, Currency, EUR”."""
    initial = {each.name: each.default for each in settings_of(column.type) if each.name == "format"}
    settings = {name: value for name, value in column.used_settings.items() if initial.get(name) != value}
    return ", ".join(filter(None, (_(get_column_type(column.type).label), settings_text(settings))))


def page_locale() -> DisplayLocale:
    """Return the formats of the user's locale, and the user's time zone."""
    return _locale(current_tag(), timezone.get_current_timezone_name())


# Called for each cell. The current locale and time zone are the only arguments.
@lru_cache(maxsize=100)
def _locale(tag: str, zone: str) -> DisplayLocale:
    return display_locale(tag, zone=ZoneInfo(zone))
