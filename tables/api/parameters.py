"""Query parameters of tables and rows: descriptions for OpenAPI, by which `Parameters` reads them strictly."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from shared import strictjson
from shared.rest.openapi import BOOLEAN, COUNT, OFFSET, TEXT, ZONE, enum, header, limit, query
from shared.user_messages import declare
from shared.user_messages.request_messages import (
    DOUBLED_PARAMETER,
    NOT_WHOLE,
    OUT_OF_RANGE,
    TRUE_OR_FALSE,
    UNKNOWN_PARAMETER,
)
from tables.api.filter_operators import negated_operators
from tables.column_types import did_you_mean, nearest
from tables.exceptions import Fault, Malformed
from tables.interchange.exporting import FORMATS
from tables.operations.body_reader import MAX_FAULTS, Form
from tables.operations.plans.pinned_plans import PLAN_PATTERN
from tables.operations.proposals.choice import SOURCES
from tables.operations.queries.filters import MAX_CONDITIONS
from tables.operations.queries.measures import FUNCTIONS, MAX_GROUP_KEYS, MAX_MEASURES, ORDERS

MAX_TEXT_LENGTH = 1_000
MAX_DIGITS = 18
WHOLE = re.compile("-?[0-9]+")
PARAMETER_TOO_LONG = declare("parameter_too_long", "{name} can have at most {count} characters.")
PARAMETER_ONE_OF = declare("parameter_one_of", "{name} must be one of {names}.{hint}")
UNKNOWN_TIME_ZONE = declare("unknown_time_zone", "Unknown time zone.{hint} Send an IANA name such as Europe/Paris.")
JSON_EXAMPLE = declare("json_example", "{problem} An example: {example}")
JSON_EXAMPLES = {
    "filter": '{"column": "Company", "op": "contains", "value": "Acme"}',
    "group_by": '[{"column": "Status"}]',
    "measures": '[{"function": "count"}]',
}

ORDERINGS = ("-updated_at", "updated_at", "name", "-name", "created_at", "-created_at")

SEARCHED = {**TEXT, "maxLength": 1_000}
IDS = {**TEXT, "maxLength": 4_000, "pattern": "^[0-9]{1,18}(,[0-9]{1,18}){0,199}$|^$"}
TYPECAST = query(
    "typecast",
    {**BOOLEAN, "default": False},
    "Also convert texts that stand for exactly one value, such as “1,200” for a number. The default is false; only "
    "proposals have the default true.",
)
TYPECAST_PROPOSAL = query(
    "typecast",
    {**BOOLEAN, "default": True},
    "Also convert texts that stand for exactly one value, such as “1,200” for a number. The default is true, because "
    "proposals are written by assistants; for rows and tables it is false.",
)
ON_INVALID = query(
    "on_invalid",
    enum("refuse", "skip"),
    "“skip”: write the valid cells of many rows and return the others as “skipped” (at most 1,000). “not_added” has "
    "the positions of the rows that cannot be added without them, “skipped_of_not_added” the number of their invalid "
    "cells. Without effect on a new row that is sent alone. 400 together with “create_options=true” or “new_columns”.",
)
CREATE_OPTIONS = query(
    "create_options",
    BOOLEAN,
    "Create options from unknown texts in select columns, in the same change. 400 together with “on_invalid=skip”.",
)
KEYS = query(
    "keys",
    {**enum("name", "id"), "default": "name"},
    "Whether cells in the response are keyed by column name or id. A deleted column has its last name.",
)
ORIGINS = query("origins", {**BOOLEAN, "default": False}, "Add where values come from that fills have found.")
COLUMNS = query("columns", {**TEXT, "maxLength": 100_000}, "Names or ids of columns, separated by commas.")
SORT = query("sort", {**TEXT, "maxLength": 10_000}, "Columns, with - for descending, such as “-Due,Company”.")
TIME_ZONE = query(
    "tz", ZONE, "The time zone of days: of relative ones such as today, and in columns of dates with a time."
)
FILTER = query(
    "filter",
    {**TEXT, "format": "filter", "maxLength": 100_000},
    'JSON: “{"and": [condition | {"or": […]}]}”, “{"column", "op", "value"}” or a list, all of which must hold; at '
    f"most {MAX_CONDITIONS} conditions. Text is compared without regard to case. {negated_operators()} also match "
    "empty cells. Weeks start on Monday; today is one of the days of `last_n_days` and `next_n_days`. 422 "
    "“too_costly” for more conditions than can be searched in this table in a few seconds; the error has their maximum "
    "number.",
)
SEARCH = query(
    "search", SEARCHED, "Each word must be in the row. 422 “too_costly” for too many words, as for a filter."
)
VIEW = [FILTER, SEARCH, TIME_ZONE]
DECISIONS = [
    query("on_conflict", enum("skip", "overwrite"), "What to do with values that have changed since."),
    query("on_unconvertible", enum("clear"), "Clear the cells that cannot be converted."),
    query(
        "on_removed_option",
        {**TEXT, "format": "removed-option"},
        "“clear”, or JSON that maps removed options to remaining ones.",
    ),
    query(
        "on_empty_cells",
        enum("keep"),
        "“keep”: rows may stay empty in a column that becomes required, or is added as such; without it, 422 with "
        "their number.",
    ),
    query("include_sample_rows", BOOLEAN, "Add the sample rows of a new table."),
]
PLAN = query(
    "plan",
    {**TEXT, "pattern": PLAN_PATTERN},
    "The “plan” of a dry run of this proposal: apply exactly what it showed, or answer 409 with what has changed. "
    "Send the same body and the same other parameters; decisions that change the effect are a 409 too. 422 together "
    "with “dry_run=true”.",
)
PROPOSING = [
    query("dry_run", BOOLEAN, "Return the preview and write nothing."), PLAN, KEYS, TYPECAST_PROPOSAL, *DECISIONS,
]
PROPOSING_ROWS = [*PROPOSING, TIME_ZONE]
PAGE = [limit(200, default=100), OFFSET]
REFUSED_CELLS = [limit(1_000, default=100), OFFSET]
TABLE_LIST = [
    query("search", SEARCHED, "Each word must be in the name or the description."),
    query("ordering", {**enum(*ORDERINGS), "default": ORDERINGS[0]}, "The sort order."),
    query("trashed", BOOLEAN, "Tables in the trash."),
    *PAGE,
]
ROW_LIST = [
    *VIEW,
    SORT,
    limit(1_000, default=100),
    OFFSET,
    query("cursor", {**TEXT, "format": "cursor", "maxLength": 12_000}, "The position of the next page, from “next”."),
    COLUMNS,
    KEYS,
    query("ids", IDS, "Only these rows, at most 200, if they match."),
    ORIGINS,
    query(
        "count",
        enum("exact", "estimate", "none"),
        "How the matching rows are counted: “exact”, “estimate” (from a sample, if the count is not known; exact if "
        "the sample has all rows), or “none” (null). Without it, “exact” for tables of at most 10,000 rows, else "
        "“estimate”.",
    ),
]
FIND = [
    *VIEW,
    SORT,
    query("find", SEARCHED, "Each word must be in the row."),
    query("ids", IDS, "These rows, at most 200, instead of words."),
]
EXPORT = [
    *VIEW,
    SORT,
    COLUMNS,
    query("format", enum(*FORMATS), "The file format."),
    query(
        "origins",
        {**BOOLEAN, "default": False},
        "Add columns with the confidence and the sources of values that fills have found.",
    ),
]
STATS = [*VIEW, KEYS]
CHOICES = [*VIEW, COLUMNS, KEYS]
AGGREGATE = [
    query(
        "group_by",
        {**TEXT, "format": "groups", "maxLength": 10_000},
        f'JSON: at most {MAX_GROUP_KEYS} of “{{"column"}}”; with “"by": "day"”, “"month"” or “"year"” for '
        "dates. Without it, all rows are one group.",
    ),
    query(
        "measures",
        {**TEXT, "format": "measures", "maxLength": 20_000},
        f'JSON: at most {MAX_MEASURES} of “{{"function", "column"}}”. The functions are {", ".join(FUNCTIONS)}. Sum, '
        "average and median need a number column, min and max a number or date column; count without a column counts "
        "rows.",
    ),
    query("order", enum(*ORDERS), "By the values of the groups, or by the first measure."),
    *VIEW,
    KEYS,
    limit(1_000, default=100),
    OFFSET,
]
ONE_ROW = [COLUMNS, KEYS, ORIGINS]
UPSERT = [TYPECAST, KEYS, CREATE_OPTIONS]
ADD_ROWS = [TYPECAST, KEYS, CREATE_OPTIONS, ON_INVALID]
UPDATE_ROWS = [TYPECAST, KEYS, CREATE_OPTIONS, ON_INVALID]
UPDATE_ROW = [TYPECAST, KEYS, CREATE_OPTIONS]
CHANGE_LIST = [
    query("after_version", COUNT, "Only later changes."),
    query("before_version", COUNT, "Only earlier changes."),
    limit(200, default=50),
    query("person", SEARCHED, "Only changes by the user with this name."),
    query("source", enum(*SOURCES), "Only changes from this source."),
    query("row", {**COUNT, "minimum": 1}, "Only changes of the row with this id."),
    KEYS,
    query("piece", {**COUNT, "maximum": 10**9, "default": 0}, "Part of “next”: where to continue in a large change."),
]
ASSIGNED = [
    limit(200, default=50),
    query(
        "cursor", {**TEXT, "pattern": r"^([0-9]{1,19}\.-?[0-9]{1,19}\.[0-9]{1,19})?$"},
        "The position of the next page, from “next”.",
    ),
]  # fmt: skip
EVENTS = [
    query("after_version", COUNT, "Also the changes after this version."),
    header("Last-Event-ID", COUNT, "The id of the last event that was received, instead of “after_version”."),
]
ONE_CHANGE = [
    query("cursor", {**TEXT, "pattern": r"^([0-9]{1,9}\.[0-9]{1,9})?$"}, "The position of the next page, from “next”."),
    limit(200, default=50),
    KEYS,
]


class Parameters:
    """The query of one request. Every method raises Malformed, with the parameter's name as the path.

    So does the constructor, with all faults that do not depend on a table; with `later` they are only in `faults`, for
    `read_together`. With `form` they are added to it, and the `refused` parameters have their defaults.
    """

    def __init__(
        self,
        request: Request,
        descriptions: Iterable[OpenApiParameter] = (),
        *,
        later: bool = False,
        form: Form | None = None,
    ) -> None:
        self._schemas: dict[str, Any] = {parameter.name: parameter.type for parameter in descriptions}
        self._given = {name: request.query_params.getlist(name) for name in request.query_params}
        # With `later`, methods such as `choice` add their faults in the order in which parameters are read.
        found = ((name, self._fault(name, values, checks_words=not later)) for name, values in self._given.items())
        self._faults = {name: fault for name, fault in found if fault is not None}
        self.refused: frozenset[str] = frozenset()
        if form is not None:
            form.faults += self.faults
            self.refused, self._faults = frozenset(self._faults), {}
            self._given = {name: values for name, values in self._given.items() if name not in self.refused}
        if self._faults and not later:
            raise Malformed(self.faults[0].message, faults=self.faults)

    @property
    def faults(self) -> list[Fault]:
        """The faults that do not depend on a table."""
        return list(self._faults.values())[:MAX_FAULTS]

    def _fault(self, name: str, values: list[str], *, checks_words: bool) -> Fault | None:
        if name not in self._schemas:
            message = UNKNOWN_PARAMETER(name=name[:100], hint=did_you_mean(name, self._schemas))
            return Fault(name, "unknown_parameter", message=message)
        if len(values) > 1:
            return Fault(name, "doubled_parameter", message=DOUBLED_PARAMETER(name=name))
        schema = self._schemas[name]
        schema = schema if isinstance(schema, dict) else {}
        fault = _number_fault(name, values[0], schema=schema) or _text_fault(name, values[0], schema=schema)
        return _word_fault(name, values[0], schema=schema) if fault is None and checks_words else fault

    def has(self, name: str) -> bool:
        """Return whether the parameter was sent, with or without a value."""
        return name in self._given

    def text(self, name: str) -> str:
        """Return the parameter unchanged, "" if it was not sent."""
        if fault := self._faults.get(name):
            raise Malformed(fault.message, faults=(fault,))
        return self._given.get(name, [""])[0]

    def integer(self, name: str) -> int:
        """Return a whole number, by default the one of the description."""
        found = self.optional_integer(name)
        return int(self._schemas[name]["default"]) if found is None else found

    def optional_integer(self, name: str) -> int | None:
        """Return a whole number, None if it was not sent. An empty parameter is malformed."""
        return int(self.text(name)) if self.has(name) else None

    def choice(self, name: str) -> str:
        """Return one of the allowed words; the first one if none was sent. An empty parameter is malformed."""
        schema = self._schemas[name]
        value = self.text(name) if self.has(name) else str(schema["enum"][0])
        if fault := _word_fault(name, value, schema=schema):
            raise Malformed(fault.message, faults=(fault,))
        return value

    def flag(self, name: str) -> bool:
        """Return the value of `true` or `false`, by default the one of the description, else False."""
        default = bool(self._schemas.get(name, {}).get("default", False))
        value = self.text(name) if self.has(name) else str(default).lower()
        if fault := _word_fault(name, value, schema=BOOLEAN):
            raise Malformed(fault.message, faults=(fault,))
        return value == "true"

    def may_mean(self, name: str) -> bool:
        """Return whether a refused parameter may be meant for this one: itself, or one with a similar name."""
        unknown = (each for each in self.refused if each not in self._schemas)
        return name in self.refused or any(nearest(each, self._schemas) == name for each in unknown)

    def flag_unless_refused(self, name: str) -> bool:
        """Return the value of `true` or `false`; true if parameters were refused, of which one may be meant for it."""
        return bool(self.refused) or self.flag(name)

    def json(self, name: str) -> Any:
        """Return the value of JSON, None if it was not sent."""
        value = self.text(name)
        if value == "":
            return None
        try:
            return strictjson.loads(value)
        except strictjson.StrictJsonError as fault:
            message = fault.message
            if example := JSON_EXAMPLES.get(name):
                message = JSON_EXAMPLE(problem=message, example=example)
            raise Malformed.at(name, message, code=fault.code) from None

    def today(self) -> date:
        """Return today in the time zone of `tz`, else in the user's, else in UTC."""
        zone = self.zone()
        # Only filters contain days. Without a filter, a query for the user's time zone is saved.
        return timezone.localdate(timezone=zone) if zone or "filter" in self._given else timezone.now().date()

    def zone(self) -> ZoneInfo | None:
        """Return the time zone of `tz`, an IANA name; None if it was not sent."""
        name = self.text("tz")
        if name and name not in _zones():
            hint = did_you_mean(name, sorted(_zones()))
            raise Malformed.at("tz", UNKNOWN_TIME_ZONE(hint=hint), code="unknown_time_zone")
        return ZoneInfo(name) if name else None


