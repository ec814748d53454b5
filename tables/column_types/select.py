"""Select: one of the column's options."""
from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from shared.user_messages import declare
from tables.column_types.cell_drawing import Drawn
from tables.column_types.column_type import ALWAYS, ColumnType, get_column_type
from tables.column_types.comparisons import Comparison
from tables.column_types.faults import ValueFault, shown
from tables.column_types.limits import LIMITS
from tables.column_types.names import check_name, did_you_mean, name_key
from tables.column_types.number_values import check_number
from tables.column_types.options import loose_key
from tables.column_types.spec import FILTER_DISPLAYS, ColumnSpec
from tables.column_types.value_texts import BOOLEAN_WORDS, FOREIGN_BOOLEAN_WORDS, number_text
from tables.column_types.written_forms import JsonForm

NOT_AN_OPTION = declare("not_an_option", "{value:quoted} is not an option of “{column}”.{hint}")
NOT_OPTIONS = declare("not_options", "{values:quoted} are not options of “{column}”.{hint}")
# As many values of a list that are no options are named in a message.
MAX_NAMED = 20
OPTIONS_NEEDED = declare("options_needed", "A select column needs at least one option.")
TOO_MANY_OPTIONS = declare("too_many_options", "A select column can have at most {count:,} options.")
UNKNOWN_FILTER_DISPLAY = declare("unknown_filter_display", "filterDisplay must be “tab” or “dropdown”.")
DOUBLED_OPTION = declare("doubled_option", "The option “{option}” appears twice.")

# Names of columns with names of persons, which are never select columns.
PERSON_NAME_COLUMN = re.compile(
    r"(?:(?:first|last|middle|full|given|family|nick|user|contact|customer|client)[ _-]*)?names?|surname|forename"
    r"|(?:vor|nach|familien|zu|spitz|benutzer|kunden)?namen?",
    re.IGNORECASE,
)
# Few short texts that repeat: distinct ones, how often each repeats on average, and characters.
MIN_VALUES, MAX_FEW_OPTIONS, MIN_REPEATS, MAX_FEW_LENGTH = 20, 12, 5, 40

FindOption = Callable[[Any, ColumnSpec], str | None]


