"""The signs of numbers in the language of a page, and the time zone of its reader."""
from __future__ import annotations

from dataclasses import dataclass
from datetime import tzinfo


@dataclass(frozen=True)
class DisplayLocale:
    """Separators, and the patterns of amounts of money and of percentages. The default is English.

    `money` has {symbol} and {amount}, `percent` has {number}. `zone`: None for that of the column.
    """

    decimal: str = "."
    group: str = ","
    money: str = "{symbol}{amount}"
    percent: str = "{number}%"
    zone: tzinfo | None = None


ENGLISH = DisplayLocale()
