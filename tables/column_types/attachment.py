"""Attachment: a list of files that were uploaded to the table."""
from __future__ import annotations

from typing import Any

from shared import strictjson
from shared.user_messages import declare
from tables.column_types.column_type import ALWAYS, NOT_CONVERTIBLE, Cast, ColumnType
from tables.column_types.display_locale import ENGLISH, DisplayLocale
from tables.column_types.faults import ValueFault, shown
from tables.column_types.files import FileInfo, clean_file_name, file_names
from tables.column_types.limits import LIMITS
from tables.column_types.spec import ColumnSpec
from tables.column_types.written_forms import JsonForm

MAX_FILES = 20
NOT_FILES = declare("not_files", '{value:quoted} is not a list of files. Upload files, and write [{"id": …}].')
NOT_FILE_OBJECTS = declare("not_file_objects", 'Each file in the list must be an object with its id: [{"id": …}].')
UNKNOWN_FILE = declare("unknown_file", "There is no file {value:quoted} in this table. Upload it to this table first.")
TOO_MANY_FILES = declare("too_many_files", "A cell can have at most {count} files.")
FILES_TOO_LONG = declare("files_too_long", "The names of the files in a cell are longer than {count:,} bytes.")
NO_DEFAULT_FILES = declare("no_default_files", "A column of files has no default.")


class Attachment(ColumnType):
    """Column type for lists of files, `{id, name, size, type}` each. Values sort and are found by the names."""

    name = "attachment"
    label = "Attachment"
    hint = "Files, such as pictures and documents."
    described = "a list of files; it can be emptied, but not written"
    json_form = JsonForm(
        'a list of files, `{"id", "name", "size", "type"}` each; to write one, `{"id": …}` is enough',
        [{"id": "6f1c9e", "name": "Offer.pdf", "size": 48213, "type": "application/pdf"}],
    )
    described_operand = "a part of a file name"
    operators = ("contains", "not_contains", *ALWAYS)
    comparison = "names"
    has_files = True
    detected = True
    icon = "paperclip"
    drawn = "files"

    def check(self, value: Any, column: ColumnSpec) -> Any:
        return None if value == [] else super().check(value, column)

    def cast(self, value: Any, column: ColumnSpec) -> Cast:
        """Return the files with name, size and type, which is no cast that users should check."""
        return Cast(self.check(column.files.references(value), column), changed=False)

    def cast_known(self, value: Any, column: ColumnSpec) -> Cast:
        """Return files that a cell has, even if they have been deleted from the table since."""
        is_complete = self.stores(value) and all({"id", "name", "size", "type"} <= each.keys() for each in value)
        return Cast([_known(each) for each in value], changed=False) if is_complete else self.cast(value, column)

    def check_restored(self, value: Any, column: ColumnSpec) -> Any:
        """Return a value restored by undo: its files are stored as long as changes with them can be undone."""
        return value if value is None or self.stores(value) else self.check(value, column)

    def convert(self, value: Any, *, source: ColumnSpec, target: ColumnSpec) -> Any:
        """Return the value of a column of the same type. Raises ValueFault for all others."""
        if value is None or source.type == target.type:
            return value
        raise ValueFault("not_convertible", NOT_CONVERTIBLE(source=source.type, target=self.name))

    def stores(self, value: Any) -> bool:
        return isinstance(value, list) and bool(value) and all(isinstance(each, dict) for each in value)

    def text(self, value: Any) -> str:
        return ", ".join(file_names(value)) if self.stores(value) else super().text(value)

    def searched(self, value: Any) -> str:
        return "\n".join(file_names(value)) if self.stores(value) else self.text(value)

    def for_model(self, value: Any, column: ColumnSpec) -> Any:
        """Return the files without their ids."""
        return [{name: each[name] for name in each if name != "id"} for each in value] if self.stores(value) else value

    def written_json(self, value: Any, column: ColumnSpec) -> Any:
        """Return the files with the paths of their contents."""
        if not self.stores(value):
            return value
        return [{**each, "url": url} if (url := column.files.url(each["id"])) else each for each in value]

    def edit_text(self, value: Any, column: ColumnSpec, locale: DisplayLocale = ENGLISH) -> str:
        """Return the value as JSON, because names do not identify files."""
        return strictjson.dumps(value) if self.stores(value) else ""

    def _display(self, value: Any, column: ColumnSpec, locale: DisplayLocale) -> str:
        return self.text(value)

    def _checked_default(self, column: ColumnSpec) -> Any:
        if column.default not in (None, "", []):
            raise ValueFault("no_default", NO_DEFAULT_FILES())
        return None

    def _check(self, value: Any, column: ColumnSpec) -> list[dict[str, Any]]:
        if not isinstance(value, list):
            raise ValueFault("not_files", NOT_FILES(value=shown(value)))
        if not all(isinstance(each, dict) and isinstance(each.get("id"), str) for each in value):
            raise ValueFault("not_files", NOT_FILE_OBJECTS())
        if len(value) > MAX_FILES:
            raise ValueFault("too_many_files", TOO_MANY_FILES(count=MAX_FILES))
        files = {file.id: file.as_json(name=_given_name(each)) for each in value for file in [_found(each, column)]}
        stored = list(files.values())
        if len(strictjson.dumps(stored).encode()) > LIMITS.cell_bytes:
            raise ValueFault("too_long", FILES_TOO_LONG(count=LIMITS.cell_bytes))
        return stored


def _known(file: dict[str, Any]) -> dict[str, Any]:
    return {name: file[name] for name in ("id", "name", "size", "type")}


def _given_name(file: dict[str, Any]) -> str:
    name = file.get("name")
    if name is None or name == "":
        return ""
    if not isinstance(name, str):
        raise ValueFault("not_files", NOT_FILES(value=shown(name)))
    return clean_file_name(name)


def _found(file: dict[str, Any], column: ColumnSpec) -> FileInfo:
    file_id = file["id"]
    found = column.files.find(file_id)
    if found is None:
        raise ValueFault("unknown_file", UNKNOWN_FILE(value=shown(file_id)))
    return found


TYPE = Attachment()
