"""The base class of column types, and their registry."""
from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

from shared.user_messages import declare
from tables.column_types.cell_drawing import Clicks, Drawn
from tables.column_types.comparisons import STORED_TYPES, Comparison
from tables.column_types.display_locale import ENGLISH, DisplayLocale
from tables.column_types.faults import ValueFault
from tables.column_types.settings import TYPE_SETTINGS, Setting, unused_setting, used_settings
from tables.column_types.spec import ColumnSpec, DrawnLike, record_type
from tables.column_types.value_texts import has_no_value, is_same, value_text
from tables.column_types.written_forms import UNCHANGED, JsonForm, WrittenForm

NOT_CONVERTIBLE = declare("not_convertible", "A {source} column cannot be converted to {target}.")
NO_OPTIONS = declare("no_options", "Only select columns have options; this one is of type {type}.")

ALWAYS = ("empty", "not_empty")
DEFAULT_TYPE = "text"  # of columns without another one; every value can be converted to it
MAX_TYPE_NAME_LENGTH = 32
STATIC_MODULE = re.compile(r"(?:[a-z0-9_-]+/)*[a-z0-9_-]+\.m?js", re.IGNORECASE)


class RowField(str):
    """The name of a field of the row that is the source of a computed column, in place of a column id."""

    __slots__ = ()


class Cast(NamedTuple):
    """A value after casting; `changed`: it differs from the given one."""
    value: Any
    changed: bool


