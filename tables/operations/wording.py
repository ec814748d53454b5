"""Changes in one line, for the history and the receipts."""
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tables.operations.planned import Planned

Json = dict[str, Any]


def counts_of(planned: Iterable[Planned]) -> Json:
    """How many operations of each action were carried out."""
    counts: dict[str, int] = {}
    for each in planned:
        if each.carried_out and not each.idle:
            counts[each.action] = counts.get(each.action, 0) + 1
    return counts


def rows_sentence(counts: Json, *, options: Mapping[str, Sequence[str]] | None = None) -> str:
    """`Added 8 rows, changed 1 row, added option Paused to Status`; `options` by the name of their column."""
    words = {"add": "added", "update": "changed", "delete": "deleted"}
    parts = [f"{word} {_rows(counts[action])}" for action, word in words.items() if counts.get(action)]
    for column, names in (options or {}).items():
        some = f"option {names[0]}" if len(names) == 1 else f"{len(names):,} options"
        parts.append(f"added {some} to {column}")
    return _sentence(parts) or "Nothing to do"


def moves_sentence(count: int) -> str:
    """`Moved 3 rows`."""
    return _sentence([f"moved {_rows(count)}"])


def columns_sentence(
    planned: Sequence[Planned], *, table: Json | None, renamed_options: Mapping[str, str] | None = None
) -> str:
    """`Added column Priority, changed column Status, renamed the table`; `renamed_options` by their old names."""
    words = {"add": "added", "modify": "changed", "remove": "removed", "reorder": "moved"}
    parts: list[str] = []
    for action, word in words.items():
        done = [each for each in planned if each.action == action and each.carried_out and not each.idle]
        of_options = [_options_part(each, renamed=renamed_options or {}) for each in done]
        names = [each.column.name for each, part in zip(done, of_options, strict=True) if each.column and not part]
        parts += filter(None, of_options)
        if names:
            shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
            parts.append(f"{word} {'column' if len(names) == 1 else 'columns'} {shown}")
    changed = table["now"] if table else {}
    parts += ["renamed the table"] if "name" in changed else []
    parts += ["changed the description"] if "description" in changed else []
    return _sentence(parts) or "Nothing to do"


def _options_part(planned: Planned, *, renamed: Mapping[str, str]) -> str:
    """`added option Paused to Status`, where that is all that happens to the column; else ""."""
    if planned.action != "modify" or not planned.column or "options" not in planned.new:
        return ""
    old, new = planned.old.get("options") or [], planned.new["options"] or []
    added, deleted = [one for one in new if one not in old], [one for one in old if one not in new]
    same_order = [one for one in old if one in new] == [one for one in new if one in old]
    also = {"optionColors", "default"} if deleted else {"optionColors"}
    if not same_order or planned.new.keys() - {"options"} - also:
        return ""
    if added and not deleted:
        some = f"option {added[0]}" if len(added) == 1 else f"{len(added):,} options"
        return f"added {some} to {planned.column.name}"
    if len(deleted) != 1:
        return ""
    if not added:
        return f"deleted option {deleted[0]} from {planned.column.name}"
    return f"renamed option {deleted[0]} to {added[0]}" if added == [renamed.get(deleted[0])] else ""


def _sentence(parts: list[str]) -> str:
    text = ", ".join(parts)
    return text[:1].upper() + text[1:]


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count:,} rows"
