"""Run management commands of a running app in one process: starting Django for each would slow the tests down."""
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
# Until a process that does not end fails the test. Nothing is measured with it.
TIMEOUT = 180.0  # seconds


class Commands:
    """Run commands in the environment of the app. The process is started by the first command."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._process: subprocess.Popen[str] | None = None

    def run(self, *arguments: str) -> str:
        """Run a management command and return its output. If the command fails, fail the test with its traceback."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", MODULE],
                cwd=ROOT, env=self._environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            )  # fmt: skip
        requests, results = self._process.stdin, self._process.stdout
        assert requests is not None
        assert results is not None
        print(json.dumps(arguments), file=requests, flush=True)
        result = json.loads(results.readline())
        assert not result["error"], result["error"]
        return str(result["output"])

    def end(self) -> None:
        """End the process, if it was started."""
        if self._process is not None:
            self._process.communicate(timeout=TIMEOUT)


def _serve() -> None:
    """Read the arguments of a command from each line; write its output and its traceback as one line of JSON."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "chatproject.settings")
    import django
    from django.core.management import call_command
    from django.db import connections

    django.setup()
    for line in sys.stdin:
        output, error = io.StringIO(), ""
        with redirect_stdout(output):
            try:
                call_command(*json.loads(line))
            except BaseException:
                error = traceback.format_exc()
            finally:
                connections.close_all()
        print(json.dumps({"output": output.getvalue(), "error": error}), flush=True)


if __name__ == "__main__":
    _serve()
