"""A worker for tests: does everything that waits, then ends."""
from __future__ import annotations

import signal

from django.core.management import call_command

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT)


def work(**options: str) -> None:
    """What `manage.py db_worker --batch` does with these options; it answers signals, pytest wants them back."""
    kept = {each: signal.getsignal(each) for each in SIGNALS}
    try:
        call_command("db_worker", batch=True, startup_delay=False, reload=False, **options)
    finally:
        for each, answer in kept.items():
            signal.signal(each, answer)
