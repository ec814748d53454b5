"""How long things are kept: one list of what goes, and the loop that lets it go a little at a time."""
from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet
from django_tasks_db.models import DBTaskResult

from accounts import retention as accounts
from accounts.account_deletion import clear_accounts
from chat.services import retention as chat
from chatproject.models import WorkerHeartbeat
from tables.interchange.temporary_folders import delete_abandoned_folders
from tables.services import retention as tables

log = logging.getLogger(__name__)

# Between two transactions: SQLite has one writer at a time, and those who wait for it look again now and then.
BREATH_SECONDS = 0.05
RESULTS_KEPT = timedelta(days=7)
BEATS_KEPT = timedelta(days=1)


@dataclass(frozen=True)
class Retention:
    """A kind of thing that goes. `over(now=…)` gives the rows that have had their time, or an iterator.

    Rows go `at_once` in a transaction: few where each takes much with it. Every step of an iterator is one short
    transaction and says how many things went with it.
    """

    name: str
    over: Callable[..., QuerySet[Any] | Iterator[int]]
    at_once: int = 200


def old_results(*, now: datetime) -> QuerySet[DBTaskResult]:
    """Tasks that ended a week ago."""
    return DBTaskResult.objects.filter(finished_at__lte=now - RESULTS_KEPT).order_by()


def old_beats(*, now: datetime) -> QuerySet[WorkerHeartbeat]:
    """Workers that have been silent for a day."""
    return WorkerHeartbeat.objects.filter(heartbeat_at__lte=now - BEATS_KEPT)


# In this order: rows go only after the changes that could have brought them back.
JOBS: tuple[Retention, ...] = (
    Retention("lost turns", chat.end_all_stale_turns),
    Retention("events of turns", chat.clear_events),
    Retention("conversations", chat.old_conversations, at_once=5),
    Retention("tried drafts", chat.old_trials, at_once=5),
    Retention("traces of turns", chat.old_traces),
    Retention("texts of traces", chat.old_trace_texts),
    Retention("token use", chat.old_token_uses),
    Retention("trash", tables.empty_trash),
    Retention("accounts", clear_accounts),
    Retention("changes", tables.clear_changes),
    Retention("rows", tables.clear_rows),
    Retention("imports", tables.clear_imports),
    Retention("abandoned exports", delete_abandoned_folders),
    Retention("statistics", tables.old_figures),
    Retention("invitations", tables.old_invitations),
    Retention("idempotent responses", accounts.old_answers),
    Retention("sessions", accounts.old_sessions),
    Retention("ended sessions", accounts.ended_sessions),
    Retention("rate limit counts", accounts.old_counts),
    Retention("API tokens", accounts.old_tokens),
    Retention("tasks", old_results),
    Retention("workers", old_beats),
)


class NotAllTidied(Exception):
    """Some kinds of things could not be let go of; the log says why."""


def tidy(
    *, now: datetime, jobs: Sequence[Retention] = JOBS, pause: Callable[[float], object] = time.sleep
) -> dict[str, int]:
    """Lets everything go that has had its time; how many of each kind, those of which there were any.

    One kind that fails does not keep the others. Raises NotAllTidied after the last.
    """
    gone: dict[str, int] = {}
    failed = []
    for job in jobs:
        try:
            for count in _steps(job.over(now=now), at_once=job.at_once):
                gone[job.name] = gone.get(job.name, 0) + count
                pause(BREATH_SECONDS)
        except Exception:
            log.exception("could not delete %s", job.name)
            failed.append(job.name)
    if gone:
        log.info("deleted %s", ", ".join(f"{name}: {count}" for name, count in gone.items()))
    if failed:
        raise NotAllTidied(", ".join(failed))
    return gone


def _steps(over: QuerySet[Any] | Iterator[int], *, at_once: int) -> Iterator[int]:
    if not isinstance(over, QuerySet):
        yield from over
        return
    while ids := list(over.values_list("pk", flat=True)[:at_once]):
        # Asked again: what has been used in the meantime stays.
        over.filter(pk__in=ids).delete()
        yield len(ids)
