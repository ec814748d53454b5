"""Multiple select: a list of the column's options."""
from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from shared import strictjson
from shared.user_messages import declare
from tables.column_types.column_type import ALWAYS, Cast
from tables.column_types.display_locale import DisplayLocale
from tables.column_types.faults import ValueFault, shown
from tables.column_types.limits import LIMITS
from tables.column_types.option_lists import list_text, split_list
from tables.column_types.select import (
    MAX_FEW_LENGTH,
    MAX_FEW_OPTIONS,
    MIN_REPEATS,
    MIN_VALUES,
    Select,
    exact_option,
    similar_option,
)
from tables.column_types.spec import ColumnSpec
from tables.column_types.written_forms import JsonForm

NOT_A_LIST = declare("not_a_list_value", "{value:quoted} is not a list of options.")
LIST_TOO_LONG = declare("list_too_long", "A list of options can have at most {count:,} bytes.")
# The share of values with several options from which a column of a file is detected as this type.
MIN_LISTS = 0.5
# Of fewer values than `MIN_VALUES`, other conditions decide: how often options repeat on average, by separator. Commas
# are also in addresses and sentences.
MIN_FEW_VALUES, MIN_FEW_REPEATS = 4, {",": 2.0, ";": 1.5, "\n": 1.5}


class MultiSelect(Select):
    """Column type for lists of the column's options, without doubles and in the order of the options.

    Values sort by that order: by the first option, then the second, and so on.
    """

    name = "multi_select"
    label = "Multiple select"
    described = "a list of options"
    json_form = JsonForm(
        "a list of strings, each one of the `options` of the column; like `select` it has at least one option",
        ["Red", "Blue"],
    )
    operators = ("has_any", "has_all", "has_none", *ALWAYS)
    comparison = "options"
    has_lists = True
    icon = "list"
    drawn = "badges"
    click_operator = "has_any"

    def check(self, value: Any, column: ColumnSpec) -> list[str] | None:
        return None if value == [] else super().check(value, column)

    def cast(self, value: Any, column: ColumnSpec) -> Cast:
        if value == []:
            return Cast(None, changed=False)
        cast = super().cast(value, column)
        # The order of a given list has no meaning.
        is_same = isinstance(value, list) and cast.value is not None and set(value) == set(cast.value)
        return Cast(cast.value, changed=cast.changed and not is_same)

    def cast_choice(self, value: Any, column: ColumnSpec) -> Any:
        return None if value is None or value == "" else self._cast_option(value, column)

    def searched(self, value: Any) -> str:
        return "\n".join(value) if self.stores(value) else self.text(value)

    def options_of(self, value: Any) -> Sequence[str]:
        return value if isinstance(value, list) else split_list(value)

    def replace_options(self, value: Any, *, replaced: Mapping[str, str | None], column: ColumnSpec) -> Any:
        return _in_order([new for each in value if (new := replaced.get(each, each)) is not None], column)

    def resembles(self, values: Sequence[Any], *, name: str) -> bool:
        """Return whether most values are short lists of a few texts that repeat, and not all of the same length."""
        if len(values) < MIN_FEW_VALUES or not all(isinstance(value, str) for value in values):
            return False
        lists = [[" ".join(each.split()).casefold() for each in split_list(value)] for value in values]
        counts = Counter(each for pieces in lists for each in pieces)
        several = sum(len(pieces) > 1 for pieces in lists)
        few = 1 < len(counts) <= MAX_FEW_OPTIONS and (
            _few_resemble(values, lists=lists, counts=counts)
            if len(values) < MIN_VALUES
            else min(counts.values()) * 2 >= MIN_REPEATS
        )
        short = all(len(text) <= MAX_FEW_LENGTH and text.isprintable() for text in counts)
        # Texts with a fixed number of parts, such as a town and its country, are no lists.
        varied = len({len(pieces) for pieces in lists}) > 1 and all(len(set(each)) == len(each) for each in lists)
        return few and short and varied and several >= len(values) * MIN_LISTS

    def _check(self, value: Any, column: ColumnSpec) -> list[str] | None:
        if not isinstance(value, list):
            raise ValueFault("not_a_list", NOT_A_LIST(value=shown(value)))
        return self._stored(self._all_options(value, column, find=exact_option), column)

    def _cast(self, value: Any, column: ColumnSpec) -> list[str] | None:
        if isinstance(value, list):
            return self._stored(self._all_options(value, column, find=similar_option), column)
        if isinstance(value, dict):
            return self._check(value, column)
        if not isinstance(value, str):
            return self._stored([self._cast_option(value, column)], column)
        if len(value) > LIMITS.cell_bytes:
            raise ValueFault("too_long", LIST_TOO_LONG(count=LIMITS.cell_bytes))
        try:
            return self._stored(self._all_options(split_list(value), column, find=similar_option), column)
        except ValueFault:
            # The name of a single option may have separators.
            if value.strip() not in column.options:
                raise
            return [value.strip()]

    def _stored(self, options: list[str], column: ColumnSpec) -> list[str] | None:
        stored = _in_order(options, column)
        if stored and len(strictjson.dumps(stored).encode()) > LIMITS.cell_bytes:
            raise ValueFault("too_long", LIST_TOO_LONG(count=LIMITS.cell_bytes))
        return stored

    def _text(self, value: Any) -> str:
        return list_text(value)

    def _display(self, value: Any, column: ColumnSpec, locale: DisplayLocale) -> str:
        return ", ".join(value)


def _few_resemble(values: Sequence[str], *, lists: Sequence[Sequence[str]], counts: Counter[str]) -> bool:
    """Return whether the options repeat in a short column, and have no fixed positions, as parts of texts have."""
    separators = [sign for sign in MIN_FEW_REPEATS if any(sign in value for value in values)]
    if len(separators) != 1:
        return False
    repeat = counts.total() >= len(counts) * MIN_FEW_REPEATS[separators[0]]
    mostly = sum(count > 1 for count in counts.values()) * 2 > len(counts)
    first, other = ({each for pieces in lists for each in pieces[part]} for part in (slice(1), slice(1, None)))
    return repeat and mostly and bool(first & other)


def _in_order(options: list[str], column: ColumnSpec) -> list[str] | None:
    """Return the options without doubles, in their order; None for none."""
    chosen = set(options)
    return [option for option in column.options if option in chosen] or None


TYPE = MultiSelect()
