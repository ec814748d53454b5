"""Person: a member of the table."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from shared import strictjson
from shared.user_messages import declare
from tables.column_types.column_type import ALWAYS, Cast, ColumnType, get_column_type
from tables.column_types.display_locale import ENGLISH, DisplayLocale
from tables.column_types.faults import ValueFault, shown
from tables.column_types.people import unknown_person
from tables.column_types.spec import ColumnSpec
from tables.column_types.written_forms import JsonForm, WrittenForm

NAME_OF_A_PERSON = declare("name_of_a_person", "This must be the id of {value:quoted}, which is {id}.")
LEFT_THE_TABLE = declare("left_the_table", "“{name}” is no longer a member of this table.")
MAX_ID = 2**63 - 1
MAX_NAME_LENGTH = 320
# The text of a person whose account was deleted. Scripts and pages translate it.
DELETED_ACCOUNT = "Deleted account"


def _read_object(value: Any) -> Any:
    """Return the object in a JSON text, as JSON files have it; other values unchanged."""
    if not isinstance(value, str) or not value.lstrip().startswith("{"):
        return value
    try:
        return strictjson.loads(value)
    except strictjson.StrictJsonError:
        return value


class PersonType(ColumnType):
    """Column type for a member of the table, stored as the id of the user.

    People who left the table remain in cells, but cannot be chosen any more. Values sort by name, those of deleted
    accounts last. Names are not stored in rows, so searches do not find them.
    """

    name = "person"
    label = "Person"
    hint = "A member of the table."
    described = "the user name of a member of the table"
    json_form = JsonForm(
        'the id of a user, a number, of one of the `people` of the column, which are `{"id", "name", "has_left"}` each',
        7,
    )
    described_operand = "ids or user names"
    operators = ("any_of", "none_of", "is_me", *ALWAYS)
    comparison = "person"
    searchable = False
    has_people = True
    icon = "user"
    drawn = "avatar"
    clicks = "people"
    click_operator = "any_of"
    repeats = True
    sheet_width = 18
    # Only in files that are imported to a table, whose members are known. Numbers are no ids of users.
    detected = True
    forms = (WrittenForm(read=_read_object, suits=lambda value: isinstance(value, str)),)

    def stores(self, value: Any) -> bool:
        return _is_id(value)

    def normalise(self, value: Any) -> Any:
        return int(value) if isinstance(value, float) and value.is_integer() else value

    def text_in(self, value: Any, column: ColumnSpec) -> str:
        if not self.stores(value):
            return self.text(value)
        person = column.people.by_id.get(value)
        return DELETED_ACCOUNT if person is None else person.name

    def edit_text(self, value: Any, column: ColumnSpec, locale: DisplayLocale = ENGLISH) -> str:
        return self.text_in(value, column)

    def for_model(self, value: Any, column: ColumnSpec) -> Any:
        return self.text_in(value, column)

    def written_json(self, value: Any, column: ColumnSpec) -> Any:
        return {"id": value, "name": self.text_in(value, column)} if self.stores(value) else value

    def check_restored(self, value: Any, column: ColumnSpec) -> Any:
        """Return a person restored by undo, who may have left the table or deleted the account meanwhile."""
        return value if self.stores(value) else self.check(value, column)

    def cast(self, value: Any, column: ColumnSpec) -> Cast:
        """Return the id of a member; an exact name is no other value."""
        cast = super().cast(value, column)
        is_exact = isinstance(value, str) and cast.value is not None and self.text_in(cast.value, column) == value
        return Cast(cast.value, changed=cast.changed and not is_exact)

    def cast_known(self, value: Any, column: ColumnSpec) -> Cast:
        """Return the id of a person, also of one who left the table."""
        if value is None or value == "":
            return Cast(None, changed=False)
        if self.stores(value) and value in column.people.by_id:
            return Cast(value, changed=False)
        return Cast(self._found(value, column, may_have_left=True), changed=True)

    def caster(self, column: ColumnSpec) -> Callable[[Any], Any]:
        known: dict[Any, Any] = {}

        def cast(value: Any) -> Any:
            if type(value) is not str:
                return self.cast(value, column).value
            if value not in known:
                known[value] = self.cast(value, column).value
            return known[value]

        return cast

    def convert(self, value: Any, *, source: ColumnSpec, target: ColumnSpec) -> Any:
        if value is None or source.type == self.name:
            return value
        return self._cast(get_column_type(source.type).text_in(value, source), target)

    def form_choices(self, column: ColumnSpec) -> Sequence[str]:
        return [person.name for person in column.people.members]

    def _check(self, value: Any, column: ColumnSpec) -> int:
        if isinstance(value, str) and len(value) <= MAX_NAME_LENGTH:
            person = column.people.named(value)
            if person is not None and not person.has_left:
                raise ValueFault("not_a_person", NAME_OF_A_PERSON(value=shown(value), id=str(person.id)))
        if not self.stores(value) or value not in column.people.by_id:
            raise unknown_person(value, column.people)
        return self._member(value, column)

    def _cast(self, value: Any, column: ColumnSpec) -> int:
        if isinstance(value, dict) and set(value) <= {"id", "name"} and "id" in value:
            value = self._of_object(value, column)
        return self._found(value, column)

    def _of_object(self, value: Mapping[str, Any], column: ColumnSpec) -> Any:
        """Return the id or name that an object of an export means.

        The id if it has this name or the object has none. Else the name, if a person has it: ids of another
        installation are of other people.
        """
        pk, name = value["id"], value.get("name")
        if not isinstance(name, str) or len(name) > MAX_NAME_LENGTH:
            return pk
        person = column.people.by_id.get(pk) if self.stores(pk) else None
        has_name = person is not None and person.name == name
        return pk if has_name or column.people.named(name) is None else name

    def _found(self, value: Any, column: ColumnSpec, *, may_have_left: bool = False) -> int:
        """Return the id of the person that a name, an address or an id means. Raises ValueFault."""
        if isinstance(value, float) and value.is_integer() and abs(value) <= MAX_ID:
            value = int(value)
        if isinstance(value, str) and len(value) <= MAX_NAME_LENGTH:
            person = column.people.named(value.strip())
            value = value if person is None else person.id
        if not self.stores(value) or value not in column.people.by_id:
            raise unknown_person(value, column.people)
        return int(value) if may_have_left else self._member(value, column)

    def _member(self, value: int, column: ColumnSpec) -> int:
        person = column.people.by_id[value]
        if person.has_left:
            raise ValueFault("left_the_table", LEFT_THE_TABLE(name=shown(person.name)))
        return value

    def _checked_default(self, column: ColumnSpec) -> Any:
        # The default may have left the table since.
        return self.cast_known(column.default, column).value

    def _display(self, value: Any, column: ColumnSpec, locale: DisplayLocale) -> str:
        return self.text_in(value, column)


def _is_id(value: Any) -> bool:
    return type(value) is int and 0 < value <= MAX_ID


TYPE = PersonType()
