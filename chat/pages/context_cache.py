"""Cache of the page contexts of tables, per process.

A context is the same for all users with the same view of a table. Permissions are checked before the cache is used.
"""
from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from datetime import date
from threading import Lock
from typing import Any

from shared import strictjson

# An entry is at most 24 kB as JSON, and a few times as much in memory.
MAX_ENTRIES = 100
# The fields of the client's view that a context depends on.
VIEW_FIELDS = ("filter", "sort", "search", "selected_row_ids")

Json = dict[str, Any]


class ContextCache:
    """A cache of the most recently used contexts. Contexts are shared, so callers must not modify them."""

    def __init__(self, *, max_entries: int = MAX_ENTRIES) -> None:
        self._max_entries = max_entries
        self._contexts: OrderedDict[str, Json] = OrderedDict()
        self._lock = Lock()

    def get_or_build(self, key: str, build: Callable[[], tuple[Json, bool]]) -> Json:
        """Return the context for this key; `build` returns a new one, and whether it may be cached."""
        with self._lock:
            context = self._contexts.get(key)
            if context is not None:
                self._contexts.move_to_end(key)
                return context
        context, cacheable = build()
        if cacheable:
            with self._lock:
                self._contexts[key] = context
                while len(self._contexts) > self._max_entries:
                    self._contexts.popitem(last=False)
        return context


context_cache = ContextCache()


def cache_key(table: Any, *, page: str, view: Json, today: date, zone: str) -> str:
    """Return a key that differs for each page, day, time zone, view and version of a table.

    It includes the time of the last change, because a rolled back transaction may have used the same version.
    """
    view_values = [view.get(name) for name in VIEW_FIELDS]
    state = [table.version, table.updated_at.isoformat(), table.name, table.description]
    return strictjson.content_hash([page, table.pk, state, today.isoformat(), zone, view_values])
