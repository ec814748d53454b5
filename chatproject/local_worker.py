"""Keeps one worker process beside a server: begun with it, ended with it, begun again if it ends by itself."""
from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# A worker that is told to end finishes its task; what takes longer is taken up by the next one.
END_SECONDS = 8.0
AGAIN_SECONDS = 5.0


class WorkerBeside:
    """A `manage.py db_worker` of its own process, for as long as `begin` … `end`; it also ends if this process dies."""

    def __init__(self) -> None:
        self._over = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._keep, name="worker", daemon=True)

    def begin(self) -> None:
        """Starts it."""
        self._thread.start()

    def end(self) -> None:
        """Ends it: kindly, and after some seconds by force."""
        self._over.set()
        process = self._process
        if process is not None and process.poll() is None:
            process.terminate()
            try:
                process.wait(END_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
        self._thread.join(END_SECONDS)

    def _keep(self) -> None:
        command = [sys.executable, str(ROOT / "manage.py"), "db_worker", "--no-reload", "--until-stdin-ends"]
        while not self._over.is_set():
            # A session of its own: Ctrl+C in the terminal is for the server, which then ends its worker. The pipe is
            # never written to; it ends when this process ends, however that happens.
            self._process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, start_new_session=True)
            if self._over.is_set():
                self._process.terminate()
            self._process.wait()
            self._over.wait(AGAIN_SECONDS)
