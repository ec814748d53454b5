"""Functions that SQLite lacks: case folding, normalization, local days, exact sums, medians, and more."""
from __future__ import annotations

import json
from decimal import Decimal, localcontext
from functools import lru_cache
from statistics import median_high, median_low
from typing import Any
from unicodedata import normalize
from zoneinfo import ZoneInfo

from tables.column_types.files import file_names
from tables.column_types.moments import is_moment, local_day
from tables.operations.queries.measures import EXACT

# Numbers that are added at once, so that a large table needs little memory.
MAX_ADDED = 10_000


def add_sql_functions(*, connection: Any, **_signal: Any) -> None:
    """Add the functions of this module, which SQLite lacks.

    Receiver of `connection_created`.
    """
    if connection.vendor == "sqlite" and not getattr(connection.connection, "has_sql_functions", False):
        connection.connection.create_function("casefold", 1, _casefold, deterministic=True)
        connection.connection.create_function("nfc", 1, _nfc, deterministic=True)
        connection.connection.create_function("option_indexes", 2, option_indexes, deterministic=True)
        connection.connection.create_function("names_of_files", 1, _names_of_files, deterministic=True)
        connection.connection.create_function("local_day", 2, _local_day, deterministic=True)
        connection.connection.create_aggregate("exact_sum", 1, _ExactSum)
        connection.connection.create_aggregate("median_low", 1, _LowMedian)
        connection.connection.create_aggregate("median_high", 1, _HighMedian)
        if hasattr(connection.connection, "has_sql_functions"):
            connection.connection.has_sql_functions = True


def _casefold(value: Any) -> Any:
    return value.casefold() if isinstance(value, str) else value


def _nfc(value: Any) -> Any:
    return normalize("NFC", value) if isinstance(value, str) else value


@lru_cache(maxsize=10_000)
def option_indexes(cell: Any, options: str) -> str | None:
    """Return the indexes of a list's elements among the options, in ascending order; both are JSON."""
    try:
        elements = json.loads(cell) if isinstance(cell, str) and cell.startswith("[") else []
    except ValueError:
        return None
    known = _indexes(options)
    found = sorted(known[element] for element in elements if isinstance(element, str) and element in known)
    return "".join(f"{index:06d}" for index in found) or None


@lru_cache(maxsize=100)
def _indexes(options: str) -> dict[str, int]:
    return {option: index for index, option in enumerate(json.loads(options))}


def _local_day(value: Any, zone: str) -> str | None:
    return local_day(value, zone=ZoneInfo(zone)) if isinstance(value, str) and is_moment(value) else None


def _names_of_files(cell: Any) -> str | None:
    try:
        files = json.loads(cell) if isinstance(cell, str) and cell.startswith("[") else []
    except ValueError:
        return None
    return "\n".join(file_names(files)) or None


class _ExactSum:
    """Aggregate function of SQLite: the exact sum of numbers as they are written, in digits."""

    def __init__(self) -> None:
        self.total = Decimal(0)
        self.numbers: list[float] = []

    def step(self, number: float | None) -> None:
        if number is not None:
            self.numbers.append(number)
            if len(self.numbers) == MAX_ADDED:
                self._add()

    def finalize(self) -> str:
        self._add()
        return str(self.total)

    def _add(self) -> None:
        with localcontext(EXACT):
            self.total = sum(map(Decimal, map(repr, self.numbers)), self.total)
        self.numbers = []


class _LowMedian:
    """Aggregate function of SQLite: the lower of the two middle numbers, or the middle one."""

    def __init__(self) -> None:
        self.numbers: list[float] = []

    def step(self, number: float | None) -> None:
        if number is not None:
            self.numbers.append(number)

    def finalize(self) -> float | None:
        return median_low(self.numbers) if self.numbers else None


class _HighMedian(_LowMedian):
    """Aggregate function of SQLite: the higher of the two middle numbers, or the middle one."""

    def finalize(self) -> float | None:
        return median_high(self.numbers) if self.numbers else None
