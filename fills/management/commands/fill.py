"""`manage.py fill USER TABLE COLUMN… --instruction TEXT`: fill columns of a table as that user, with a progress bar."""
from __future__ import annotations

import time
from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from asgiref.sync import async_to_sync
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from chat.agent.clock import SystemClock
from fills import selectors, services
from fills.batch_worker import work_on_batches
from fills.selectors import Fill
from fills.worker import work
from shared import strictjson
from shared.user_messages import Message
from tables.exceptions import TablesError

Json = dict[str, Any]
# The progress is shown after each piece of work.
PIECE_SECONDS = 1.0
BAR_LENGTH = 30


class Command(BaseCommand):
    """Fill without a worker. Nothing is written to the table without --apply."""

    _line_length = 0
    help = "Have the model fill columns of a table, row by row."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username", help="editor of the table, whose tokens are used")
        parser.add_argument("table", type=int, help="ID of the table, the number in its URL")
        parser.add_argument("columns", nargs="+", metavar="column", help="column to fill; up to eight")
        parser.add_argument("--instruction", required=True, help="what to find, with columns as {Name}")
        parser.add_argument("--all", action="store_true", help="fill all rows, also those with values")
        parser.add_argument("--filter", help="fill the rows that match this filter, JSON as in the API")
        parser.add_argument("--budget", type=int, help="tokens to use at most (default: twice the estimate)")
        parser.add_argument("--mode", choices=Fill.Mode.values, default="live",
                            help="batch: within 24 hours for half the price, if the provider has batches")  # fmt: skip
        parser.add_argument("--estimate", action="store_true", help="only show what it would need")
        parser.add_argument("--apply", choices=("confident", "all"),
                            help="write results of high confidence, or all (default: none, for a review)")  # fmt: skip

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the estimate, the progress, and what was found."""
        user = User.objects.filter(username=options["username"], is_active=True).first()
        if user is None:
            raise CommandError(f"There is no active user named {options['username']!r}.")
        try:
            fill = services.create_fill(user=user, table_id=options["table"], body=_body(options))
            self._print_estimate(fill)
            if options["estimate"]:
                services.delete_fill(user=user, table_id=fill.table_id, fill_id=fill.pk)
                return
            services.run_fill(user=user, table_id=fill.table_id, fill_id=fill.pk, mode=options["mode"])
            self._work(user, fill=fill)
            if options["apply"]:
                self._apply(user, fill=fill, confidence="high" if options["apply"] == "confident" else "")
        except TablesError as error:
            details = "\n".join(dict.fromkeys(fault.detail for fault in error.faults))
            raise CommandError(details or error.detail) from None

    def _print_estimate(self, fill: Fill) -> None:
        needs = fill.estimate
        cost = f", about {needs['cost']} US dollars" if needs["cost"] else ""
        cost += f" ({needs['batch_cost']} in batches)" if needs["batch_cost"] else ""
        self.stdout.write(
            f"{needs['rows']:,} rows, about {needs['tokens']:,} tokens{cost}, {needs['minutes']:,} min. "
            f"The budget is {fill.budget:,} tokens."
        )

    def _work(self, user: User, *, fill: Fill) -> None:
        """Answer all rows. Raises CommandError if the fill is paused.

        An interrupt pauses it. Batches that were sent are still answered, and stored by workers.
        """
        limit: int | None = None
        try:
            while True:
                check_at = async_to_sync(work_on_batches)(fill.pk, clock=SystemClock(), now=timezone.now)
                worked = async_to_sync(work)(
                    fill.pk, seconds=PIECE_SECONDS, clock=SystemClock(), now=timezone.now, limit=limit
                )
                self._print_progress(fill)
                moments = [each for each in (worked.continue_at, check_at) if each is not None]
                if not moments:
                    break
                limit = worked.limit
                time.sleep(max(timedelta(), min(moments) - timezone.now()).total_seconds())
        except KeyboardInterrupt:
            services.pause_fill(user=user, table_id=fill.table_id, fill_id=fill.pk)
            raise CommandError(f"Paused. Resume fill {fill.pk} with the API.") from None
        finally:
            self.stderr.write("")
        ended, _ = selectors.get_fill(user, fill.table_id, fill_id=fill.pk)
        if ended.state != Fill.State.DONE:
            reason = Message.from_json(ended.reason) if ended.reason else ended.state
            raise CommandError(f"{reason} (fill {fill.pk})")
        counts = selectors.counts_of([fill.pk])[fill.pk]
        self.stdout.write(f"{counts['found']:,} found, {counts['empty']:,} empty, {counts['failed']:,} failed.")

    def _print_progress(self, fill: Fill) -> None:
        counts = selectors.counts_of([fill.pk])[fill.pk]
        rows = sum(counts.values())
        done = rows - counts["waiting"] - counts["working"]
        bar = ("#" * round(BAR_LENGTH * done / rows)).ljust(BAR_LENGTH, ".")
        sent = selectors.open_batches([fill.pk]).get(fill.pk)
        waits = f", {sent.rows:,} sent, usually answered within an hour, at most within 24 hours" if sent else ""
        until = selectors.waits_of([fill], now=timezone.now()).get(fill.pk) if counts["waiting"] else None
        waits += f", waiting for the provider until {timezone.localtime(until):%H:%M:%S}" if until else ""
        # The line before may be longer.
        line = f"[{bar}] {done:,} of {rows:,}, {counts['found']:,} found{waits}"
        self.stderr.write(f"\r{line.ljust(self._line_length)}", ending="")
        self._line_length = len(line)

    def _apply(self, user: User, *, fill: Fill, confidence: str) -> None:
        review = services.Review(confidence=confidence, on_conflict="skip")
        applied = services.apply_results(user=user, table_id=fill.table_id, fill_id=fill.pk, review=review)
        self.stdout.write(f"{len(applied.applied):,} rows written, as change {applied.change}.")


def _body(options: Json) -> Json:
    """Return the body of the fill. Raises CommandError."""
    body: Json = {"columns": options["columns"], "instruction": options["instruction"], "budget": options["budget"]}
    if options["all"]:
        body["rows"] = "all"
    elif options["filter"]:
        try:
            body["rows"] = {"filter": strictjson.loads(options["filter"])}
        except strictjson.StrictJsonError as error:
            raise CommandError(f"--filter: {error.detail}") from None
    return body
