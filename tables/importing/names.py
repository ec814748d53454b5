"""Valid and unique column names from the first row of a file, and table names from file names."""
from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Any

from tables.column_types import name_key
from tables.column_types.names import MAX_NAME_LENGTH

# Leaves room for a number after a repeated name, however its letters fold.
MAX_REPEATED_LENGTH = 80
UNNAMED = "Column {number}"
UNNAMED_TABLE = "Imported table"


def unnamed_column(number: int, *, pattern: str = UNNAMED) -> str:
    """Return the name of an unnamed column, in the language of the pattern."""
    return pattern.replace("{number}", str(number))


def column_names(given: Iterable[Any], *, unnamed: str = UNNAMED) -> list[str]:
    """Return a name for each column, in order: “Column 3” for an empty one, “Name 2” for a second “Name”."""
    names: list[str] = []
    taken: set[str] = set()
    for number, each in enumerate(given, start=1):
        wanted = clean_name(each) or unnamed_column(number, pattern=unnamed)
        name, again = wanted, 1
        while name_key(name) in taken:
            again += 1
            name = f"{wanted[:MAX_REPEATED_LENGTH]} {again}"
        taken.add(name_key(name))
        names.append(name)
    return names


def table_name(file_name: str, *, unnamed: str = UNNAMED_TABLE) -> str:
    """Return the table name for a file: its name without folder and extension."""
    last = file_name.replace("\\", "/").rpartition("/")[2]
    stem, dot, _ = last.rpartition(".")
    return clean_name(stem if dot and stem else last).replace("_", " ").strip() or unnamed


def clean_name(given: Any) -> str:
    """Return the text as one line, without characters that cannot be stored, and short enough for a name."""
    # Spreadsheets have no integers: 2024 is read as 2024.0.
    value = int(given) if isinstance(given, float) and given.is_integer() else given
    text = "" if value is None else str(value)[: MAX_NAME_LENGTH * 4]
    # Control characters are usually line breaks between words; lone surrogates are dropped.
    signs = (" " if unicodedata.category(sign) == "Cc" else sign for sign in text if unicodedata.category(sign) != "Cs")
    name = "".join(signs).strip()[:MAX_NAME_LENGTH].strip()
    while len(name_key(name)) > MAX_NAME_LENGTH:
        name = name[: len(name) // 2].strip()
    return name if name_key(name) else ""