class ColumnType:
    """Base class of column types. None and "" mean "no value" and are never passed to methods with an underscore."""

    name: ClassVar[str]
    label: ClassVar[str]
    hint: ClassVar[str] = ""  # on the page for editing columns
    described: ClassVar[str]  # the form of a value, for the model
    described_operand: ClassVar[str] = ""  # that of the values of filters, if it is another
    json_form: ClassVar[JsonForm | None] = None  # for the description of the API; None for `described`
    operators: ClassVar[tuple[str, ...]]
    comparison: ClassVar[Comparison]
    searchable: ClassVar[bool] = True
    has_options: ClassVar[bool] = False
    has_lists: ClassVar[bool] = False  # values are lists of options, in the order of the options
    has_files: ClassVar[bool] = False  # values are lists of files of the table
    has_people: ClassVar[bool] = False  # values are ids of people of the table (`ColumnSpec.people`)
    has_days: ClassVar[bool] = False  # values are YYYY-MM-DD…, so they have a day, a month and a year
    has_decimals: ClassVar[bool] = False  # texts of values are numbers, with the decimal separator of the user
    icon: ClassVar[str] = "type"
    format_icons: ClassVar[Mapping[str, str]] = {}  # by the setting `format`, where they differ from `icon`
    cell_class: ClassVar[str] = ""
    drawn: ClassVar[Drawn] = "text"
    drawn_like: ClassVar[DrawnLike | None] = None  # instead of a script of this type
    clicks: ClassVar[Clicks] = ""
    click_operator: ClassVar[str] = ""  # of the conditions that the filter bar sets
    sort_labels: ClassVar[tuple[str, str]] = ("A to Z", "Z to A")  # of ascending and descending order
    settings: ClassVar[tuple[Setting, ...]] = ()  # of columns; `format` precedes those that depend on it
    registered: ClassVar[bool] = True  # False for the replacement of a type that is not installed
    is_computed: ClassVar[bool] = False  # values are not stored in cells
    row_field: ClassVar[str] = ""  # the field of the row that has the values
    numbers_rows: ClassVar[bool] = False  # rows of tables with such a column have running numbers
    never_from: ClassVar[tuple[str, ...]] = ()  # types whose values can never be converted to this one
    # In files: formats of values; whether users choose between those that fit equally (else the first is used); whether
    # columns that fit are detected, unless a value matches `never_detected_with`; whether texts repeat, and are cached.
    forms: ClassVar[tuple[WrittenForm, ...]] = (UNCHANGED,)
    asks_form: ClassVar[bool] = False
    detected: ClassVar[bool] = False
    never_detected_with: ClassVar[re.Pattern[str] | None] = None
    repeats: ClassVar[bool] = True
    sheet_width: ClassVar[int] = 24  # of a column in a workbook, in characters

    def declaration(self) -> dict[str, Any]:
        """Return what scripts need to know of the type, without the defaults; labels are not translated."""
        given = {
            "icon": self.icon,
            "formatIcons": dict(self.format_icons),
            "cellClass": self.cell_class,
            "hasOptions": self.has_options,
            "hasLists": self.has_lists,
            "hasFiles": self.has_files,
            "hasPeople": self.has_people,
            "clicks": self.clicks,
            "clickOperator": self.click_operator,
            "hasDecimals": self.has_decimals,
            "sortLabels": list(self.sort_labels),
            "isComputed": self.is_computed, "isUnsearched": not self.searchable,
            "drawnLike": self.drawn_like and self.drawn_like._asdict(),
            "settings": [each.declaration() for each in self.settings],
        }
        return {"name": self.name, "label": self.label, **{name: each for name, each in given.items() if each}}

    def icon_of(self, settings: Mapping[str, Any]) -> str:
        """Return the icon of columns with these settings."""
        return self.format_icons.get(settings.get("format", ""), self.icon)

    def check(self, value: Any, column: ColumnSpec) -> Any:
        """Return the stored form of a value of the right JSON type; None for no value. Raises ValueFault."""
        return None if has_no_value(value, column) else self._check(value, column)

    def cast(self, value: Any, column: ColumnSpec) -> Cast:
        """Return the stored form of a value, also of another JSON type if its meaning is clear. Raises ValueFault."""
        if has_no_value(value, column):
            return Cast(None, changed=False)
        stored = self._cast(value, column)
        return Cast(stored, changed=stored is not value and not is_same(value, stored))

    def restricts(self, target: ColumnSpec, *, source: ColumnSpec) -> bool:
        """Return whether values of column `source` may be invalid in `target`, which has this type, but not lost."""
        return False

    def check_restored(self, value: Any, column: ColumnSpec) -> Any:
        """Return a value restored by undo, if it is still valid for the column. Raises ValueFault."""
        return self.check(value, column)

    def cast_known(self, value: Any, column: ColumnSpec) -> Cast:
        """Return the stored form of a value that cells may already have, such as the operand of a filter.

        Formats do not restrict it as they restrict new values. Raises ValueFault.
        """
        return self.cast(value, column)

    def cast_choice(self, value: Any, column: ColumnSpec) -> Any:
        """Return the stored form of one of the values that a filter lists. Raises ValueFault."""
        return self.cast_known(value, column).value

    def stores(self, value: Any) -> bool:
        """Return whether a stored value has the form of this type.

        Deleted rows, changes and proposals contain values of the type that the column had then.
        """
        return type(value) in STORED_TYPES[self.comparison]

    def text(self, value: Any) -> str:
        """Return the shortest text of a stored value, also of an earlier type of the column; "" for no value."""
        if value is None:
            return ""
        return self._text(value) if type(value) in STORED_TYPES[self.comparison] else value_text(value)

    def text_in(self, value: Any, column: ColumnSpec) -> str:
        """Return the text of a stored value of the column, for files and conversions."""
        return self.text(value)

    def written_json(self, value: Any, column: ColumnSpec) -> Any:
        """Return a stored value of the column as files in JSON have it."""
        return value

    def searched(self, value: Any) -> str:
        """Return the text of a stored value in which searches find words."""
        return self.text(value)

    def for_model(self, value: Any, column: ColumnSpec) -> Any:
        """Return a stored value as the model sees it."""
        return value

    def options_of(self, value: Any) -> Sequence[str]:
        """Return the options in a stored value, or the names of options in a text. Only for types with options."""
        return ()

    def option_names(self, value: Any, *, source: ColumnSpec) -> Sequence[str]:
        """Return the names of the options that a stored value of column `source` becomes in a column of this type."""
        kind = get_column_type(source.type)
        return kind.options_of(value) if kind.has_options else self.options_of(kind.text_in(value, source))

    def replace_options(self, value: Any, *, replaced: Mapping[str, str | None], column: ColumnSpec) -> Any:
        """Return a stored value of the column with other options in place of some, None for none of them."""
        return value

    @property
    def is_writable(self) -> bool:
        """Whether values of this type can be written as texts and numbers, such as those of files and other types."""
        return self.registered and not self.is_computed and not self.has_files

    def source(self, column_id: str) -> str:
        """Return the key by which SQL reads the values of a column: its id, or a field of the row."""
        return RowField(self.row_field) if self.row_field else column_id

    @property
    def text_is_value(self) -> bool:
        """Whether the text of a value that is text is the value itself."""
        return type(self).text is ColumnType.text and type(self)._text is ColumnType._text

    def display(self, value: Any, column: ColumnSpec, locale: DisplayLocale = ENGLISH) -> str:
        """Return the text of a stored value for users, where scripts do not format it for the user's locale."""
        return self._display(value, column, locale) if value is not None and self.stores(value) else self.text(value)

    def edit_text(self, value: Any, column: ColumnSpec, locale: DisplayLocale = ENGLISH) -> str:
        """Return the text of a stored value in a form without scripts, which `typed` reads back exactly."""
        return self.text(value)

    def typed(self, text: str, column: ColumnSpec, locale: DisplayLocale = ENGLISH) -> str:
        """Return a text that a user typed in a form without scripts as one that `cast` reads."""
        return text

    def operand(self, value: Any, column: ColumnSpec) -> Any:
        """Return the operand of a filter in stored form, None for no value. Raises ValueFault."""
        return self.cast_known(value, column).value

    def bounds(self, operand: Any, column: ColumnSpec) -> tuple[Any, Any]:
        """Return the lowest and the highest stored value that an operand means, such as the minutes of a day."""
        return operand, operand

    def has_times(self, column: ColumnSpec) -> bool:
        """Return whether values are moments in UTC, whose days depend on the time zone."""
        return False

    def drawing(self, column: ColumnSpec) -> Drawn:
        """Return how filled cells of the column are drawn."""
        return self.drawn

    def link(self, value: Any, column: ColumnSpec) -> str:
        """Return the URL of a filled cell that is drawn as a link."""
        return ""

    def stars(self, value: Any, column: ColumnSpec) -> tuple[int, int] | None:
        """Return the number of full stars and of all, if a filled cell is drawn as stars."""
        return None

    def sheet_format(self, value: Any, column: ColumnSpec, locale: DisplayLocale = ENGLISH) -> str:
        """Return the number format of a cell with this number in a workbook; "" for the general one."""
        return ""

    def sheet_value(self, value: Any, column: ColumnSpec) -> Any:
        """Return a number as cells of a workbook with `sheet_format` have it, or a text if they cannot have it."""
        return value

    def form_choices(self, column: ColumnSpec) -> Sequence[str]:
        """Return the texts that a form without scripts lists; [] if users type the text."""
        return ()

    def input_type(self, text: str, column: ColumnSpec) -> str:
        """Return the type of the HTML input for a text in forms without scripts; "" for an ordinary one."""
        return ""

    def lines(self, column: ColumnSpec) -> int:
        """Return the height of a text area for a value, in lines."""
        return 2

    def detect_settings(self, values: Sequence[Any]) -> Mapping[str, Any]:
        """Return the settings that all filled values of a file's column show, such as a currency sign."""
        return {}

    def detect_sheet_settings(self, formats: Sequence[str]) -> Mapping[str, Any]:
        """Return the settings that all these number formats of a workbook's cells mean."""
        return {}

    def day(self, value: Any) -> datetime.date | None:
        """Return the day that a stored value is, which pages show in the reader's language; None for other values."""
        return None

    def local_time(self, value: Any, zone: datetime.tzinfo) -> datetime.datetime | None:
        """Return the local time of a stored value that is a moment; None for other values."""
        return None

    def resembles(self, values: Sequence[Any], *, name: str) -> bool:
        """Return whether the values of a file's column look like this type, if they fit no type that is detected."""
        return False

    def caster(self, column: ColumnSpec) -> Callable[[Any], Any]:
        """Return a function that casts many filled cells for the column. It raises ValueFault."""
        return lambda value: self.cast(value, column).value

    def stores_unchanged(self, values: Sequence[Any], column: ColumnSpec) -> bool:
        """Return whether all these values of one JSON type are stored as they are, and "" as no value.

        False if that is not found out faster than by checking each.
        """
        return False

    def form(self, name: str) -> WrittenForm:
        """Return the format of this name, else that of values which need no conversion."""
        return next((form for form in self.forms if form.name == name), UNCHANGED)

    def explain_fault(self, fault: ValueFault, *, value: Any, form: str) -> ValueFault:
        """Return the fault of a value in a file in terms of the format of its column."""
        return fault

    def normalise(self, value: Any) -> Any:
        """Return a value from a database in the form that is the same for all databases."""
        return value

    def convert(self, value: Any, *, source: ColumnSpec, target: ColumnSpec) -> Any:
        """Return a stored value of column `source` as one of `target`, which has this type. Raises ValueFault."""
        if value is None:
            return None
        if source.type in self.never_from:
            raise ValueFault("not_convertible", NOT_CONVERTIBLE(source=source.type, target=self.name))
        if source.value_form == target.value_form and not self.has_options:
            return self.check(value, target)
        return self._convert(value, get_column_type(source.type).text_in(value, source), target)

    def check_definition(self, column: ColumnSpec) -> ColumnSpec:
        """Return the column with its default, options and settings in stored form.

        Raises ValueFault with all faults.
        """
        settings, faults = self._checked_settings(dict(column.settings))
        column = replace(column, settings=settings)
        if column.options and not self.has_options:
            faults.append(ValueFault("no_options", NO_OPTIONS(type=self.name), part="options"))
        try:
            column = replace(column, default=self._checked_default(column))
        except ValueFault as fault:
            faults.append(fault.at("default"))
        if faults:
            raise ValueFault.of_all(faults)
        return column

    def _checked_default(self, column: ColumnSpec) -> Any:
        return self.cast(column.default, column).value

    def _checked_settings(self, given: dict[str, Any]) -> tuple[tuple[tuple[str, Any], ...], list[ValueFault]]:
        """Return the settings that differ from their defaults, and the faults of the given ones."""
        stored, faults = [], []
        used = used_settings(self.name, given)
        for name in given:
            if name not in used:
                message = unused_setting(name, type_name=self.name, values=used)
                faults.append(ValueFault("unused_setting", message, part=name))
        for setting in self.settings:
            if setting.name not in used:
                continue
            try:
                value = setting.check(used[setting.name])
            except ValueFault as fault:
                faults.append(fault.at(setting.name))
                continue
            if value != setting.default:
                stored.append((setting.name, value))
        return tuple(stored), faults

    def _check(self, value: Any, column: ColumnSpec) -> Any:
        raise NotImplementedError

    def _cast(self, value: Any, column: ColumnSpec) -> Any:
        return self._check(value, column)

    def _text(self, value: Any) -> str:
        return str(value)

    def _display(self, value: Any, column: ColumnSpec, locale: DisplayLocale) -> str:
        return self._text(value)

    def _convert(self, value: Any, text: str, target: ColumnSpec) -> Any:
        return self._cast(text, target)


