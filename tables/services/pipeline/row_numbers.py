"""Running numbers of the rows of tables with a column that shows them."""
from __future__ import annotations

from collections.abc import Sequence

from django.db import connection

from tables.column_types import ColumnSpec, get_column_type
from tables.models import Table


def needs_numbers(table: Table, *, columns: Sequence[ColumnSpec]) -> bool:
    """Return whether the rows of the table have no numbers yet, and one of these columns shows them."""
    return table.next_number is None and any(get_column_type(column.type).numbers_rows for column in columns)


def number_rows(table: Table, *, columns: Sequence[ColumnSpec]) -> None:
    """Number all rows of a locked table in their order, if its first column that shows their numbers is being added.

    Deleted rows, which undo may restore, get the numbers after those of live rows. Sets the table's `next_number`,
    which is not saved here: from then on, new rows are numbered when they are inserted.
    """
    if not needs_numbers(table, columns=columns):
        return
    plus = "+" if connection.vendor == "sqlite" else ""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE tables_row SET running_number = n.number FROM (SELECT id, row_number() OVER"
            " (ORDER BY CASE WHEN deleted_at IS NULL THEN 0 ELSE 1 END, position, id) AS number"
            # The plus sign keeps SQLite from finding the rows by their table.
            f" FROM tables_row WHERE table_id = %s) AS n WHERE tables_row.id = n.id AND {plus}tables_row.table_id = %s",
            [table.pk, table.pk],
        )
        table.next_number = cursor.rowcount + 1
