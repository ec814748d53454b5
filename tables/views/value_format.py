"""A value as the page's language writes it, from the first paint on; scripts write it as this very reader does."""

from __future__ import annotations

import datetime
from typing import Any

from django.conf import settings
from django.utils.dateformat import format as formatted
from django.utils.formats import get_format
from django.utils.translation import get_language, pgettext

from tables.column_types import get_column_type


def written(value: Any, *, type_name: str) -> str:
    """The text of a stored value of that type; "" for none."""
    kind = get_column_type(type_name)
    text = kind.display(value)
    if not text or get_language() == settings.LANGUAGE_CODE or not kind.stores(value):
        return text
    if type_name == "date":
        return str(formatted(datetime.date.fromisoformat(value), pgettext("how a day is written", "M j, Y")))
    # Without thousands separators: they belong to amounts, and a number may as well be a year or a reference.
    plain_number = type_name == "number" and "e" not in text
    return text.replace(".", str(get_format("DECIMAL_SEPARATOR"))) if plain_number else text
