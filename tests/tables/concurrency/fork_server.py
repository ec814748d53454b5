"""Fork server and worker processes from one process per environment that has imported the project.

Importing the project takes two seconds of processor time, and a test run starts dozens of these processes.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from threading import Lock

ROOT = Path(__file__).resolve().parents[3]
MESSAGE_SIZE = 4_096
STANDARD_STREAMS = 3


class ForkServer:
    """A process that forks others, with this environment and without threads or database connections.

    It ends with the test process, and so do the processes that read their standard input to its end.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._control, theirs = socket.socketpair()
        self._lock = Lock()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.tables.concurrency.fork_server", str(theirs.fileno())],
                cwd=ROOT, env=dict(environment), stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()],
            )  # fmt: skip

    def fork(self, *arguments: str, streams: tuple[int, int, int]) -> int:
        """Return the id of a new process that runs `arguments` with these standard streams."""
        return self._ask({"fork": arguments}, streams)

    def is_alive(self, pid: int) -> bool:
        return bool(self._ask({"lives": pid}))

    def kill(self, pid: int) -> None:
        """Send SIGKILL and wait until the process has ended."""
        self._ask({"kill": pid})

    def _ask(self, request: Mapping[str, object], streams: tuple[int, ...] = ()) -> int:
        with self._lock:
            socket.send_fds(self._control, [json.dumps(request).encode()], streams)
            answer = self._control.recv(MESSAGE_SIZE)
        assert answer, "the process that forks servers has ended"
        return int(answer)


@cache
def fork_server(environment: tuple[tuple[str, str], ...]) -> ForkServer:
    """Return the fork server for this environment; it is started at the first call."""
    return ForkServer(dict(environment))


def answer_requests(control: socket.socket) -> list[str] | None:
    """Fork as requested until the test process ends; return the arguments in a forked process."""
    ended: set[int] = set()
    while True:
        message, streams, _, _ = socket.recv_fds(control, MESSAGE_SIZE, STANDARD_STREAMS)
        if not message:
            return None
        request = json.loads(message)
        if "fork" in request:
            answer = os.fork()
            if answer == 0:
                control.close()
                for number, stream in enumerate(streams):
                    os.dup2(stream, number)
                    os.close(stream)
                return list(request["fork"])
            for stream in streams:
                os.close(stream)
        else:
            answer = int(_is_alive(request, ended))
        control.sendall(str(answer).encode())


def _is_alive(request: Mapping[str, int], ended: set[int]) -> bool:
    """Kill the process if requested and return whether it is alive. Its id is not reused before."""
    pid = request.get("kill") or request["lives"]
    if pid not in ended:
        if "kill" in request:
            os.kill(pid, 9)
        if os.waitpid(pid, 0 if "kill" in request else os.WNOHANG)[0]:
            ended.add(pid)
    return pid not in ended


if __name__ == "__main__":
    import chatproject.server.application

    if "ANTHROPIC_BASE_URL" in os.environ:
        # As in production, the SDK is imported before a server listens. Tests without a provider do not need it.
        import chatproject.asgi  # noqa: F401
    from tests.tables.concurrency import serve

    if command := answer_requests(socket.socket(fileno=int(sys.argv[1]))):
        serve.run(*command)
