"""Columns, the colours of their options, and the shape of a table as plain values, independent of the database."""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, tzinfo
from functools import cached_property
from typing import Any, NamedTuple

from tables.column_types.files import NO_FILES, FileDirectory
from tables.column_types.names import name_key, nearest
from tables.column_types.people import NO_PEOPLE, People
from tables.column_types.settings import read_settings, used_settings, value_form

FILTER_DISPLAYS = ("tab", "dropdown")
# Extended by `register_column_type`. Only columns of these types have options in their JSON form.
TYPES_WITH_OPTIONS: set[str] = set()
# Extended by `register_column_type`. Values of columns of these types are ids of people.
TYPES_WITH_PEOPLE: set[str] = set()
# The filter bar lists the people of the table for columns of these types.
TYPES_NAMING_PEOPLE: set[str] = set()
# Extended by `register_column_type`. Columns of these types have no cells.
COMPUTED_TYPES: set[str] = set()
# In the order in which new options get them: the first six differ most. Defined in static/css/controls.css as
# [data-c="…"].
OPTION_COLORS = (
    "blue", "orange", "teal", "purple", "yellow", "pink", "gray", "cyan", "indigo", "magenta", "brown", "lime",
)  # fmt: skip


class DrawnLike(NamedTuple):
    """The type and the setting `format` of columns whose values scripts show, edit and read in the same way."""

    type: str
    format: str = ""


def record_type(name: str, *, has_options: bool, has_people: bool, names_people: bool, is_computed: bool) -> None:
    """Record what columns need to know of their type."""
    for belongs, names in (
        (has_options, TYPES_WITH_OPTIONS), (has_people, TYPES_WITH_PEOPLE), (names_people, TYPES_NAMING_PEOPLE),
        (is_computed, COMPUTED_TYPES),
    ):  # fmt: skip
        if belongs:
            names.add(name)


@dataclass(frozen=True)
class ColumnSpec:
    """One column. `options`, `option_colors` and `filter_display` are only used by types with options.

    `option_colors` has an (option, colour) pair for every option; missing ones are completed. `settings` are those of
    the type that differ from their defaults. `zone` is the time zone of the user, in which times without one are read;
    it is no part of the definition. Neither are `people`, those of the table, and `files`, those of the table that can
    be written to cells.
    """

    id: str
    name: str
    type: str
    required: bool = False
    default: Any = None
    options: tuple[str, ...] = ()
    option_colors: tuple[tuple[str, str], ...] = ()
    filter_display: str = "dropdown"
    settings: tuple[tuple[str, Any], ...] = ()
    position: int = 0
    zone: tzinfo = field(default=UTC, compare=False, repr=False)
    people: People = field(default=NO_PEOPLE, compare=False, repr=False)
    files: FileDirectory = field(default=NO_FILES, compare=False, repr=False)

    def as_json(self) -> dict[str, Any]:
        """Return the form in responses, proposals and prompts."""
        definition: dict[str, Any] = {
            "id": self.id, "name": self.name, "type": self.type, "required": self.required, "default": self.default,
        }  # fmt: skip
        if self.type in TYPES_WITH_OPTIONS:
            definition |= {"options": list(self.options), "optionColors": dict(self.option_colors)}
            definition |= {"filterDisplay": self.filter_display}
        return {**definition, **self.used_settings, "position": self.position}

    def presented(self) -> dict[str, Any]:
        """Return the form for clients: that of `as_json`, and the people that the values are."""
        people = {"people": [person.as_json() for person in self.people.all]} if self.names_people else {}
        return {**self.as_json(), **people}

    def __post_init__(self) -> None:
        if self.options or self.option_colors:
            colors = complete_colors(self.options, dict(self.option_colors))
            object.__setattr__(self, "option_colors", tuple(colors.items()))

    @property
    def is_computed(self) -> bool:
        """Return whether the values are computed, so that the column has no cells."""
        return self.type in COMPUTED_TYPES

    @property
    def has_people(self) -> bool:
        """Return whether the values are ids of people."""
        return self.type in TYPES_WITH_PEOPLE

    @property
    def names_people(self) -> bool:
        """Return whether the values are ids of people, or their names, which guests see in rows only."""
        return self.has_people or (self.type in TYPES_NAMING_PEOPLE and self.people.me is not None)

    @property
    def choices(self) -> tuple[Any, ...]:
        """Return the values in the order in which they sort: the options, or the ids of all people."""
        return self.people.ids if self.has_people else self.options

    @cached_property
    def colors(self) -> Mapping[str, str]:
        """Return the colour of every option."""
        return dict(self.option_colors)

    @cached_property
    def used_settings(self) -> Mapping[str, Any]:
        """Return the settings of the type that the column has, with defaults."""
        return used_settings(self.type, dict(self.settings))

    @cached_property
    def value_form(self) -> tuple[Any, ...]:
        """Return what the form of stored values depends on. Values are converted to a column with another one."""
        return value_form(self.type, dict(self.settings))

    @classmethod
    def from_json(
        cls, definition: Mapping[str, Any], *, zone: tzinfo = UTC, people: People = NO_PEOPLE
    ) -> ColumnSpec:
        """Return the column with this definition, with settings as in `as_json` or in one field."""
        return cls(
            id=definition["id"],
            name=definition["name"],
            type=definition["type"],
            required=definition.get("required", False),
            default=definition.get("default"),
            options=tuple(definition.get("options", ())),
            option_colors=tuple((definition.get("optionColors") or {}).items()),
            filter_display=definition.get("filterDisplay", "dropdown"),
            settings=tuple(read_settings(definition).items()),
            position=definition.get("position", 0),
            zone=zone,
            people=people,
        )


