"""Real servers: each a process of its own with Daphne, on the database of the tests, to be ended by any means."""
from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryFile
from threading import Timer
from urllib.parse import quote

from django.conf import settings
from django.db import connection

from chatproject.testing.isolation import GENEROUS
from tests.tables.concurrency.fork_server import fork_server

SECONDS = 150.0


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


class ProjectProcess:
    """A forked process that runs `arguments` of `serve.run` with these variables in its environment.

    It ends when it is killed, or with the process that started it.
    """

    def __init__(self, *arguments: str, **variables: str) -> None:
        self._forks = fork_server(tuple(sorted(of_these_tests(**variables).items())))
        self._stderr = TemporaryFile()  # noqa: SIM115 (closed when the process is killed)
        its_stdin, self._stdin = os.pipe()
        stdout, its_stdout = os.pipe()
        self._stdout = open(stdout, encoding="utf-8")  # noqa: PTH123, SIM115 (closed when the process is killed)
        self.pid = self._forks.fork(*arguments, streams=(its_stdin, its_stdout, self._stderr.fileno()))
        os.close(its_stdin)
        os.close(its_stdout)

    def lives(self) -> bool:
        return self._forks.lives(self.pid)

    def kill(self) -> None:
        """kill −9: it gets no chance to tidy up."""
        self._forks.kill(self.pid)
        if not self._stdout.closed:
            os.close(self._stdin)
            self._stdout.close()
            self._stderr.close()


class WorkerProcess(ProjectProcess):
    """A worker that looks for work at once, and goes on doing so; it ends with whoever started it."""

    def __init__(self) -> None:
        super().__init__("worker", "--no-reload", "--no-startup-delay", "--interval", "0.05", "--until-stdin-ends")


class ServerProcess(ProjectProcess):
    """A server that starts, with these variables in its environment; `wait` returns when it listens at `address`."""

    def __init__(self, server: str = "daphne", **variables: str) -> None:
        super().__init__(server, **variables)
        self.address = ""

    def worked(self) -> float:
        """Return for how many seconds its threads have used a processor, to the hundredth."""
        # https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def wait(self) -> ServerProcess:
        """Returns when it listens."""
        deadline = Timer(SECONDS, self._forks.kill, [self.pid])
        deadline.start()
        self.address = self.address or self._stdout.readline().strip()
        deadline.cancel()
        assert self.address, f"the server did not start: {self._last_words()}"
        return self

    def _last_words(self) -> str:
        self._stderr.seek(0)
        return self._stderr.read()[-2_000:].decode(errors="replace") or "it said nothing"
