"""One-line summaries of changes, for the history and the receipts."""
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from shared.user_messages import Message, Param, declare, declare_plural, sentence
from tables.operations.plans.planned import Planned

Json = dict[str, Any]
MAX_NAMES = 3
# Clauses of a summary, which may have several.
ADDED_ROWS = declare_plural("added_rows", "added 1 row", "added {count:,} rows")
CHANGED_ROWS = declare_plural("changed_rows", "changed 1 row", "changed {count:,} rows")
DELETED_ROWS = declare_plural("deleted_rows", "deleted 1 row", "deleted {count:,} rows")
MOVED_ROWS = declare_plural("moved_rows", "moved 1 row", "moved {count:,} rows")
ADDED_OPTION = declare("added_option", "added option {option} to {column}")
ADDED_OPTIONS = declare("added_options", "added {count:,} options to {column}")
DELETED_OPTION = declare("deleted_option", "deleted option {option} from {column}")
RENAMED_OPTION = declare("renamed_option", "renamed option {option} to {new_name}")
MERGED_OPTION = declare("merged_option", "merged option {option} into {other}")
ADDED_COLUMNS = declare_plural("added_columns", "added column {names}", "added columns {names}")
CHANGED_COLUMNS = declare_plural("changed_columns", "changed column {names}", "changed columns {names}")
REMOVED_COLUMNS = declare_plural("removed_columns", "removed column {names}", "removed columns {names}")
MOVED_COLUMNS = declare_plural("moved_columns", "moved column {names}", "moved columns {names}")
NAMES_AND_MORE = declare("names_and_more", "{names} and {count} more")
RENAMED_TABLE = declare("renamed_table", "renamed the table")
CHANGED_DESCRIPTION = declare("changed_description", "changed the description")
NOTHING_TO_DO = declare("nothing_to_do", "Nothing to do")


def counts_of(planned: Iterable[Planned]) -> Json:
    """Return the number of applied operations by action."""
    counts: dict[str, int] = {}
    for each in planned:
        if each.is_applied and not each.is_noop:
            counts[each.action] = counts.get(each.action, 0) + 1
    return counts


def rows_summary(
    counts: Json, *, options: Mapping[str, Sequence[str]] | None = None, columns: Sequence[str] = ()
) -> Message:
    """Return `Added 8 rows, changed 1 row, added option Paused to Status`.

    `options` are new ones by column name, `columns` the names of new columns.
    """
    templates = {"add": ADDED_ROWS, "update": CHANGED_ROWS, "delete": DELETED_ROWS}
    clauses = [template(count=counts[action]) for action, template in templates.items() if counts.get(action)]
    clauses += [_added_options(names, column=column) for column, names in (options or {}).items()]
    clauses += [ADDED_COLUMNS(count=len(columns), names=_names(columns))] if columns else []
    return _summary(clauses)


def moves_summary(count: int) -> Message:
    """Return `Moved 3 rows`."""
    return _summary([MOVED_ROWS(count=count)])


def columns_summary(
    planned: Sequence[Planned], *, table: Json | None, renamed_options: Mapping[str, str] | None = None
) -> Message:
    """Return `Added column Priority, changed column Status, renamed the table`; `renamed_options` by old name."""
    templates = {
        "add": ADDED_COLUMNS, "modify": CHANGED_COLUMNS, "remove": REMOVED_COLUMNS, "reorder": MOVED_COLUMNS,
    }  # fmt: skip
    clauses: list[Message] = []
    for action, template in templates.items():
        done = [each for each in planned if each.action == action and each.is_applied and not each.is_noop]
        of_options = [_options_clause(each, renamed=renamed_options or {}) for each in done]
        names = [each.column.name for each, part in zip(done, of_options, strict=True) if each.column and not part]
        clauses += filter(None, of_options)
        if names:
            clauses.append(template(count=len(names), names=_names(names)))
    changed = table["now"] if table else {}
    clauses += [RENAMED_TABLE()] if "name" in changed else []
    clauses += [CHANGED_DESCRIPTION()] if "description" in changed else []
    return _summary(clauses)


def _options_clause(planned: Planned, *, renamed: Mapping[str, str]) -> Message | None:
    """Return `added option Paused to Status` if the column has no other changes."""
    if planned.action != "modify" or not planned.column or "options" not in planned.new:
        return None
    old, new = planned.old.get("options") or [], planned.new["options"] or []
    added, deleted = [one for one in new if one not in old], [one for one in old if one not in new]
    same_order = [one for one in old if one in new] == [one for one in new if one in old]
    also = {"optionColors", "default"} if deleted else {"optionColors"}
    if not same_order or planned.new.keys() - {"options"} - also:
        return None
    if added and not deleted:
        return _added_options(added, column=planned.column.name)
    if len(deleted) != 1:
        return None
    if not added and renamed.get(deleted[0]) in new:
        return MERGED_OPTION(option=deleted[0], other=renamed[deleted[0]])
    if not added:
        return DELETED_OPTION(option=deleted[0], column=planned.column.name)
    return RENAMED_OPTION(option=deleted[0], new_name=added[0]) if added == [renamed.get(deleted[0])] else None


def _added_options(names: Sequence[str], *, column: str) -> Message:
    if len(names) == 1:
        return ADDED_OPTION(option=names[0], column=column)
    return ADDED_OPTIONS(count=len(names), column=column)


def _names(names: Sequence[str]) -> Param:
    listed = tuple(names[:MAX_NAMES])
    return NAMES_AND_MORE(names=listed, count=len(names) - MAX_NAMES) if len(names) > MAX_NAMES else listed


def _summary(clauses: Sequence[Message]) -> Message:
    return sentence(clauses) if clauses else NOTHING_TO_DO()
