"""Keeps how turns came about, in few words: a text that many turns sent is stored once."""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction

import strictjson
from chat.models import Trace, TraceText, Turn
from statements import Question, Statement, insertion

Json = dict[str, Any]

# A text in use is marked so at most once a day: prompts are shared by all turns, which would wait for each other.
MARKED_EVERY = timedelta(days=1)
# What is stored stays so for longer than this, however long ago it was marked.
ASKED_EVERY = timedelta(hours=12)
# Databases take so many parameters with a statement, and more than this.
MOST_AT_ONCE = 2_000
TEXTS = TraceText._meta.db_table


class StoredTexts:
    """Names of texts that are stored, and will be for some hours: whoever names them again need not look for them."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._since: datetime | None = None

    def at(self, now: datetime) -> frozenset[str] | set[str]:
        """Those that are known at this time."""
        if self._since is None or not self._since <= now < self._since + ASKED_EVERY:
            return frozenset()
        return self._names

    def add(self, names: Iterable[str], *, now: datetime) -> None:
        """They were just stored, or found."""
        if not self.at(now):
            self._names, self._since = set(), now
        self._names |= set(names)


class TraceTexts:
    """The texts of one trace, by hash. `owner` is the user whose they are, but for the `shared` ones; `stored` knows
    of some of them that they are there."""

    def __init__(self, *, owner: Any, stored: StoredTexts | None = None) -> None:
        self.stored = stored or StoredTexts()
        # Those that will be named again by the next trace, and the one after it.
        self.lasting: list[str] = []
        self._owner = owner
        self._values: dict[str, tuple[Any, Any]] = {}

    def unknown(self, *, now: datetime) -> list[str]:
        """The hashes of those that may not be there, in order."""
        return sorted(self._values.keys() - self.stored.at(now))

    def keep(self, value: Any, *, shared: bool = False) -> str:
        """The hash under which a text, or the JSON of another value, will be found."""
        owner = None if shared else self._owner
        # Whatever order their keys have after a while in the database, the same messages have the same name.
        name = strictjson.content_hash([str(owner or ""), strictjson.storable(value)])[:32]
        self._values[name] = (owner, value)
        return name

    def keep_lasting(self, value: Any, *, name: str = "") -> str:
        """The same of what later traces will name, too; `name`: it is known from before."""
        name = name or self.keep(value)
        self._values[name] = (self._owner, value)
        self.lasting.append(name)
        return name

    def row(self, name: str, *, now: datetime) -> TraceText:
        """What is stored of one."""
        owner, value = self._values[name]
        value = strictjson.storable(value)
        text = value if isinstance(value, str) else strictjson.dump(value)
        return TraceText(hash=name, user_id=owner, text=text, used_at=now)


@dataclass(frozen=True)
class TraceRecord:
    """A trace to be stored: `data` names its texts by hash."""

    data: Json
    texts: TraceTexts

    @property
    def dropped(self) -> int:
        """How many things of the model's answers were not shown; of a turn that was lost nobody knows."""
        return len(self.data.get("dropped", ())) if "calls" in self.data else 0


def looking_for(record: TraceRecord, *, now: datetime) -> Question[list[tuple[Any, ...]]]:
    """What finds which texts of a trace are there, and whether they are to be marked, for `storing`."""
    names, day_ago = record.texts.unknown(now=now), connection.ops.adapt_datetimefield_value(now - MARKED_EVERY)
    among = "= ANY(%s::text[])" if connection.vendor == "postgresql" else "IN (SELECT value FROM json_each(%s))"
    given = names if connection.vendor == "postgresql" else strictjson.dump(names)
    statement = Statement(f"SELECT hash, used_at < %s FROM {TEXTS} WHERE hash {among}", [day_ago, given])
    return Question((statement,), list)


def storing(turn: Turn, *, record: TraceRecord, there: list[tuple[Any, ...]], now: datetime) -> list[Statement]:
    """What stores a trace with those of its texts that are not `there` yet; to be sent where the turn ends."""
    if stale := [name for name, is_stale in there if is_stale]:
        # Locked in order, so that no two turns wait for each other in a circle.
        locked = TraceText.objects.filter(pk__in=stale).order_by("pk").select_for_update()
        TraceText.objects.filter(pk__in=list(locked.values_list("pk", flat=True))).update(used_at=now)
    known = {name for name, _ in there}
    texts = record.texts
    missing = [texts.row(name, now=now) for name in texts.unknown(now=now) if name not in known]
    transaction.on_commit(lambda: texts.stored.add(texts.lasting, now=now))
    batches = [missing[start : start + MOST_AT_ONCE] for start in range(0, len(missing), MOST_AT_ONCE)]
    trace = Trace(turn=turn, data=strictjson.storable(record.data), created_at=now)
    return [*(insertion(*batch, or_ignore=True) for batch in batches), insertion(trace)]
