"""The signs of numbers in the language of a page."""
from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DisplayLocale:
    """Separators, and the patterns of amounts of money and of percentages. The default is English.

    `money` has {symbol} and {amount}, `percent` has {number}.
    """

    decimal: str = "."
    group: str = ","
    money: str = "{symbol}{amount}"
    percent: str = "{number}%"


ENGLISH = DisplayLocale()
