"""The query parameters of tables and rows, as OpenAPI describes them and `Parameters` reads them."""
from __future__ import annotations

from shared.rest.parameters import OFFSET, limit, query
from shared.rest.schemas import COUNT, FLAG, TEXT, ZONE, one_of
from tables.interchange.exporting import FORMATS
from tables.operations.choice import SOURCES

ORDERINGS = ("-updated_at", "updated_at", "name", "-name", "created_at", "-created_at")

SEARCHED = {**TEXT, "maxLength": 1_000}
IDS = {**TEXT, "maxLength": 4_000, "pattern": "^[0-9]{1,18}(,[0-9]{1,18}){0,199}$|^$"}
TYPECAST = query("typecast", FLAG, "Also take texts that mean exactly a value, like “1,200” for a number.")
ON_INVALID = query(
    "on_invalid",
    one_of("refuse", "skip"),
    "“skip”: write the cells of many rows whose values fit and return the others as “skipped” (at most 1,000). "
    "“not_added” has the positions of the rows that cannot be added without them, “skipped_of_not_added” the number of "
    "their refused cells.",
)
CREATE_OPTIONS = query(
    "create_options", FLAG, "Texts in select columns that are not an option yet become one, in the same change."
)
KEYS = query("keys", one_of("name", "id"), "Whether cells are keyed by name or id of their column in the response.")
COLUMNS = query("columns", {**TEXT, "maxLength": 100_000}, "Names or ids of columns, with commas between them.")
SORT = query("sort", {**TEXT, "maxLength": 10_000}, "Like “-Due,Company”.")
TIME_ZONE = query("tz", ZONE, "The time zone that days like today are meant in.")
FILTER = query(
    "filter",
    {**TEXT, "format": "filter", "maxLength": 100_000},
    'JSON: “{"and": [condition | {"or": […]}]}”, “{"column", "op", "value"}” or a list. 422 “too_costly” for more '
    "conditions than a table of its size can be searched by in a few seconds; the error says how many fit.",
)
SEARCH = query(
    "search", SEARCHED, "Every word must be in the row. 422 “too_costly” for too many words, as for a filter."
)
VIEW = [FILTER, SEARCH, TIME_ZONE]
DECISIONS = [
    query("on_conflict", one_of("skip", "overwrite"), "What to do where the table has changed since."),
    query("on_unconvertible", one_of("clear"), "Empty the cells that cannot be converted."),
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
    query("search", SEARCHED, "Words in name or description."),
    query("ordering", one_of(*ORDERINGS), "The order."),
    query("trashed", FLAG, "Those in the trash."),
    *PAGE,
]
ROW_LIST = [
    *VIEW,
    SORT,
    limit(1_000),
    OFFSET,
    query("cursor", {**TEXT, "format": "cursor", "maxLength": 12_000}, "Where “next” goes on."),
    COLUMNS,
    KEYS,
    query("ids", IDS, "Just these rows, at most 200, as far as they match."),
]
FIND = [
    *VIEW,
    SORT,
    query("find", SEARCHED, "Every word must be in the row."),
    query("ids", IDS, "These rows, at most 200, in place of words."),
]
EXPORT = [*VIEW, SORT, COLUMNS, query("format", one_of(*FORMATS), "The kind of file.")]
STATS = [*VIEW, KEYS]
CHOICES = [*VIEW, COLUMNS, KEYS]
ONE_ROW = [COLUMNS, KEYS]
UPSERT = [TYPECAST, KEYS]
ADD_ROWS = [TYPECAST, KEYS, CREATE_OPTIONS, ON_INVALID]
UPDATE_ROWS = [TYPECAST, KEYS, ON_INVALID]
UPDATE_ROW = [TYPECAST, KEYS, CREATE_OPTIONS]
CHANGE_LIST = [
    query("after_version", COUNT, "Only later ones."),
    query("before_version", COUNT, "Only earlier ones."),
    limit(200),
    query("person", SEARCHED, "Only those of the user with this name."),
    query("source", one_of(*SOURCES), "Only those made this way."),
    query("row", {**COUNT, "minimum": 1}, "Only those that changed the row with this id."),
    query("piece", {**COUNT, "maximum": 10**9}, "Part of “next”: where to search on in a large change."),
]
ONE_CHANGE = [
    query("cursor", {**TEXT, "pattern": r"^([0-9]{1,9}\.[0-9]{1,9})?$"}, "From the “next” of the page before."),
    limit(200),
]
