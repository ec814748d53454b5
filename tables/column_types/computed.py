"""Computed columns: their values cannot be written. Base classes of types whose values are fields of the row."""
from __future__ import annotations

from typing import Any

from shared.user_messages import declare
from tables.column_types.column_type import ALWAYS, DEFAULT_TYPE, Cast, ColumnType, get_column_type
from tables.column_types.date import DATE_AND_TIME, Date
from tables.column_types.faults import ValueFault, shown
from tables.column_types.moments import is_moment
from tables.column_types.people import unknown_person
from tables.column_types.spec import ColumnSpec, DrawnLike
from tables.column_types.written_forms import UNCHANGED

READ_ONLY = declare("computed_value", "Values of this column are computed and cannot be written.")
NEVER_REQUIRED = declare("never_required", "Values of this column are computed, so it cannot be required.")
NO_DEFAULT = declare("no_default", "Values of this column are computed, so it has no default.")

READ_ONLY_USER = "no value if the account was deleted; read-only"  # in descriptions of the API
USER_NAME_NEEDED = declare("user_name_needed", "{value:quoted} is not a user name, which is a text in quotes.")


class Computed(ColumnType):
    """A type whose values are computed. Every write is refused, also of an empty value."""

    is_computed = True
    searchable = False

    def check(self, value: Any, column: ColumnSpec) -> Any:
        """Raise ValueFault for every value."""
        raise ValueFault("read_only", READ_ONLY())

    def cast(self, value: Any, column: ColumnSpec) -> Cast:
        """Raise ValueFault for every value."""
        raise ValueFault("read_only", READ_ONLY())

    def check_restored(self, value: Any, column: ColumnSpec) -> Any:
        """Return no value. Raises ValueFault for a cell of an earlier type."""
        return None if value is None else self.check(value, column)

    def convert(self, value: Any, *, source: ColumnSpec, target: ColumnSpec) -> Any:
        """Return no value. Raises ValueFault for a cell, which a computed column does not have."""
        return self.check_restored(value, target)

    def check_definition(self, column: ColumnSpec) -> ColumnSpec:
        faults = [ValueFault("read_only", NEVER_REQUIRED(), part="required")] if column.required else []
        try:
            column = super().check_definition(column)
        except ValueFault as fault:
            faults += fault.all
        if faults:
            raise ValueFault.of_all(faults)
        return column

    def _checked_default(self, column: ColumnSpec) -> Any:
        if column.default not in (None, ""):
            raise ValueFault("read_only", NO_DEFAULT())
        return None


class RowMoment(Computed, Date):
    """Type of columns with a time of the row, which is like a value of a date column with times."""

    described = "YYYY-MM-DDTHH:MMZ, read-only"
    described_operand = "a string YYYY-MM-DD or YYYY-MM-DDTHH:MMZ"
    icon = "clock"
    settings = ()
    never_from = ()
    forms = (UNCHANGED,)
    asks_form = False
    detected = False
    drawn_like = DrawnLike(Date.name, DATE_AND_TIME)

    def has_times(self, column: ColumnSpec) -> bool:
        return True

    def cast_known(self, value: Any, column: ColumnSpec) -> Cast:
        return Date.cast(self, value, column)

    def stores(self, value: Any) -> bool:
        return isinstance(value, str) and is_moment(value)


class RowUser(Computed):
    """Type of columns with a user of the row, as the user name. Empty if the account was deleted."""

    described = "a user name, read-only"
    described_operand = "user names"
    operators = ("any_of", "none_of", *ALWAYS)
    comparison = "folded"
    icon = "user"
    drawn = "avatar"
    drawn_like = DrawnLike("person")
    clicks = "people"
    click_operator = "any_of"
    repeats = True
    sheet_width = 18

    def cast_known(self, value: Any, column: ColumnSpec) -> Cast:
        """Return the user name of the person that an operand of a filter names. Raises ValueFault for other values.

        Guests do not know the people of the table: for them, any name is valid.
        """
        if value is not None and not isinstance(value, str):
            raise ValueFault("not_text", USER_NAME_NEEDED(value=shown(value)))
        cast = get_column_type(DEFAULT_TYPE).cast_known(value, column)
        if cast.value is None or not column.names_people:
            return cast
        person = column.people.named(cast.value.strip())
        if person is None:
            raise unknown_person(value, column.people)
        return Cast(person.name, changed=person.name != value)
