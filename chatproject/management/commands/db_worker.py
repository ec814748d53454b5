"""`manage.py db_worker`: runs background tasks. Any number of workers may run, on any machine."""
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

from chatproject.observability.metrics import database
from chatproject.stored_messages import messages_stored
from chatproject.workers import HeartbeatThread, requeue_own_tasks

log = logging.getLogger(__name__)
processes = logging.getLogger("chatproject.processes")

RETRY_SECONDS = 5
STDIN = 0


class Command(db_worker.Command):
    """The worker of django-tasks-db with maintenance, which continues after the database was unavailable."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--until-stdin-ends", action="store_true", help="stop when the standard input is closed")

    def configure_logging(self, verbosity: int) -> None:
        """Leave logging as configured in the settings."""

    def handle(  # type: ignore[override]  # other options are passed on
        self, *args: Any, worker_id: str, until_stdin_ends: bool = False, **options: Any
    ) -> None:
        # The worker installs its own handler later. Before that, this one makes sure that the heartbeat is deleted.
        signal.signal(signal.SIGTERM, _exit)
        database.connect()
        if until_stdin_ends:
            threading.Thread(target=_end_with_stdin, name="parent", daemon=True).start()
        heartbeat = HeartbeatThread(worker_id)
        try:
            heartbeat.start()
            processes.info("worker %s started", worker_id)
            while self._must_retry(worker_id=worker_id, **options):
                time.sleep(RETRY_SECONDS)
        finally:
            # A signal may have ended the worker between BEGIN and Django's record of the transaction.
            connection.close()
            heartbeat.stop()
            processes.info("worker %s stopped", worker_id)

    def _must_retry(self, **options: Any) -> bool:
        """Run tasks until a signal arrives. Return True if that failed because the database was unavailable or busy."""
        try:
            requeue_own_tasks(worker_id=options["worker_id"])
            with database.worker_changes_counted(), messages_stored():
                super().handle(**options)
        except (InterfaceError, OperationalError):
            log.exception("the database is not available; retrying in %s s", RETRY_SECONDS)
            connection.close()
            return True
        return False


def _exit(signum: int, frame: FrameType | None) -> None:
    raise SystemExit(0)


def _end_with_stdin() -> None:
    # Not through sys.stdin: a thread that blocks there holds its lock, which crashes Python at exit.
    while os.read(STDIN, 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
