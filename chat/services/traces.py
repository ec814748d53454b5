"""Storage of traces; a text that is part of many traces is stored once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction

from chat.models import Trace, TraceText, Turn
from shared import strictjson
from shared.db import Query, Statement, insert_statement

Json = dict[str, Any]

# `used_at` is updated at most once a day, because all turns use the same prompts and would wait for each other's locks.
MARK_INTERVAL = timedelta(days=1)
# A stored text is not deleted for longer than this, even if `used_at` is not updated.
CACHE_DURATION = timedelta(hours=12)
# Rows per statement; databases limit the number of parameters.
BATCH_SIZE = 2_000
TEXTS = TraceText._meta.db_table


class StoredTexts:
    """Cache of the hashes of texts that are known to be stored for some hours, so that they need not be queried."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._since: datetime | None = None

    def at(self, now: datetime) -> frozenset[str] | set[str]:
        """Return the hashes that are valid at this time."""
        if self._since is None or not self._since <= now < self._since + CACHE_DURATION:
            return frozenset()
        return self._names

    def add(self, names: Iterable[str], *, now: datetime) -> None:
        """Add hashes of texts that were just stored or found."""
        if not self.at(now):
            self._names, self._since = set(), now
        self._names |= set(names)


class TraceTexts:
    """The texts of a trace, by hash. `owner` is the id of the user who owns them, except for shared texts."""

    def __init__(self, *, owner: Any, stored: StoredTexts | None = None) -> None:
        self.stored = stored or StoredTexts()
        # Hashes that the next traces of the conversation will use too.
        self.lasting: list[str] = []
        self._owner = owner
        self._values: dict[str, tuple[Any, Any]] = {}

    def unknown(self, *, now: datetime) -> list[str]:
        """Return the hashes of texts that may not be stored yet, sorted."""
        return sorted(self._values.keys() - self.stored.at(now))

    def add(self, value: Any, *, shared: bool = False) -> str:
        """Add a text, or another value as JSON, and return its hash."""
        owner = None if shared else self._owner
        # content_hash does not depend on the order of keys, which PostgreSQL changes.
        name = strictjson.content_hash([str(owner or ""), strictjson.replace_unstorable(value)])[:32]
        self._values[name] = (owner, value)
        return name

    def add_lasting(self, value: Any, *, name: str = "") -> str:
        """Add a text that later traces will use too; `name` is its hash, if known."""
        name = name or self.add(value)
        self._values[name] = (self._owner, value)
        self.lasting.append(name)
        return name

    def row(self, name: str, *, now: datetime) -> TraceText:
        """Return the row to store for a text."""
        owner, value = self._values[name]
        value = strictjson.replace_unstorable(value)
        text = value if isinstance(value, str) else strictjson.dumps(value)
        return TraceText(hash=name, user_id=owner, text=text, used_at=now)


@dataclass(frozen=True)
class TraceRecord:
    """A trace to be stored; `data` refers to its texts by hash."""

    data: Json
    texts: TraceTexts

    @property
    def dropped(self) -> int:
        """Number of dropped parts of the model's answers; 0 for a placeholder trace, where it is unknown."""
        return len(self.data.get("dropped", ())) if "calls" in self.data else 0


def stored_texts_query(record: TraceRecord, *, now: datetime) -> Query[list[tuple[Any, ...]]]:
    """Return the query for the stored texts of a trace, as (hash, whether `used_at` needs an update)."""
    names, day_ago = record.texts.unknown(now=now), connection.ops.adapt_datetimefield_value(now - MARK_INTERVAL)
    among = "= ANY(%s::text[])" if connection.vendor == "postgresql" else "IN (SELECT value FROM json_each(%s))"
    hashes = names if connection.vendor == "postgresql" else strictjson.dumps(names)
    statement = Statement(f"SELECT hash, used_at < %s FROM {TEXTS} WHERE hash {among}", [day_ago, hashes])
    return Query((statement,), list)


def store_trace_statements(
    turn: Turn, *, record: TraceRecord, stored: list[tuple[Any, ...]], now: datetime
) -> list[Statement]:
    """Return the statements that store a trace and its texts, except for those `stored` already.

    `stored` is the result of `stored_texts_query`; the `used_at` of its rows is updated by this function.
    """
    if stale := [name for name, is_stale in stored if is_stale]:
        # Locked in a fixed order, to avoid deadlocks.
        locked = TraceText.objects.filter(pk__in=stale).order_by("pk").select_for_update()
        TraceText.objects.filter(pk__in=list(locked.values_list("pk", flat=True))).update(used_at=now)
    known = {name for name, _ in stored}
    texts = record.texts
    missing = [texts.row(name, now=now) for name in texts.unknown(now=now) if name not in known]
    transaction.on_commit(lambda: texts.stored.add(texts.lasting, now=now))
    batches = [missing[start : start + BATCH_SIZE] for start in range(0, len(missing), BATCH_SIZE)]
    trace = Trace(turn=turn, data=strictjson.replace_unstorable(record.data), created_at=now)
    return [*(insert_statement(*batch, ignore_conflicts=True) for batch in batches), insert_statement(trace)]
