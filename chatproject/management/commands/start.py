"""`manage.py start`: sets everything up and serves until Ctrl+C."""

from __future__ import annotations

import errno
import os
import signal
import socket
import threading
import time
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from accounts.sign_in.login_links import delete_server_origin, login_link, save_server_origin
from chat.provider.configured import is_demo
from chat.scripted_model.faults import ScriptError
from chat.scripted_model.script import load_script
from chatproject.startup import installation, ollama
from chatproject.startup.worker_process import WorkerProcess

MAX_PORTS = 50  # the requested port and those after it
LAST_PORT = 65_535
MAX_SHUTDOWN_SECONDS = 20.0
# Short, because the user waits in the terminal.
DRAIN_SECONDS = 3.0
ALL_INTERFACES = {"0.0.0.0", "::"}
LOOPBACK = {"127.0.0.1", "localhost", "::1"}


class Command(BaseCommand):
    help = "Set up the database, demo tables and static files, then start the server. Press Ctrl+C to stop it."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
        parser.add_argument("--port", type=int, default=8000, help="first port to try (default: 8000)")
        parser.add_argument("--model", metavar="FILE", help="answer with the replies in a script, for development")
        parser.add_argument("--big", action="store_true", help="also create a demo table with 100,000 rows")

    def handle(self, *args: Any, host: str, port: int, big: bool, model: str | None, **options: Any) -> None:
        self.check()
        if model:
            use_script(model)
        try:
            installation.migrate(print_line=self.print_line)
            owner = installation.seed(big=big, print_line=self.print_line)
            installation.collect_static(print_line=self.print_line)
            free = free_port(host=host, first=port)
            if free != port:
                self.print_line(f"Port {port} is in use. Using {free}.")
            worker = WorkerProcess()
            try:
                worker.start()
                self.serve(host=host, port=free, owner=owner)
            finally:
                limit_shutdown()
                worker.stop()
        except KeyboardInterrupt:
            limit_shutdown()
        self.print_line("\nStopped.")

    def print_line(self, text: str) -> None:
        """Write a line immediately, also if the output is a file."""
        self.stdout.write(text)
        self.stdout.flush()

    def serve(self, *, host: str, port: int, owner: User) -> None:
        from daphne.endpoints import build_endpoint_description_strings

        from chatproject.asgi import application
        from chatproject.server.daphne import GracefulServer

        public_host = "127.0.0.1" if host in ALL_INTERFACES else host
        origin = f"http://[{public_host}]:{port}" if ":" in public_host else f"http://{public_host}:{port}"
        model_hint = ollama.hint() if is_demo() else ""

        def ready() -> None:
            save_server_origin(origin)
            self.print_line(f"\n{settings.SITE_NAME} is running at {origin}/")
            self.print_line(f"Sign in as {owner.get_username()} (one-time link, valid for 15 minutes):")
            self.print_line(f"  {login_link(owner, origin=origin)}")
            if settings.CHAT_SCRIPT:
                self.print_line(f"The assistant answers with the replies in {settings.CHAT_SCRIPT}.")
            elif is_demo():
                self.print_line("The assistant uses the built-in demo model. Set ANTHROPIC_API_KEY to use Claude.")
                if model_hint:
                    self.print_line(model_hint)
            if host not in LOOPBACK and settings.LOCAL_INSTALL:
                hint = "Set ALLOWED_HOSTS and SECRET_KEY to allow others."
                self.print_line(f"Only requests to localhost are accepted. {hint}")
            self.print_line("Press Ctrl+C to stop.")

        server = GracefulServer(
            drain_seconds=min(DRAIN_SECONDS, settings.DRAIN_SECONDS),
            application=application,
            endpoints=build_endpoint_description_strings(host=host, port=port),
            ready_callable=ready,
            # A busy machine may need longer than the default of 5 s.
            websocket_handshake_timeout=20,
            verbosity=0,
        )
        try:
            server.run()
        finally:
            delete_server_origin(origin)
        if server.abort_start:
            raise CommandError(f"Cannot listen on {host}:{port}.")


def use_script(file: str) -> None:
    """Let a script answer in this process. Raises CommandError with all faults of the file."""
    try:
        load_script(file)
    except ScriptError as problem:
        raise CommandError(str(problem)) from None
    settings.CHAT_SCRIPT = file


def limit_shutdown() -> None:
    """Ignore further Ctrl+C, and exit after MAX_SHUTDOWN_SECONDS even if threads are still running.

    Tools of turns run in threads; their uncommitted writes are rolled back.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_exit_later, name="exit", daemon=True).start()


def _exit_later() -> None:
    time.sleep(MAX_SHUTDOWN_SECONDS)
    os._exit(0)


def free_port(*, host: str, first: int) -> int:
    """Return the first free port from `first` on. Raises CommandError if there is none or listening is refused."""
    if not 1 <= first <= LAST_PORT:
        raise CommandError(f"The port must be a number from 1 to {LAST_PORT}, not {first}.")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for port in range(first, min(first + MAX_PORTS, LAST_PORT + 1)):
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            # As the server does, so that a port in TIME_WAIT counts as free.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except OSError as problem:
                if problem.errno == errno.EADDRINUSE:
                    continue
                raise CommandError(f"Cannot listen on {host}:{port}: {problem.strerror}.") from None
            return port
    raise CommandError(f"Port {first} and the next {MAX_PORTS - 1} ports are in use.")
