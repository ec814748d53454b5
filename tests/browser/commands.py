"""Management commands of a running app, in one process that stays: starting Django for each would be most of a test."""
from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import traceback
from collections.abc import Mapping
from contextlib import redirect_stdout
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODULE = "tests.browser.commands"
# When a process that does not end is given up; nothing is measured with it.
SECONDS = 180.0


class Commands:
    """Runs commands in the environment of the app. The process begins with the first of them."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._process: subprocess.Popen[str] | None = None

    def run(self, *arguments: str) -> str:
        """What a management command prints. One that fails fails the test, with its traceback."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", MODULE],
                cwd=ROOT, env=self._environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            )  # fmt: skip
        asking, answering = self._process.stdin, self._process.stdout
        assert asking is not None
        assert answering is not None
        print(json.dumps(arguments), file=asking, flush=True)
        answer = json.loads(answering.readline())
        assert not answer["failed"], answer["failed"]
        return str(answer["said"])

    def end(self) -> None:
        """End the process, if it ever began."""
        if self._process is not None:
            self._process.communicate(timeout=SECONDS)


def _obey() -> None:
    """A line in: the arguments of a command; a line out: what it said, and how it failed."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "chatproject.settings")
    import django
    from django.core.management import call_command
    from django.db import connections

    django.setup()
    for line in sys.stdin:
        said, failed = io.StringIO(), ""
        with redirect_stdout(said):
            try:
                call_command(*json.loads(line))
            except BaseException:
                failed = traceback.format_exc()
            finally:
                connections.close_all()
        print(json.dumps({"said": said.getvalue(), "failed": failed}), flush=True)


if __name__ == "__main__":
    _obey()