@dataclass(frozen=True)
class TableShape:
    """A table without its rows; `columns` in their order, `id` None for a table that does not exist yet.

    `zone` is that of the user and `people` are those of the table, as in the columns.
    """

    id: int | None
    name: str
    description: str = ""
    version: int = 0
    columns: tuple[ColumnSpec, ...] = ()
    zone: tzinfo = field(default=UTC, compare=False, repr=False)
    people: People = field(default=NO_PEOPLE, compare=False, repr=False)

    def in_zone(self, zone: tzinfo) -> TableShape:
        """Return the table as a user in this time zone sees it."""
        return replace(self, columns=tuple(replace(column, zone=zone) for column in self.columns), zone=zone)

    def with_files(self, files: FileDirectory) -> TableShape:
        """Return the table with the files that can be written to its cells."""
        return replace(self, columns=tuple(replace(column, files=files) for column in self.columns))

    def column(self, ref: object) -> ColumnSpec | None:
        """Return the column with this id, else with exactly this name, else with the same `name_key`."""
        if not isinstance(ref, str):
            return None
        return self._by_id.get(ref) or self._by_name.get(ref) or self._by_key.get(name_key(ref))

    def nearest(self, ref: object) -> str:
        """Return the column name most similar to `ref`, or ""."""
        return nearest(ref, [column.name for column in self.columns]) if isinstance(ref, str) else ""

    @cached_property
    def computed(self) -> tuple[ColumnSpec, ...]:
        """Return the columns whose values are computed."""
        return tuple(column for column in self.columns if column.is_computed)

    @cached_property
    def _by_id(self) -> dict[str, ColumnSpec]:
        return {column.id: column for column in self.columns}

    @cached_property
    def _by_name(self) -> dict[str, ColumnSpec]:
        return {column.name: column for column in self.columns}

    @cached_property
    def _by_key(self) -> dict[str, ColumnSpec]:
        # Names of only invisible characters, allowed by earlier releases, are only found exactly.
        return {key: column for column in self.columns if (key := name_key(column.name))}


def complete_colors(options: Iterable[str], known: Mapping[str, str]) -> dict[str, str]:
    """Return the colour of every option, in the order of the options.

    Options in `known` have their colour there; each other option gets the first of the least used colours, so that no
    colour repeats before all are used.
    """
    colors = {option: known.get(option) for option in options}
    uses = dict.fromkeys(OPTION_COLORS, 0)
    for color in colors.values():
        if color in uses:
            uses[color] += 1
    complete = {}
    for option, color in colors.items():
        if color not in uses:
            color = min(uses, key=uses.__getitem__)
            uses[color] += 1
        complete[option] = color
    return complete
