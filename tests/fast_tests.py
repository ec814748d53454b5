"""Which tests `manage.py test --fast` leaves out: those that start processes or servers, commit, or compute long."""

from __future__ import annotations

import sys
from typing import Any

import pytest

# Fixtures with which a test commits to the database or talks to a real server.
SLOW_FIXTURES = {
    "transactional_db",
    "django_db_reset_sequences",
    "django_db_serialized_rollback",
    "live_server_url",
    "daphne_server",
}


def is_slow(item: pytest.Item) -> bool:
    """Return whether the test is marked as slow, commits to the database, or uses a server."""
    if item.get_closest_marker("slow"):
        return True
    database = item.get_closest_marker("django_db")
    commits = database is not None and bool(database.kwargs.get("transaction"))
    return commits or bool(SLOW_FIXTURES & set(getattr(item, "fixturenames", ())))


def refuse_processes() -> None:
    """From now on, raise an error in a test that starts a process, so that its author marks it as slow."""

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "subprocess.Popen":
            raise RuntimeError(f"a fast test started {arguments[0]}; mark it with @pytest.mark.slow")

    sys.addaudithook(refuse)
