"""Retention: the list of what expires, and the loop that deletes it in small transactions."""
from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.apps import apps
from django.db.models import QuerySet
from django_tasks_db.models import DBTaskResult

from accounts import deletion as accounts
from chat.services import retention as chat
from chatproject.models import WorkerHeartbeat
from chatproject.stored_messages import old_messages

log = logging.getLogger(__name__)

# Pause between two transactions, because SQLite has one writer at a time, and waiting processes retry infrequently.
PAUSE_SECONDS = 0.05
RESULT_RETENTION = timedelta(days=7)
HEARTBEAT_RETENTION = timedelta(days=1)


@dataclass(frozen=True)
class RetentionRule:
    """One kind of objects. `expired(now=…)` returns the expired rows, or an iterator that deletes them.

    Rows are deleted in batches of `batch_size`, each in a transaction: small ones where deleting cascades to many rows.
    Each step of an iterator is a short transaction and yields the number of deleted objects.
    """

    name: str
    expired: Callable[..., QuerySet[Any] | Iterator[int]]
    batch_size: int = 200


def old_results(*, now: datetime) -> QuerySet[DBTaskResult]:
    """Return the results of tasks that ended a week ago."""
    return DBTaskResult.objects.filter(finished_at__lte=now - RESULT_RETENTION).order_by()


def old_heartbeats(*, now: datetime) -> QuerySet[WorkerHeartbeat]:
    """Return the heartbeats of workers that ended a day ago."""
    return WorkerHeartbeat.objects.filter(heartbeat_at__lte=now - HEARTBEAT_RETENTION)


def _rules_of_tables() -> tuple[RetentionRule, ...]:
    """Return the rules of the app `tables`, if it is installed."""
    if not apps.is_installed("tables"):
        return ()
    from tables.interchange.temporary_folders import delete_abandoned_folders
    from tables.services import retention as tables
    from tables.services.files.retention import clear_files

    # The order matters: accounts are deleted when their tables are, and rows after the changes that could restore
    # them, and files after their rows.
    return (
        RetentionRule("trash", tables.empty_trash),
        ACCOUNTS,
        RetentionRule("changes", tables.clear_changes),
        RetentionRule("rows", tables.clear_rows),
        RetentionRule("files", clear_files),
        RetentionRule("imports", tables.clear_imports),
        RetentionRule("abandoned exports", delete_abandoned_folders),
        RetentionRule("statistics", tables.old_statistics),
        RetentionRule("invitations", tables.old_invitations),
    )


def _rules_of_fills() -> tuple[RetentionRule, ...]:
    """Return the rules of the app `fills`, if it is installed."""
    if not apps.is_installed("fills"):
        return ()
    from fills.selectors import old_fills

    return (RetentionRule("fills", old_fills, batch_size=1),)


ACCOUNTS = RetentionRule("accounts", accounts.delete_closed_accounts)
RULES: tuple[RetentionRule, ...] = (
    RetentionRule("lost turns", chat.end_all_stale_turns),
    RetentionRule("events of turns", chat.clear_events),
    RetentionRule("conversations", chat.old_conversations, batch_size=5),
    RetentionRule("tried drafts", chat.old_trials, batch_size=5),
    RetentionRule("traces of turns", chat.old_traces),
    RetentionRule("texts of traces", chat.old_trace_texts),
    RetentionRule("token use", chat.old_token_uses),
    RetentionRule("drafts of the configuration", chat.old_configuration_drafts),
    RetentionRule("deleted tests of prompts", chat.old_deleted_prompt_tests),
    *_rules_of_fills(),
    *(_rules_of_tables() or (ACCOUNTS,)),
    RetentionRule("idempotent responses", accounts.old_responses),
    RetentionRule("sessions", accounts.old_sessions),
    RetentionRule("ended sessions", accounts.ended_sessions),
    RetentionRule("rate limit counts", accounts.old_counts),
    RetentionRule("API tokens", accounts.old_tokens),
    RetentionRule("tasks", old_results),
    RetentionRule("workers", old_heartbeats),
    RetentionRule("messages of workers", old_messages),
)


class DeletionFailed(Exception):
    """Some rules failed; the reasons are in the log."""


def delete_expired(
    *, now: datetime, rules: Sequence[RetentionRule] = RULES, pause: Callable[[float], object] = time.sleep
) -> dict[str, int]:
    """Delete everything that has expired, and return the numbers of deleted objects by rule, without zeros.

    If a rule fails, the others still run. Raises DeletionFailed after the last.
    """
    deleted: dict[str, int] = {}
    failed = []
    for rule in rules:
        try:
            for count in _steps(rule.expired(now=now), batch_size=rule.batch_size):
                deleted[rule.name] = deleted.get(rule.name, 0) + count
                pause(PAUSE_SECONDS)
        except Exception:
            log.exception("could not delete %s", rule.name)
            failed.append(rule.name)
    if deleted:
        log.info("deleted %s", ", ".join(f"{name}: {count}" for name, count in deleted.items()))
    if failed:
        raise DeletionFailed(", ".join(failed))
    return deleted


def _steps(expired: QuerySet[Any] | Iterator[int], *, batch_size: int) -> Iterator[int]:
    if not isinstance(expired, QuerySet):
        yield from expired
        return
    while ids := list(expired.values_list("pk", flat=True)[:batch_size]):
        # The conditions are checked again: rows that have been used meanwhile have not expired.
        expired.filter(pk__in=ids).delete()
        yield len(ids)