# In the order in which users are offered them.
COLUMN_TYPES: dict[str, ColumnType] = {}
# Static names of modules by type name. The grid always loads those of the built-in types.
SCRIPTS: dict[str, str] = {}
_missing_type_factory: list[Callable[[str], ColumnType]] = []


def register_column_type(column_type: ColumnType, *, script: str = "") -> None:
    """Register a column type. Apps call this from `AppConfig.ready`. Raises ValueError.

    `script`: the static name of the module that draws and edits its values (`addresses/email_type.js`). Every page with
    a grid loads it; without one, values are shown as plain text.
    """
    name = column_type.name
    if name in COLUMN_TYPES or not 0 < len(name) <= MAX_TYPE_NAME_LENGTH:
        raise ValueError(f"The name {name!r} is not unique or not of 1 to {MAX_TYPE_NAME_LENGTH} characters.")
    if script and not STATIC_MODULE.fullmatch(script):
        raise ValueError(f"The script of a column type must be a static file like app/email_type.js, not {script!r}.")
    COLUMN_TYPES[name] = column_type
    if script:
        SCRIPTS[name] = script
    record_type(
        name, has_options=column_type.has_options, has_people=column_type.has_people,
        names_people=column_type.clicks == "people", is_computed=column_type.is_computed,
    )  # fmt: skip
    if column_type.settings:
        TYPE_SETTINGS[name] = column_type.settings


def set_missing_type_factory(make: Callable[[str], ColumnType]) -> None:
    """Set the factory of types for names that are not registered."""
    _missing_type_factory.append(make)


def get_column_type(name: str) -> ColumnType:
    """Return the type with this name. If it is not registered, its values can only be read."""
    return COLUMN_TYPES.get(name) or _missing_type(name)


@lru_cache(maxsize=100)
def _missing_type(name: str) -> ColumnType:
    return _missing_type_factory[-1](name)
