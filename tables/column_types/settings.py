"""Settings of columns that belong to one type, such as the format of numbers and their currency."""
from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from shared.user_messages import Message, declare
from tables.column_types.faults import ValueFault
from tables.column_types.names import did_you_mean

Json = dict[str, Any]

NOT_A_CHOICE = declare("not_a_choice", "The setting {name} must be one of {names}.{hint}")
NOT_A_SETTING = declare("not_a_setting", "Columns of this type have no {name}.")
NOT_IN_FORMAT = declare("not_in_format", "{name} is not used with the format {format}.")
OUT_OF_RANGE = declare("setting_out_of_range", "{name} must be a whole number from {lowest} to {highest}.")


@dataclass(frozen=True)
class Setting:
    """A setting of the columns of a type, a field of their JSON definitions.

    `check` returns the stored form of a value and raises ValueFault; `schema` is the JSON Schema of values. `formats`
    are the values of the type's setting `format` with which it is used; it is always used without any. `described`
    states it for the model. `label` and the labels of `choices` are English, and translated on pages. Editors suggest
    the values of `suggested`, of which browsers have the names in `Intl.DisplayNames` of the type `names`.
    `converts`: the stored values of a column depend on it, and are converted when it changes.
    """

    name: str
    label: str
    default: Any
    schema: Json
    check: Callable[[Any], Any]
    formats: Collection[str] = ()
    described: str = ""
    choices: Mapping[str, str] = field(default_factory=dict)
    suggested: Collection[str] = ()
    names: str = ""
    converts: bool = False

    @property
    def description(self) -> str:
        """Return the name, the formats it is used with, and its values, as text for the model."""
        values = self.described or self.schema.get("type", "")
        if "enum" in self.schema:
            values = "|".join(self.schema["enum"]) + (f" ({self.described})" if self.described else "")
        elif "maximum" in self.schema:
            values = f"{self.schema['minimum']}–{self.schema['maximum']}"
        with_formats = f" (only with {', '.join(self.formats)})" if self.formats else ""
        return f"`{self.name}`{with_formats}: {values}"

    def declaration(self) -> Json:
        """Return what scripts need to show the setting; labels are not translated."""
        return {"name": self.name, "label": self.label, "default": self.default, "choices": dict(self.choices)}

    def is_used(self, values: Mapping[str, Any]) -> bool:
        """Return whether a column with these settings has this one."""
        return not self.formats or values.get("format") in self.formats


# Extended by `register_column_type`.
TYPE_SETTINGS: dict[str, tuple[Setting, ...]] = {}


def settings_of(type_name: str) -> tuple[Setting, ...]:
    """Return the settings of the columns of a type; `format` precedes those that depend on it."""
    return TYPE_SETTINGS.get(type_name, ())


def setting_names() -> tuple[str, ...]:
    """Return the names of the settings of all types."""
    return tuple(dict.fromkeys(each.name for settings in TYPE_SETTINGS.values() for each in settings))


def setting_labels() -> dict[str, str]:
    """Return the English labels of the settings of all types by name."""
    return {each.name: each.label for settings in TYPE_SETTINGS.values() for each in settings}


def value_label(name: str, value: Any) -> str:
    """Return the English label of a value that is one of a setting's choices, else the value as text."""
    choices = (each.choices for settings in TYPE_SETTINGS.values() for each in settings if each.name == name)
    return next((labels[value] for labels in choices if value in labels), str(value))


def setting_schemas() -> dict[str, Json]:
    """Return the JSON Schema of each setting of any type by name."""
    schemas: dict[str, list[Json]] = {}
    for settings in TYPE_SETTINGS.values():
        for each in settings:
            schemas.setdefault(each.name, []).append(each.schema)
    return {name: _joined(each) for name, each in schemas.items()}


def used_settings(type_name: str, stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that a column has, by name, with the defaults of those that are not stored."""
    values: dict[str, Any] = {}
    for setting in settings_of(type_name):
        if setting.is_used(values):
            values[setting.name] = stored.get(setting.name, setting.default)
    return values


def value_form(type_name: str, stored: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what the form of stored values depends on: the type, and those of its settings that convert values."""
    used = used_settings(type_name, stored)
    return (type_name, *(used.get(each.name) for each in settings_of(type_name) if each.converts))


def read_settings(definition: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings in a definition, which are fields of their own or one field, without default values."""
    if "settings" in definition:
        return dict(definition["settings"])
    given = [each for each in settings_of(definition["type"]) if each.name in definition]
    return {each.name: definition[each.name] for each in given if definition[each.name] != each.default}


def changed_settings(type_name: str, *, stored: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings after these changes, without earlier ones that are not used with the new ones."""
    used = used_settings(type_name, {**stored, **changes})
    return {name: value for name, value in {**stored, **changes}.items() if name in changes or name in used}


def choice_setting(choices: Mapping[str, str], *, name: str, **fields: Any) -> Setting:
    """Return a setting that is one of these words, with their labels."""
    words = tuple(choices)

    def check(value: Any) -> str:
        if value not in words:
            hint = did_you_mean(value, words, listed=True)
            raise ValueFault("unknown_value", NOT_A_CHOICE(name=name, names=words, hint=hint))
        return str(value)

    schema = {"type": "string", "enum": list(words)}
    return Setting(name=name, schema=schema, check=check, choices=choices, **fields)


def number_setting(lowest: int, highest: int, *, name: str, **fields: Any) -> Setting:
    """Return a setting that is a whole number in a range."""

    def check(value: Any) -> int:
        is_whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        if isinstance(value, bool) or not is_whole or not lowest <= value <= highest:
            raise ValueFault("out_of_range", OUT_OF_RANGE(name=name, lowest=lowest, highest=highest))
        return int(value)

    return Setting(
        name=name, schema={"type": "integer", "minimum": lowest, "maximum": highest}, check=check, **fields
    )


def unused_setting(name: str, *, type_name: str, values: Mapping[str, Any]) -> Message:
    """Return why a column with these settings does not have the named one."""
    is_known = any(each.name == name for each in settings_of(type_name))
    return NOT_IN_FORMAT(name=name, format=str(values["format"])) if is_known else NOT_A_SETTING(name=name)


def _joined(schemas: list[Json]) -> Json:
    """Return one schema of a setting that several types have."""
    first, *others = schemas
    if all("enum" in each for each in schemas) and others:
        return {**first, "enum": list(dict.fromkeys(word for each in schemas for word in each["enum"]))}
    return first if all(each == first for each in others) else {"anyOf": schemas}
