"""Keeps how turns came about, in few words: a text that many turns sent is stored once."""
from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import strictjson
from chat.models import Trace, TraceText, Turn

Json = dict[str, Any]

# A text in use is marked so at most once a day: prompts are shared by all turns, which would wait for each other.
MARKED_EVERY = timedelta(days=1)


class TraceTexts:
    """The texts of one trace, by hash. `owner` is the user whose they are, but for the `shared` ones."""

    def __init__(self, *, owner: Any) -> None:
        self._owner = owner
        self._values: dict[str, tuple[Any, Any]] = {}

    @property
    def names(self) -> list[str]:
        """The hashes, in order."""
        return sorted(self._values)

    def keep(self, value: Any, *, shared: bool = False, name: str = "") -> str:
        """The hash under which a text, or the JSON of another value, will be found; `name`: it is known from before."""
        owner = None if shared else self._owner
        if not name:
            # Whatever order their keys have after a while in the database, the same messages have the same name.
            name = strictjson.content_hash([str(owner or ""), strictjson.storable(value)])[:32]
        self._values[name] = (owner, value)
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


def store_trace(turn: Turn, *, record: TraceRecord, now: datetime) -> None:
    """Stores the trace with those of its texts that are not there yet; to be called where the turn ends."""
    names = record.texts.names
    there = dict(TraceText.objects.filter(pk__among=names).values_list("pk", "used_at"))
    if stale := [name for name, used_at in there.items() if used_at < now - MARKED_EVERY]:
        # Locked in order, so that no two turns wait for each other in a circle.
        locked = TraceText.objects.filter(pk__in=stale).order_by("pk").select_for_update()
        TraceText.objects.filter(pk__in=list(locked.values_list("pk", flat=True))).update(used_at=now)
    missing = [record.texts.row(name, now=now) for name in names if name not in there]
    TraceText.objects.bulk_create(missing, ignore_conflicts=True)
    Trace.objects.create(turn=turn, data=strictjson.storable(record.data), created_at=now)