class Select(ColumnType):
    """Column type for one of the column's options. Values sort by the order of the options."""

    name = "select"
    label = "Select"
    described = "exactly one of the options"
    json_form = JsonForm("a string, exactly one of the `options` of the column", "Open")
    operators: ClassVar[tuple[str, ...]] = ("any_of", "none_of", *ALWAYS)
    comparison: ClassVar[Comparison] = "option"
    sort_labels = ("first option first", "last option first")
    has_options = True
    icon = "circle-chevron-down"
    drawn: ClassVar[Drawn] = "badge"
    clicks = "options"
    click_operator = "any_of"

    def resembles(self, values: Sequence[Any], *, name: str) -> bool:
        """Return whether the values are a few short texts that repeat, and not names of persons."""
        if len(values) < MIN_VALUES or not all(isinstance(value, str) for value in values):
            return False
        distinct = {" ".join(value.split()).casefold() for value in values}
        few = 1 < len(distinct) <= MAX_FEW_OPTIONS and len(distinct) * MIN_REPEATS <= len(values)
        short = all(0 < len(text) <= MAX_FEW_LENGTH and text.isprintable() for text in distinct)
        return few and short and not PERSON_NAME_COLUMN.fullmatch(name.strip())

    def options_of(self, value: Any) -> Sequence[str]:
        return [value]

    def form_choices(self, column: ColumnSpec) -> Sequence[str]:
        return column.options

    def replace_options(self, value: Any, *, replaced: Mapping[str, str | None], column: ColumnSpec) -> Any:
        return replaced.get(value, value)

    def convert(self, value: Any, *, source: ColumnSpec, target: ColumnSpec) -> Any:
        kind = get_column_type(source.type)
        if value is None or not kind.has_options:
            return super().convert(value, source=source, target=target)
        # The text of a list is no option, and an option may have the separators of a list.
        options = list(kind.options_of(value))
        return self.cast(options if self.has_lists or len(options) > 1 else options[0], target).value

    def _convert(self, value: Any, text: str, target: ColumnSpec) -> Any:
        # True is also the option “Yes”.
        return self._cast(value if isinstance(value, bool) else text, target)

    def _check(self, value: Any, column: ColumnSpec) -> Any:
        return self._check_option(value, column)

    def _cast(self, value: Any, column: ColumnSpec) -> Any:
        return self._cast_option(value, column)

    def _check_option(self, value: Any, column: ColumnSpec) -> str:
        return self._all_options([value], column, find=exact_option)[0]

    def _cast_option(self, value: Any, column: ColumnSpec) -> str:
        return self._all_options([value], column, find=similar_option)[0]

    def _all_options(self, values: Sequence[Any], column: ColumnSpec, *, find: FindOption) -> list[str]:
        """Return the options that the values are. Raises ValueFault that names those that are none."""
        found: list[str] = []
        unknown: list[Any] = []
        for value in values:
            option = find(value, column)
            if option is not None:
                found.append(option)
            elif len(unknown := [*unknown, value]) == MAX_NAMED:
                break
        if unknown:
            raise self._unknown(unknown, column)
        return found

    def check_definition(self, column: ColumnSpec) -> ColumnSpec:
        faults = []
        if not column.options:
            faults.append(ValueFault("options_needed", OPTIONS_NEEDED(), part="options"))
        if len(column.options) > LIMITS.options:
            faults.append(ValueFault("too_many_options", TOO_MANY_OPTIONS(count=LIMITS.options), part="options"))
        if column.filter_display not in FILTER_DISPLAYS:
            faults.append(ValueFault("unknown_filter_display", UNKNOWN_FILTER_DISPLAY(), part="filterDisplay"))
        seen: dict[str, str] = {}
        options_are_known = bool(column.options)
        for index, option in enumerate(column.options[: LIMITS.options]):
            try:
                name = check_name(option, is_option=True)
            except ValueFault as fault:
                faults.append(fault.at(f"options[{index}]"))
                options_are_known = False
                continue
            if name_key(name) in seen:
                message = DOUBLED_OPTION(option=shown(name))
                faults.append(ValueFault("doubled_option", message, part=f"options[{index}]"))
            seen.setdefault(name_key(name), name)
        checked = replace(column, options=tuple(seen.values()))
        try:
            # The default may be meant to be an option that cannot be read.
            checked = super().check_definition(checked if options_are_known else replace(checked, default=None))
        except ValueFault as fault:
            faults += fault.all
        if faults:
            raise ValueFault.of_all(faults)
        return checked

    def _unknown(self, values: Sequence[Any], column: ColumnSpec) -> ValueFault:
        hint, name = did_you_mean(values[0], column.options), shown(column.name)
        if len(values) == 1:
            return ValueFault("unknown_option", NOT_AN_OPTION(value=shown(values[0]), column=name, hint=hint))
        named = tuple(shown(value) for value in values)
        return ValueFault("unknown_option", NOT_OPTIONS(values=named, column=name, hint=hint))


def exact_option(value: Any, column: ColumnSpec) -> str | None:
    """Return the option that a value is."""
    return value if isinstance(value, str) and value in column.colors else None


def similar_option(value: Any, column: ColumnSpec) -> str | None:
    """Return the option that a value is, or the only one that it is like. Raises ValueFault for impossible numbers."""
    if isinstance(value, bool):
        named = {name_key(option): option for option in column.options}
        words = (*BOOLEAN_WORDS[value], *FOREIGN_BOOLEAN_WORDS[value])
        return next((named[word] for word in words if word in named), None)
    if isinstance(value, int | float):
        value = number_text(check_number(value))
    if not isinstance(value, str) or value in column.options:
        return exact_option(value, column)
    for likeness in (name_key, loose_key):
        wanted = likeness(value[:1_000])
        same = [option for option in column.options if likeness(option) == wanted]
        if len(same) == 1:
            return same[0]
    return None


TYPE = Select()