def _text_fault(name: str, value: str, *, schema: dict[str, Any]) -> Fault | None:
    """Return the fault of a text that is too long or contains characters that databases do not accept."""
    if len(value) > (most := schema.get("maxLength", MAX_TEXT_LENGTH)):
        return Fault(name, "too_long", message=PARAMETER_TOO_LONG(name=name, count=most))
    try:
        strictjson.check_storable(value)
    except strictjson.StrictJsonError as fault:
        return Fault(name, fault.code, message=fault.message)
    return None


def _number_fault(name: str, value: str, *, schema: dict[str, Any]) -> Fault | None:
    """Return the fault of a parameter that must be a whole number within a range."""
    if schema.get("type") != "integer":
        return None
    if not WHOLE.fullmatch(value):
        return Fault(name, message=NOT_WHOLE(name=name))
    least, most = schema["minimum"], schema["maximum"]
    if len(value) > MAX_DIGITS or not least <= int(value) <= most:
        return Fault(name, message=OUT_OF_RANGE(name=name, least=least, most=most))
    return None


def _word_fault(name: str, value: str, *, schema: dict[str, Any]) -> Fault | None:
    """Return the fault of a parameter that must be one of some words."""
    if schema.get("type") == "boolean" and value not in ("true", "false"):
        return Fault(name, "not_a_boolean", message=TRUE_OR_FALSE(name=name))
    if "enum" in schema and value not in (allowed := schema["enum"]):
        words = [word for word in allowed if word]
        message = PARAMETER_ONE_OF(name=name, names=words, hint=did_you_mean(value, words, listed=True))
        return Fault(name, "unknown_value", message=message)
    return None


@lru_cache(maxsize=1)
def _zones() -> frozenset[str]:
    """Return the names of all time zones. Other names must not be used as paths of zone files."""
    return frozenset(available_timezones())
