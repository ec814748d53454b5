"""Real servers: each a process of its own with Daphne, on the database of the tests, to be ended by any means."""
from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryFile
from threading import Timer
from urllib.parse import quote

from django.conf import settings
from django.db import connection

from chatproject.testing.isolation import GENEROUS

ROOT = Path(__file__).resolve().parents[3]
SECONDS = 150.0
COMMAND = ("-m", "tests.tables.concurrency.serve")


def database_url() -> str:
    """The database of the tests, as DATABASE_URL takes it."""
    said = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{said['NAME']}"
    port = f":{said['PORT']}" if said["PORT"] else ""
    password = f":{quote(said['PASSWORD'], safe='')}" if said["PASSWORD"] else ""
    return f"postgres://{said['USER']}{password}@{quote(said['HOST'], safe='')}{port}/{said['NAME']}"


def of_these_tests(**variables: str) -> dict[str, str]:
    """The environment of a process that works on the database of the tests."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    own = {
        **GENEROUS,
        "DATABASE_URL": database_url(),
        "DATA_DIR": str(settings.DATA_DIR),
        "SECRET_KEY": settings.SECRET_KEY,
        "API_CALLS_A_MINUTE": "1000000",
    }
    return {**kept, **own, **variables, "DJANGO_SETTINGS_MODULE": "chatproject.settings"}


class WorkerProcess:
    """A worker that looks for work at once, and goes on doing so; it ends with whoever started it."""

    def __init__(self) -> None:
        command = [sys.executable, "manage.py", "db_worker", "--no-reload", "--no-startup-delay", "--interval", "0.05"]
        self._process = subprocess.Popen(
            [*command, "--until-stdin-ends"], cwd=ROOT, env=of_these_tests(), stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def lives(self) -> bool:
        return self._process.poll() is None

    def kill(self) -> None:
        """kill −9: it gets no chance to tidy up."""
        self._process.kill()
        self._process.communicate(timeout=SECONDS)


class ServerProcess:
    """A server that starts, with these variables in its environment; `wait` returns when it listens at `address`."""

    def __init__(self, server: str = "daphne", **variables: str) -> None:
        self._said = TemporaryFile()  # noqa: SIM115 (closed when the server is killed)
        self._process = subprocess.Popen(
            [sys.executable, *COMMAND, server],
            cwd=ROOT,
            env=of_these_tests(**variables),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            text=True,
        )
        self.address = ""

    @property
    def pid(self) -> int:
        return self._process.pid

    def wait(self) -> ServerProcess:
        """Returns when it listens."""
        assert self._process.stdout is not None
        deadline = Timer(SECONDS, self._process.kill)
        deadline.start()
        self.address = self.address or self._process.stdout.readline().strip()
        deadline.cancel()
        assert self.address, f"the server did not start: {self._last_words()}"
        return self

    def _last_words(self) -> str:
        self._said.seek(0)
        return self._said.read()[-2_000:].decode(errors="replace") or "it said nothing"

    def kill(self) -> None:
        """kill −9: it gets no chance to tidy up."""
        self._process.kill()
        self._process.communicate(timeout=SECONDS)
        self._said.close()
