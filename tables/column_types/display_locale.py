"""How values are written for the user of a page: the signs of numbers, the language of dates and the time zone."""
from __future__ import annotations

from dataclasses import dataclass
from datetime import tzinfo

from shared.locales.formats import NumberSigns, number_signs


@dataclass(frozen=True)
class DisplayLocale(NumberSigns):
    """The formats of a locale. The default is English; `zone`: None for that of the column."""

    zone: tzinfo | None = None


ENGLISH = DisplayLocale()


def display_locale(tag: str, *, zone: tzinfo | None = None) -> DisplayLocale:
    """Return the formats of a locale like de-AT."""
    return DisplayLocale(**vars(number_signs(tag)), zone=zone)
