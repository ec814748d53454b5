"""The boolean type."""
from __future__ import annotations

from typing import Any

from shared.user_messages import declare
from tables.column_types.column_type import ALWAYS, ColumnType
from tables.column_types.display_locale import ENGLISH, DisplayLocale
from tables.column_types.faults import ValueFault, shown
from tables.column_types.spec import ColumnSpec
from tables.column_types.value_texts import BOOLEAN_WORDS, FOREIGN_BOOLEAN_WORDS, boolean_text
from tables.column_types.written_forms import MAX_LENGTH, JsonForm, WrittenForm

NOT_A_BOOLEAN = declare("not_a_boolean", "{value:quoted} is not true or false.")
QUOTED_BOOLEAN = declare("quoted_boolean", "{value:quoted} is not true or false without quotes.")
NOT_YES_OR_NO = declare("not_yes_or_no", "{value:quoted} is not yes or no, true or false.")
NOT_0_OR_1 = declare("not_0_or_1", "{value:quoted} is not 0 or 1.")

WORDS = {word: value for value, words in BOOLEAN_WORDS.items() for word in words}
FOREIGN_WORDS = {word: value for value, words in FOREIGN_BOOLEAN_WORDS.items() for word in words}
MAX_TEXT_LENGTH = 40


def _boolean_word(value: Any) -> Any:
    is_short_text = isinstance(value, str) and len(value) <= MAX_LENGTH
    return FOREIGN_WORDS.get(value.strip().lower(), value) if is_short_text else value


class Boolean(ColumnType):
    """Column type for true and false."""

    name = "boolean"
    label = "Yes or no"
    hint = "Yes, no, or empty."
    described = "true or false"
    json_form = JsonForm("`true` or `false`", True)
    operators = ("is", *ALWAYS)
    comparison = "boolean"
    sort_labels = ("unchecked first", "checked first")
    icon = "square-check"
    cell_class = "is-bool"
    drawn = "tick"
    clicks = "truth"
    click_operator = "is"
    searchable = False
    never_from = ("date",)
    forms = (WrittenForm(read=_boolean_word),)
    detected = True
    sheet_width = 10

    def typed(self, text: str, column: ColumnSpec, locale: DisplayLocale = ENGLISH) -> str:
        meant = _boolean_word(text)
        return boolean_text(meant) if isinstance(meant, bool) else text

    def _check(self, value: Any, column: ColumnSpec) -> bool:
        if not isinstance(value, bool):
            template = QUOTED_BOOLEAN if isinstance(value, str) else NOT_A_BOOLEAN
            raise ValueFault("not_a_boolean", template(value=shown(value)))
        return value

    def _cast(self, value: Any, column: ColumnSpec) -> bool:
        if isinstance(value, str) and len(value) <= MAX_TEXT_LENGTH:
            meant = WORDS.get(value.strip().lower())
            if meant is None:
                raise ValueFault("not_a_boolean", NOT_YES_OR_NO(value=shown(value)))
            return meant
        return self._check(value, column)

    def _text(self, value: Any) -> str:
        return boolean_text(value)

    def _convert(self, value: Any, text: str, target: ColumnSpec) -> bool:
        if isinstance(value, int | float) and not isinstance(value, bool):
            if value not in (0, 1):
                raise ValueFault("not_a_boolean", NOT_0_OR_1(value=shown(value)))
            return bool(value)
        return self._cast(text, target)


TYPE = Boolean()
