"""The worker process of `manage.py start`: starts and ends with the server, and is restarted if it ends by itself."""
from __future__ import annotations

import os
import subprocess
import sys
import threading

# A worker finishes its task after SIGTERM. A task that takes longer is requeued by the next worker.
STOP_SECONDS = 8.0
RESTART_SECONDS = 5.0


class WorkerProcess:
    """A `db_worker` process of this project between `start` and `stop`. It also ends if this process dies."""

    def __init__(self) -> None:
        self._stopped = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._run, name="worker", daemon=True)

    def start(self) -> None:
        """Start the process."""
        self._thread.start()

    def stop(self) -> None:
        """Terminate the process, and kill it after some seconds."""
        self._stopped.set()
        process = self._process
        if process is not None and process.poll() is None:
            process.terminate()
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
        self._thread.join(STOP_SECONDS)

    def _run(self) -> None:
        # The settings module is in the environment. The folders of this process are added, because the settings and
        # applications may be in a folder that only the project's manage.py has added; -P leaves out the current one.
        command = [sys.executable, "-P", "-m", "django", "db_worker", "--no-reload", "--until-stdin-ends"]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))}
        while not self._stopped.is_set():
            # In a new session, so that Ctrl+C in the terminal reaches only the server. The pipe is closed when this
            # process ends for any reason; nothing is written to it.
            self._process = subprocess.Popen(
                command, env=environment, stdin=subprocess.PIPE, start_new_session=True
            )
            if self._stopped.is_set():
                self._process.terminate()
            self._process.wait()
            self._stopped.wait(RESTART_SECONDS)
