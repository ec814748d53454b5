"""The query parameters of tables and rows, as OpenAPI describes them and `Parameters` reads them."""
from __future__ import annotations

from shared.rest.parameters import OFFSET, limit, query
from shared.rest.schemas import COUNT, FLAG, TEXT, ZONE, one_of
from tables.interchange.exporting import FORMATS
from tables.operations.proposals.choice import SOURCES

ORDERINGS = ("-updated_at", "updated_at", "name", "-name", "created_at", "-created_at")

SEARCHED = {**TEXT, "maxLength": 1_000}
IDS = {**TEXT, "maxLength": 4_000, "pattern": "^[0-9]{1,18}(,[0-9]{1,18}){0,199}$|^$"}
TYPECAST = query("typecast", FLAG, "Also convert texts that stand for exactly one value, such as “1,200” for a number.")
ON_INVALID = query(
    "on_invalid",
    one_of("refuse", "skip"),
    "“skip”: write the valid cells of many rows and return the others as “skipped” (at most 1,000). “not_added” has "
    "the positions of the rows that cannot be added without them, “skipped_of_not_added” the number of their invalid "
    "cells.",
)
CREATE_OPTIONS = query(
    "create_options", FLAG, "Create options from unknown texts in select columns, in the same change."
)
KEYS = query("keys", one_of("name", "id"), "Whether cells in the response are keyed by column name or id.")
COLUMNS = query("columns", {**TEXT, "maxLength": 100_000}, "Names or ids of columns, separated by commas.")
SORT = query("sort", {**TEXT, "maxLength": 10_000}, "Columns, with - for descending, such as “-Due,Company”.")
TIME_ZONE = query("tz", ZONE, "The time zone of relative days such as today.")
FILTER = query(
    "filter",
    {**TEXT, "format": "filter", "maxLength": 100_000},
    'JSON: “{"and": [condition | {"or": […]}]}”, “{"column", "op", "value"}” or a list. 422 “too_costly” for more '
    "conditions than can be searched in this table in a few seconds; the error has their maximum number.",
)
SEARCH = query(
    "search", SEARCHED, "Each word must be in the row. 422 “too_costly” for too many words, as for a filter."
)
VIEW = [FILTER, SEARCH, TIME_ZONE]
DECISIONS = [
    query("on_conflict", one_of("skip", "overwrite"), "What to do with values that have changed since."),
    query("on_unconvertible", one_of("clear"), "Clear the cells that cannot be converted."),
    query(
        "on_removed_option",
        {**TEXT, "format": "removed-option"},
        "“clear”, or JSON that maps removed options to remaining ones.",
    ),
    query("include_sample_rows", FLAG, "Add the sample rows of a new table."),
]
PROPOSING = [query("dry_run", FLAG, "Return the preview and write nothing."), TYPECAST, *DECISIONS]
PROPOSING_ROWS = [*PROPOSING, TIME_ZONE]
PAGE = [limit(200), OFFSET]
REFUSED_CELLS = [limit(1_000), OFFSET]
TABLE_LIST = [
    query("search", SEARCHED, "Each word must be in the name or the description."),
    query("ordering", one_of(*ORDERINGS), "The sort order."),
    query("trashed", FLAG, "Tables in the trash."),
    *PAGE,
]
ROW_LIST = [
    *VIEW,
    SORT,
    limit(1_000),
    OFFSET,
    query("cursor", {**TEXT, "format": "cursor", "maxLength": 12_000}, "The position of the next page, from “next”."),
    COLUMNS,
    KEYS,
    query("ids", IDS, "Only these rows, at most 200, if they match."),
]
FIND = [
    *VIEW,
    SORT,
    query("find", SEARCHED, "Each word must be in the row."),
    query("ids", IDS, "These rows, at most 200, instead of words."),
]
EXPORT = [*VIEW, SORT, COLUMNS, query("format", one_of(*FORMATS), "The file format.")]
STATS = [*VIEW, KEYS]
CHOICES = [*VIEW, COLUMNS, KEYS]
ONE_ROW = [COLUMNS, KEYS]
UPSERT = [TYPECAST, KEYS]
ADD_ROWS = [TYPECAST, KEYS, CREATE_OPTIONS, ON_INVALID]
UPDATE_ROWS = [TYPECAST, KEYS, ON_INVALID]
UPDATE_ROW = [TYPECAST, KEYS, CREATE_OPTIONS]
CHANGE_LIST = [
    query("after_version", COUNT, "Only later changes."),
    query("before_version", COUNT, "Only earlier changes."),
    limit(200),
    query("person", SEARCHED, "Only changes by the user with this name."),
    query("source", one_of(*SOURCES), "Only changes from this source."),
    query("row", {**COUNT, "minimum": 1}, "Only changes of the row with this id."),
    query("piece", {**COUNT, "maximum": 10**9}, "Part of “next”: where to continue in a large change."),
]
ONE_CHANGE = [
    query("cursor", {**TEXT, "pattern": r"^([0-9]{1,9}\.[0-9]{1,9})?$"}, "The position of the next page, from “next”."),
    limit(200),
]
