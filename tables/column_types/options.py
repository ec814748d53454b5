"""Options of types that have them, found from the values of a column."""
from __future__ import annotations

from collections.abc import Iterable

from shared.user_messages import declare
from tables.column_types.faults import ValueFault
from tables.column_types.names import check_name, name_key

TOO_MANY_VALUES = declare("too_many_values", "There are more than {count} different values. List the options.")
MAX_FOUND_OPTIONS = 100  # of a column whose values become its options automatically


def options_from(values: Iterable[str]) -> tuple[str, ...]:
    """Return the distinct texts as options, in order of first appearance. Raises ValueFault for an invalid option."""
    found: dict[str, str] = {}
    for value in values:
        name = check_name(value, is_option=True)
        found.setdefault(loose_key(name), name)
        if len(found) > MAX_FOUND_OPTIONS:
            raise ValueFault("too_many_options", TOO_MANY_VALUES(count=MAX_FOUND_OPTIONS))
    return tuple(found.values())


def loose_key(text: str) -> str:
    """Return the name for comparison without regard to case and to the amount of white space."""
    return " ".join(name_key(text).split())
