"""`manage.py fill USER TABLE COLUMN… --instruction TEXT`: fill columns of a table as that user, with a progress bar."""
from __future__ import annotations

import signal
import threading
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from uuid import UUID

from asgiref.sync import async_to_sync
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.db.models import Count
from django.utils import timezone

from chat.agent.clock import SystemClock
from fills import selectors, services
from fills.batch_worker import work_on_batches
from fills.progress_rate import ProgressRate
from fills.selectors import Fill, Result
from fills.services.control import MAX_TRIED
from fills.services.definitions import SOURCES
from fills.worker import work
from shared import strictjson
from shared.user_messages import Message
from tables.exceptions import TablesError
from tables.operations import TableShape
from tables.operations.value_schemas import sent_value
from tables.selectors import table_shape

Json = dict[str, Any]
# The progress is shown after each piece of work.
PIECE_SECONDS = 1.0
BAR_LENGTH = 30
# From here on, the time left is shown in minutes.
MAX_SHOWN_SECONDS = 90
# Options with the name of a field of the fill.
FIELDS = ("columns", "instruction", "sources", "model", "budget")


class Command(BaseCommand):
    """Fill without a worker. Nothing is written to the table without --apply."""

    _line_length = 0
    help = "Have the model fill columns of a table, row by row."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username", help="editor of the table, whose tokens are used")
        parser.add_argument("table", type=int, help="ID of the table, the number in its URL")
        parser.add_argument("columns", nargs="*", metavar="column", help="column to fill; up to eight")
        parser.add_argument("--instruction", help="what to find, with columns as {Name}")
        rows = parser.add_mutually_exclusive_group()
        rows.add_argument("--all", action="store_true", help="fill all rows, also those with values")
        rows.add_argument("--filter", help="fill the rows that match this filter, JSON as in the API")
        rows.add_argument("--ids", type=_ids, metavar="ID,ID", help="fill the rows with these IDs")
        parser.add_argument("--sources", choices=SOURCES,
                            help="row: cells and what the model knows (default); web: also a web search")  # fmt: skip
        parser.add_argument("--examples", type=_ids, metavar="ID,ID",
                            help="rows whose values are right, as examples for the model; up to five IDs")  # fmt: skip
        parser.add_argument("--model", help="model to use, if several are offered for fills")
        parser.add_argument("--budget", type=int, help="tokens to use at most (default: twice the estimate)")
        parser.add_argument("--notify", action="store_true", help="send the user a mail at the end")
        parser.add_argument("--mode", choices=Fill.Mode.values,
                            help="live (default), or batch: half the price within 24 hours, if offered")  # fmt: skip
        parser.add_argument("--apply", choices=("confident", "all"),
                            help="write verified results of high confidence, or all (default: none)")  # fmt: skip
        steps = parser.add_mutually_exclusive_group()
        steps.add_argument("--estimate", action="store_true", help="only show what it would need")
        steps.add_argument("--try", type=int, choices=range(1, MAX_TRIED + 1), metavar="N",
                           help=f"only answer the first N rows, at most {MAX_TRIED}, and print them")  # fmt: skip
        steps.add_argument("--resume", type=UUID, metavar="FILL",
                           help="continue a paused or failed fill; takes --budget, --notify, --apply all")  # fmt: skip

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the estimate, the progress, and what was found."""
        user = User.objects.filter(username=options["username"], is_active=True).first()
        if user is None:
            raise CommandError(f"There is no active user named {options['username']!r}.")
        body = _body(options)
        try:
            if options["estimate"]:
                self._print_estimate(services.plan_fill(user=user, table_id=options["table"], body=body))
            elif options["try"]:
                self._try(user, options=options, body=body)
            else:
                self._run(user, options=options, body=body)
        except TablesError as error:
            raise CommandError(_error_text(error)) from None

    def _try(self, user: User, *, options: Json, body: Json) -> None:
        """Print the results of a few rows. The fill is deleted afterwards."""
        fill = services.create_fill(user=user, table_id=options["table"], body=body)
        of_fill: Json = {"user": user, "table_id": fill.table_id, "fill_id": fill.pk}
        try:
            self._print_estimate(fill)
            services.try_rows(**of_fill, rows=options["try"])
            self._work(fill)
            tried, table = selectors.get_fill(user, fill.table_id, fill_id=fill.pk)
            shape = table_shape(table)
            for result in selectors.results_of(tried):
                self.stdout.write(_result_text(result, shape=shape))
            if tried.reason:
                raise CommandError(str(Message.from_json(tried.reason)))
        except KeyboardInterrupt:
            raise CommandError("Stopped.") from None
        finally:
            services.delete_fill(**of_fill)

    def _run(self, user: User, *, options: Json, body: Json) -> None:
        """Run a new fill, or go on with a paused one, and apply its results as asked for."""
        with transaction.atomic():
            fill = self._resumed(user, options=options, body=body) if options["resume"] else None
            if fill is None:
                fill = services.create_fill(user=user, table_id=options["table"], body=body)
                self._print_estimate(fill)
                mode = options["mode"] or Fill.Mode.LIVE
                fill = services.run_fill(user=user, table_id=fill.table_id, fill_id=fill.pk, mode=mode)
        applied_before = _applied_changes(fill)
        try:
            self._work(fill)
        except KeyboardInterrupt:
            services.pause_fill(user=user, table_id=fill.table_id, fill_id=fill.pk)
            command = f"manage.py fill {user.get_username()} {fill.table_id} --resume {fill.pk}"
            raise CommandError(f"Paused. To go on: {command}") from None
        self._print_end(user, fill=fill)
        if fill.apply == "confident":
            changes = {change: rows for change, rows in _applied_changes(fill).items() if change not in applied_before}
            for change, rows in changes.items():
                self._print_applied(rows, change=change)
            if not changes:
                self.stdout.write("0 rows written.")
        if options["apply"] == "all":
            review = services.Review(on_conflict="skip")
            applied = services.apply_results(user=user, table_id=fill.table_id, fill_id=fill.pk, review=review)
            self._print_applied(len(applied.applied), change=applied.change)

    def _resumed(self, user: User, *, options: Json, body: Json) -> Fill:
        """Go on with a fill, after the changes in `body`. Raises Conflict for those that it cannot have any more."""
        if options["mode"]:
            raise CommandError("--mode: a fill goes on in the mode in which it was started.")
        of_fill: Json = {"user": user, "table_id": options["table"], "fill_id": options["resume"]}
        if body:
            services.change_fill(**of_fill, body=body)
        return services.resume_fill(**of_fill)

    def _work(self, fill: Fill) -> None:
        """Answer all rows, and apply results of high confidence if the fill says so.

        An interrupt ends it after the calls in flight. Batches that were sent before are still answered, and stored by
        workers.
        """
        limit: int | None = None
        clock, rate = SystemClock(), ProgressRate()
        try:
            while True:
                with ending_before_interrupt():
                    check_at = async_to_sync(work_on_batches)(fill.pk, clock=clock, now=timezone.now)
                    worked = async_to_sync(work)(
                        fill.pk, seconds=PIECE_SECONDS, clock=clock, now=timezone.now, limit=limit
                    )
                self._print_progress(fill, rate=rate, at=clock.monotonic())
                if worked.is_answered:
                    services.apply_confident(fill_id=fill.pk, now=timezone.now())
                moments = [each for each in (worked.continue_at, check_at) if each is not None]
                if not moments:
                    break
                limit = worked.limit
                time.sleep(max(timedelta(), min(moments) - timezone.now()).total_seconds())
        finally:
            self.stderr.write("")

    def _print_estimate(self, fill: Fill) -> None:
        needs = fill.estimate
        cost = f", about {needs['cost']} US dollars" if needs["cost"] else ""
        cost += f" ({needs['batch_cost']} in batches)" if needs["batch_cost"] else ""
        self.stdout.write(
            f"{needs['rows']:,} rows, about {needs['tokens']:,} tokens{cost}, {needs['minutes']:,} min. "
            f"The budget is {fill.budget:,} tokens."
        )

    def _print_progress(self, fill: Fill, *, rate: ProgressRate, at: float) -> None:
        """Show the progress at a time of the monotonic clock, in place of the one before."""
        counts = selectors.counts_of([fill.pk])[fill.pk]
        rows = sum(counts.values())
        left = counts["waiting"] + counts["working"]
        done = rows - left
        rate.add(done, at=at)
        bar = ("#" * round(BAR_LENGTH * done / max(1, rows))).ljust(BAR_LENGTH, ".")
        sent = selectors.open_batches([fill.pk]).get(fill.pk)
        until = selectors.waits_of([fill], now=timezone.now()).get(fill.pk) if counts["waiting"] else None
        ends = f", {sent.rows:,} sent, usually answered within an hour, at most within 24 hours" if sent else ""
        ends += f", waiting for the provider until {timezone.localtime(until):%H:%M:%S}" if until else ""
        if left and not ends:
            ends = time_left_text(rate.seconds_left(left))
        # The line before may be longer.
        line = f"[{bar}] {done:,} of {rows:,}, {counts['found']:,} found{ends}"
        self.stderr.write(f"\r{line.ljust(self._line_length)}", ending="")
        self._line_length = len(line)

    def _print_end(self, user: User, *, fill: Fill) -> None:
        """Print what was found. Raises CommandError if the fill was paused or has failed."""
        ended, _ = selectors.get_fill(user, fill.table_id, fill_id=fill.pk)
        reason = str(Message.from_json(ended.reason)) if ended.reason else ""
        if ended.state != Fill.State.DONE:
            raise CommandError(f"{reason or ended.state} (fill {fill.pk})")
        counts = selectors.counts_of([fill.pk])[fill.pk]
        self.stdout.write(f"{counts['found']:,} found, {counts['empty']:,} empty, {counts['failed']:,} failed.")
        # Of a fill that is done: why its results of high confidence could not be applied.
        if reason:
            raise CommandError(f"{reason} (fill {fill.pk})")

    def _print_applied(self, rows: int, *, change: int | None) -> None:
        self.stdout.write(f"{rows:,} rows written" + ("." if change is None else f", as change {change}."))


@contextmanager
def ending_before_interrupt() -> Iterator[None]:
    """Raise KeyboardInterrupt for an interrupt only after the block, so that it holds no rows any more.

    A second interrupt is raised at once.
    """
    interrupts: list[int] = []

    def note(number: int, _: object) -> None:
        interrupts.append(number)
        if len(interrupts) > 1:
            raise KeyboardInterrupt

    # Other threads get no signals.
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if interrupts:
        raise KeyboardInterrupt


def time_left_text(seconds: int | None) -> str:
    """Return the end of the progress that says how much time is left, "" if it is not known."""
    if seconds is None:
        return ""
    if seconds < MAX_SHOWN_SECONDS:
        return f", {max(1, seconds)} s left"
    return f", {round(seconds / 60):,} min left"


def _ids(text: str) -> list[int | str]:
    """Return ids that are separated by commas; others remain texts, which the services refuse with their path."""
    parts = [part.strip() for part in text.split(",")]
    return [int(part) if part.isascii() and part.isdigit() and len(part) < 19 else part for part in parts]


def _body(options: Json) -> Json:
    """Return the fields of the fill that were given. Raises CommandError."""
    body: Json = {name: options[name] for name in FIELDS if options[name] not in (None, [])}
    if options["all"]:
        body["rows"] = "all"
    if options["ids"] is not None:
        body["rows"] = {"ids": options["ids"]}
    if options["filter"] is not None:
        try:
            body["rows"] = {"filter": strictjson.loads(options["filter"])}
        except strictjson.StrictJsonError as error:
            raise CommandError(f"--filter: {error.detail}") from None
    if options["examples"] is not None:
        body["examples"] = options["examples"]
    if options["notify"]:
        body["notify"] = True
    if options["apply"] == "confident":
        body["apply"] = "confident"
    return body


def _applied_changes(fill: Fill) -> dict[int, int]:
    """Return the changes that applied results of a fill, with the number of rows that have these results."""
    applied = selectors.results_of(fill, states=[Result.State.FOUND]).exclude(change_id=None).order_by()
    return dict(applied.values_list("change_id").annotate(Count("pk")))


def _result_text(result: Result, *, shape: TableShape) -> str:
    """Return the values, the note and the sources of a result, or its error."""
    if result.error:
        return f"Row {result.row_id}: {Message.from_json(result.error)}"
    found = {column.name: sent_value(result.values.get(column.id), column=column) for column in shape.columns}
    values = ", ".join(f"{name}: {value}" for name, value in found.items() if value is not None)
    confidence = f"{result.confidence} confidence" + (", unverified" if result.is_unverified else "")
    lines = [f"Row {result.row_id}: {values or 'nothing found'} ({confidence})"]
    lines += [f"    {each}" for each in (result.note, *(source["url"] for source in result.sources)) if each]
    return "\n".join(_printable(line) for line in lines)


def _printable(text: str) -> str:
    """Return one line without characters that control the terminal."""
    return "".join(each if each.isprintable() else " " for each in text)


def _error_text(error: TablesError) -> str:
    """Return the faults of an error, one a line, with their paths."""
    lines = (f"{fault.path}: {fault.detail}" if fault.path else fault.detail for fault in error.faults)
    return "\n".join(dict.fromkeys(lines)) or error.detail
