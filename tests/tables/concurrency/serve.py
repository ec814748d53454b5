"""Run Daphne, uvicorn or a worker until it is killed or its parent process has ended."""

from __future__ import annotations

import sys


def run(kind: str, *arguments: str) -> None:
    """Run a server and print its address, or with "worker" run `manage.py db_worker` with `arguments`."""
    if kind == "worker":
        from django.core.management import execute_from_command_line

        execute_from_command_line(["manage.py", "db_worker", *arguments])
        return
    if kind == "uvicorn":
        from tests import uvicorn_server

        address = uvicorn_server.start()
    else:
        from chatproject.testing.daphne_thread import DaphneThread

        address = DaphneThread().start()
    print(address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    # As in production, the Anthropic SDK, which takes a second to import, is loaded before the server listens.
    import chatproject.asgi  # noqa: F401

    run(*sys.argv[1:])
