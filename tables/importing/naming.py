"""Names for columns out of whatever stands in the first row of a file: storable, not empty, and no two the same."""
from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Any

from tables.column_types import name_key
from tables.column_types.names import MAX_NAME_LENGTH

# So that a number fits behind a name that is there twice, however its letters fold.
MOST_REPEATED = 80
UNNAMED = "Column {number}"
UNNAMED_TABLE = "Imported table"


def unnamed_column(number: int, *, pattern: str = UNNAMED) -> str:
    """Return what a column without a name is called, in the language of the pattern."""
    return pattern.replace("{number}", str(number))


def column_names(given: Iterable[Any], *, unnamed: str = UNNAMED) -> list[str]:
    """A name for each, in order: an empty one is called “Column 3”, a second “Name” “Name 2”."""
    names: list[str] = []
    taken: set[str] = set()
    for number, each in enumerate(given, start=1):
        wanted = storable(each) or unnamed_column(number, pattern=unnamed)
        name, again = wanted, 1
        while name_key(name) in taken:
            again += 1
            name = f"{wanted[:MOST_REPEATED]} {again}"
        taken.add(name_key(name))
        names.append(name)
    return names


def table_name(file_name: str, *, unnamed: str = UNNAMED_TABLE) -> str:
    """What a table made of this file may be called: its name without folder and ending."""
    last = file_name.replace("\\", "/").rpartition("/")[2]
    stem, dot, _ = last.rpartition(".")
    return storable(stem if dot and stem else last).replace("_", " ").strip() or unnamed


def storable(given: Any) -> str:
    """The text without what a database or a reader could not bear, on one line and not too long for a name."""
    # A sheet has no whole numbers: 2024 stands there as 2024.0.
    said = int(given) if isinstance(given, float) and given.is_integer() else given
    text = "" if said is None else str(said)[: MAX_NAME_LENGTH * 4]
    # A control character is mostly a line break between two words; halves of surrogate pairs are nothing.
    signs = (" " if unicodedata.category(sign) == "Cc" else sign for sign in text if unicodedata.category(sign) != "Cs")
    name = "".join(signs).strip()[:MAX_NAME_LENGTH].strip()
    while len(name_key(name)) > MAX_NAME_LENGTH:
        name = name[: len(name) // 2].strip()
    return name if name_key(name) else ""
