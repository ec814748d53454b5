"""Run waiting background tasks: the tasks alone, or `manage.py db_worker` with its maintenance."""
from __future__ import annotations

import signal

from django.core.management import call_command
from django_tasks_db.management.commands.db_worker import Worker

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT)


def work() -> None:
    """Run all waiting tasks, without the periodic tasks, which would double the time of most tests."""
    Worker(
        queue_names=["default"],
        excluded_queue_names=[],
        backend_name="default",
        worker_id="test",
        interval=0,
        batch=True,
        startup_delay=False,
        max_tasks=None,
    ).run()


def run_worker_command(**options: str) -> None:
    """Run `manage.py db_worker --batch` with these options, and restore the signal handlers of pytest."""
    handlers = {number: signal.getsignal(number) for number in SIGNALS}
    try:
        call_command("db_worker", batch=True, startup_delay=False, reload=False, **options)
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
