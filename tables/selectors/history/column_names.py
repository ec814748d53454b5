"""Names of columns in place of ids in previews and stored operations."""
from __future__ import annotations

from typing import Any

from tables.exceptions import NotFound
from tables.operations.column_keys import ColumnNames, keyed_by_name, names_in
from tables.selectors.history.entries import read_removed_columns
from tables.selectors.tables import get_table, table_shape

Json = dict[str, Any]


def with_column_names(form: Json, *, user: Any, table_id: int | None) -> Json:
    """Return a preview, or `{"operations": […]}`, keyed by the names of columns, deleted ones by their last names.

    A deleted column keeps its id if another column has its name. At most three queries; none for a preview in which
    all columns exist.
    """
    names = ColumnNames(names_in(form))
    keyed = keyed_by_name(form, names)
    if not names.unknown or table_id is None:
        return keyed
    try:
        table = get_table(user, table_id)
    except NotFound:
        return keyed
    if "columns" not in form:
        names = ColumnNames.of(table_shape(table).columns)
        keyed = keyed_by_name(form, names)
    if names.unknown:
        removed = read_removed_columns(table_id)
        names.add({column_id: was["name"] for column_id, was, _ in reversed(removed) if column_id in names.unknown})
        keyed = keyed_by_name(form, names)
    return keyed
