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
    text = get_column_type(type_name).display(value)
    if not text or get_language() == settings.LANGUAGE_CODE:
        return text
    if type_name == "date":
        return str(formatted(datetime.date.fromisoformat(value), pgettext("how a day is written", "M j, Y")))
    return _with_signs(text) if type_name == "number" and "e" not in text else text


def _with_signs(text: str) -> str:
    """An English number with the signs of the current language."""
    signs = {",": str(get_format("THOUSAND_SEPARATOR")), ".": str(get_format("DECIMAL_SEPARATOR"))}
    return "".join(signs.get(each, each) for each in text)
