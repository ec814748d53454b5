"""`manage.py db_worker`: does the work in the background; any number of them may run, on any machine."""
from __future__ import annotations

import logging
import os
import signal
import threading
import time
from argparse import ArgumentParser
from types import FrameType
from typing import Any

from django.db import InterfaceError, OperationalError, connection
from django_tasks_db.management.commands import db_worker

from chatproject.metrics import shared
from chatproject.workers import Watch, put_back

log = logging.getLogger(__name__)
processes = logging.getLogger("chatproject.processes")

AGAIN_AFTER_SECONDS = 5
STDIN = 0


class Command(db_worker.Command):
    """The worker of django-tasks-db, which here also keeps the schedule and outlives a database that was away."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--until-stdin-ends", action="store_true", help="stop when the standard input is closed")

    def configure_logging(self, verbosity: int) -> None:
        """Logs like the rest of the project."""

    def handle(  # type: ignore[override]  # what is not ours goes on as it came
        self, *args: Any, worker_id: str, until_stdin_ends: bool = False, **options: Any
    ) -> None:
        # The worker sets its own later; told to end before that, this still says that it has gone.
        signal.signal(signal.SIGTERM, _leave)
        shared.connect()
        if until_stdin_ends:
            threading.Thread(target=_end_with_stdin, name="parent", daemon=True).start()
        watch = Watch(worker_id)
        try:
            watch.begin()
            processes.info("worker %s started", worker_id)
            while self._works(worker_id=worker_id, **options):
                time.sleep(AGAIN_AFTER_SECONDS)
        finally:
            watch.end()
            processes.info("worker %s stopped", worker_id)

    def _works(self, **options: Any) -> bool:
        """Works until it is told to end; True when it broke off because the database was away or busy."""
        try:
            put_back(worker_id=options["worker_id"])
            super().handle(**options)
        except (InterfaceError, OperationalError):
            log.exception("the database is not available; retrying in %s s", AGAIN_AFTER_SECONDS)
            connection.close()
            return True
        return False


def _leave(signum: int, frame: FrameType | None) -> None:
    raise SystemExit(0)


def _end_with_stdin() -> None:
    # Not through sys.stdin: a thread that waits there holds its lock, and Python dies of that when it ends.
    while os.read(STDIN, 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
