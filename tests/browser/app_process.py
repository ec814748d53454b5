"""Run the app as users do: `manage.py start` in a separate process, with a temporary data folder."""
from __future__ import annotations

import itertools
import os
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from chatproject.testing.isolation import LONG_TIME_LIMITS
from tests.browser.commands import ROOT, Commands
from tests.browser.slow_app import SLOW_MS

# Until an app that does not end is killed. Nothing is measured with it.
TIMEOUT = 180.0  # seconds
LINK = re.compile(r"http://127\.0\.0\.1:\d+/sign-in/link/\S+")
NEW_USER = "from django.contrib.auth.models import User; User.objects.create_user({name!r})"


@dataclass(frozen=True)
class RunningApp:
    """A running app: its address, the link it printed, and its other commands."""

    address: str
    link: str
    commands: Commands
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def link_for_new_user(self, name: str | None = None) -> str:
        """Create a user without tables, with a unique name by default, and return a sign-in link."""
        name = name or f"user{next(self._numbers)}"
        self.manage("shell", "--no-imports", "-c", NEW_USER.format(name=name))
        return self.link_for(name)

    def link_for(self, name: str) -> str:
        """Return a new sign-in link for an existing user."""
        return self.manage("login_link", name, "--origin", self.address).strip()

    def manage(self, *arguments: str) -> str:
        """Run a management command and return its output."""
        return self.commands.run(*arguments)


@contextmanager
def started_app(prepare: Callable[[Path], None] | None = None, /, **variables: str) -> Iterator[RunningApp]:
    """Start the app with these environment variables, and end it with Ctrl+C, which must be clean.

    `prepare` may fill the empty data folder before the start.
    """
    with tempfile.TemporaryDirectory(prefix="tablechat-browser-") as folder:
        if prepare is not None:
            prepare(Path(folder))
        inherited = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "VIRTUAL_ENV") if name in os.environ}
        environment = {**inherited, **LONG_TIME_LIMITS, "DATA_DIR": folder, "PYTHONUNBUFFERED": "1", **variables}
        start = ["manage.py", "start"]
        if SLOW_MS in os.environ:
            start = ["-m", "tests.browser.slow_app"]
            environment.setdefault("DJANGO_SETTINGS_MODULE", "chatproject.settings")
            environment[SLOW_MS] = os.environ[SLOW_MS]
        process = subprocess.Popen(
            [sys.executable, *start, "--port", str(free_port())],
            cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        commands = Commands(environment)
        try:
            link = read_link(process)
            yield RunningApp(address=link.split("/sign-in/")[0], link=link, commands=commands)
        finally:
            commands.end()
            process.send_signal(2)
            try:
                rest, _ = process.communicate(timeout=TIMEOUT)
            finally:
                process.kill()
        assert process.returncode == 0, rest
        assert "Traceback" not in rest, rest


def free_port() -> int:
    """Return an unused port. If it is taken before the app starts, the app uses the next one and prints it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def read_link(process: subprocess.Popen[str]) -> str:
    """Wait for the sign-in link that the app prints, and return it."""
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line)
        if found := LINK.search(line):
            return found[0]
    raise AssertionError("the app ended before it printed a link:\n" + "".join(lines))
