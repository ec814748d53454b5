"""Lists of options as one text: names with a comma, a semicolon or a leading quotation mark are quoted."""
from __future__ import annotations

import re
from collections.abc import Iterable

from tables.column_types.names import MAX_NAME_LENGTH

MUST_BE_QUOTED = re.compile(r'["]|.*[,;]', re.DOTALL)
# A quoted name up to a separator, else everything up to one. A quotation mark in a quoted name is doubled.
PIECE = re.compile(rf'[ \t]*"((?:[^"]|""){{1,{MAX_NAME_LENGTH}}})"[ \t]*(?=[,;\r\n]|\Z)|[^,;\r\n]+')


def list_text(names: Iterable[str]) -> str:
    """Return the names as one text, from which `split_list` returns them again."""
    return ", ".join(f'"{quoted}"' if MUST_BE_QUOTED.match(name) else name
                     for name in names for quoted in [name.replace('"', '""')])  # fmt: skip


def split_list(text: str) -> list[str]:
    """Return the names in a text, separated by commas, semicolons or line ends; empty ones are left out."""
    found = (match[0] if match[1] is None else match[1].replace('""', '"') for match in PIECE.finditer(text))
    return [name for each in found if (name := each.strip())]
