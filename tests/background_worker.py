"""Run all waiting background tasks."""
from __future__ import annotations

import signal

from django.core.management import call_command

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT)


def work(**options: str) -> None:
    """Run `manage.py db_worker --batch` with these options, and restore the signal handlers of pytest."""
    handlers = {number: signal.getsignal(number) for number in SIGNALS}
    try:
        call_command("db_worker", batch=True, startup_delay=False, reload=False, **options)
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
