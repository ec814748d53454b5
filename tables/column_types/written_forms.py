"""Forms of the values of a type in files, such as dates with the day first, and in the API."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

MAX_LENGTH = 60  # of a text with such a format


@dataclass(frozen=True)
class WrittenForm:
    """One format of values in files.

    `name` is its name in the API, "" for what the type itself casts; `label` is English, and translated on pages.
    `read` converts a filled cell to a value that the type casts, and raises ValueFault; None if it needs no conversion.
    `suits` is whether a cell can have this format at all, in the detection of types. `separator`: of decimals, or "".
    """

    name: str = ""
    label: str = ""
    read: Callable[[Any], Any] | None = None
    suits: Callable[[Any], bool] | None = None
    separator: str = ""


UNCHANGED = WrittenForm()


class JsonForm(NamedTuple):
    """The form of values in the API, as text for programmers in Markdown; `example` is such a value."""

    described: str
    example: Any
