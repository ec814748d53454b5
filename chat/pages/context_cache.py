"""What the assistant was shown of tables lately: a table that has not changed need not be read and put together again.

Who may see a table is asked before, each time; a look is the same for everybody who sees the same view of it.
"""
from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from datetime import date
from threading import Lock
from typing import Any

import strictjson

# Each has at most 24 kB of JSON; in memory it takes a few times as much.
MOST = 100
# What of the client's view is shown, or decides what is.
SHOWN = ("filter", "sort", "search", "selected_row_ids")

Json = dict[str, Any]


class KeptLooks:
    """Those of one process, at most so many, the last ones asked for. They are shared: nobody changes them."""

    def __init__(self, *, most: int = MOST) -> None:
        self._most = most
        self._kept: OrderedDict[str, Json] = OrderedDict()
        self._lock = Lock()

    def of(self, key: str, make: Callable[[], tuple[Json, bool]]) -> Json:
        """What was made for this key, or is made now: the look, and whether it holds until the key is another."""
        with self._lock:
            look = self._kept.get(key)
            if look is not None:
                self._kept.move_to_end(key)
                return look
        look, holds = make()
        if holds:
            with self._lock:
                self._kept[key] = look
                while len(self._kept) > self._most:
                    self._kept.popitem(last=False)
        return look


kept = KeptLooks()


def key_of(table: Any, *, page: str, view: Json, today: date) -> str:
    """Another one for each page, day, view and version of a table.

    The time of the last change stands beside the version: a transaction that failed may have used it before.
    """
    shown = [view.get(name) for name in SHOWN]
    state = [table.version, table.updated_at.isoformat(), table.name, table.description]
    return strictjson.content_hash([page, table.pk, state, today.isoformat(), shown])
