"""Values formatted in the page's language. Scripts format them for the user's locale."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.utils.dateformat import format as formatted
from django.utils.formats import get_format
from django.utils.translation import get_language, pgettext

from tables.column_types import get_column_type


def format_value(value: Any, *, type_name: str) -> str:
    """Return the text of a stored value of this type; "" for none."""
    kind = get_column_type(type_name)
    text = kind.display(value)
    if not text or get_language() == settings.LANGUAGE_CODE or not kind.stores(value):
        return text
    if day := kind.day(value):
        return str(formatted(day, pgettext("how a day is written", "M j, Y")))
    # Without thousands separators, because a number may be a year or a reference.
    plain_number = kind.has_decimals and "e" not in text
    return text.replace(".", str(get_format("DECIMAL_SEPARATOR"))) if plain_number else text
