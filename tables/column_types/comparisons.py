"""How databases compare the values of columns."""
from __future__ import annotations

from typing import Literal

# How databases compare cells: as text without regard to case, as exact text, as floats, as booleans, by the position of
# the column's option, by those of a list of options, by the names in a list of files, by the position of a user among
# the people of the table, or as JSON if the type is unknown.
Comparison = Literal["folded", "exact", "number", "boolean", "option", "options", "names", "person", "raw"]
# The Python types of stored values by comparison; bool is listed apart from int.
STORED_TYPES: dict[Comparison, frozenset[type]] = {
    "folded": frozenset({str}),
    "exact": frozenset({str}),
    "option": frozenset({str}),
    "options": frozenset({list}),
    "names": frozenset({list}),
    "number": frozenset({int, float}),
    "boolean": frozenset({bool}),
    "person": frozenset({int}),
    "raw": frozenset({str, int, float, bool, list, dict}),
}
