"""Server and worker processes on the database of the tests, which can be killed."""
from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryFile
from threading import Timer
from urllib.parse import quote

from django.conf import settings
from django.db import connection

from chatproject.testing.isolation import LONG_TIME_LIMITS
from tests.tables.concurrency.fork_server import fork_server

SECONDS = 150.0


def database_url() -> str:
    """Return the URL of the test database for DATABASE_URL."""
    database = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{database['NAME']}"
    port = f":{database['PORT']}" if database["PORT"] else ""
    password = f":{quote(database['PASSWORD'], safe='')}" if database["PASSWORD"] else ""
    return f"postgres://{database['USER']}{password}@{quote(database['HOST'], safe='')}{port}/{database['NAME']}"


def process_environment(**variables: str) -> dict[str, str]:
    """Return the environment of a process that uses the database of the tests."""
    inherited = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    own = {
        **LONG_TIME_LIMITS,
        "DATABASE_URL": database_url(),
        "DATA_DIR": str(settings.DATA_DIR),
        "SECRET_KEY": settings.SECRET_KEY,
        "API_CALLS_A_MINUTE": "1000000",
    }
    return {**inherited, **own, **variables, "DJANGO_SETTINGS_MODULE": "chatproject.settings"}


class ProjectProcess:
    """A forked process that runs `arguments` of `serve.run` with these variables in its environment.

    It ends when it is killed, or with the process that started it.
    """

    def __init__(self, *arguments: str, **variables: str) -> None:
        self._forks = fork_server(tuple(sorted(process_environment(**variables).items())))
        self._stderr = TemporaryFile()  # noqa: SIM115 (closed when the process is killed)
        its_stdin, self._stdin = os.pipe()
        stdout, its_stdout = os.pipe()
        self._stdout = open(stdout, encoding="utf-8")  # noqa: PTH123, SIM115 (closed when the process is killed)
        self.pid = self._forks.fork(*arguments, streams=(its_stdin, its_stdout, self._stderr.fileno()))
        os.close(its_stdin)
        os.close(its_stdout)

    def is_alive(self) -> bool:
        return self._forks.is_alive(self.pid)

    def kill(self) -> None:
        """Send SIGKILL."""
        self._forks.kill(self.pid)
        if not self._stdout.closed:
            os.close(self._stdin)
            self._stdout.close()
            self._stderr.close()


class WorkerProcess(ProjectProcess):
    """A worker that polls for tasks immediately and ends with the process that started it."""

    def __init__(self) -> None:
        super().__init__("worker", "--no-reload", "--no-startup-delay", "--interval", "0.05", "--until-stdin-ends")


class ServerProcess(ProjectProcess):
    """A server with these variables in its environment; `wait` returns when it listens at `address`."""

    def __init__(self, server: str = "daphne", **variables: str) -> None:
        super().__init__(server, **variables)
        self.address = ""

    def cpu_seconds(self) -> float:
        """Return the processor time of its threads in seconds, in steps of a hundredth."""
        # https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def wait(self) -> ServerProcess:
        """Return when the server listens."""
        deadline = Timer(SECONDS, self._forks.kill, [self.pid])
        deadline.start()
        self.address = self.address or self._stdout.readline().strip()
        deadline.cancel()
        assert self.address, f"the server did not start: {self._last_output()}"
        return self

    def _last_output(self) -> str:
        self._stderr.seek(0)
        return self._stderr.read()[-2_000:].decode(errors="replace") or "no output"
