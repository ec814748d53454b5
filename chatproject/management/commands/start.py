"""`manage.py start`: brings everything up to date and serves until Ctrl+C."""

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

from accounts.login_links import login_link
from accounts.server_origin import forget_server_origin, save_server_origin
from chat.provider import is_demo
from chatproject import first_start, local_server
from chatproject.local_worker import WorkerBeside

TRIES = 50  # the wanted port and the ones after it
LAST_PORT = 65_535
MOST_SECONDS_TO_END = 20.0
# Somebody sits in front of it and waits: an answer that is nearly there comes to its end, no more.
DRAIN_SECONDS = 3.0
EVERYWHERE = {"0.0.0.0", "::"}
LOOPBACK = {"127.0.0.1", "localhost", "::1"}


class Command(BaseCommand):
    help = "Set up the database, demo tables and static files, then start the server. Press Ctrl+C to stop it."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
        parser.add_argument("--port", type=int, default=8000, help="first port to try (default: 8000)")
        parser.add_argument("--big", action="store_true", help="also create a demo table with 100,000 rows")

    def handle(self, *args: Any, host: str, port: int, big: bool, **options: Any) -> None:
        try:
            first_start.migrate(say=self.say)
            owner = first_start.seed(big=big, say=self.say)
            first_start.collect_static(say=self.say)
            free = free_port(host=host, first=port)
            if free != port:
                self.say(f"Port {port} is in use. Using {free}.")
            worker = WorkerBeside()
            try:
                worker.begin()
                self.serve(host=host, port=free, owner=owner)
            finally:
                end_in_peace()
                worker.end()
        except KeyboardInterrupt:
            end_in_peace()
        self.say("\nStopped.")

    def say(self, text: str) -> None:
        """One line, at once, also when the output goes to a file."""
        self.stdout.write(text)
        self.stdout.flush()

    def serve(self, *, host: str, port: int, owner: User) -> None:
        from daphne.endpoints import build_endpoint_description_strings

        from chatproject.asgi import application
        from chatproject.serving import LeavingServer

        shown = "127.0.0.1" if host in EVERYWHERE else host
        origin = f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"
        local = local_server.hint() if is_demo() else ""

        def ready() -> None:
            save_server_origin(origin)
            self.say(f"\nTable Chat is running at {origin}/")
            self.say(f"Sign in as {owner.get_username()} (one-time link, valid for 15 minutes):")
            self.say(f"  {login_link(owner, origin=origin)}")
            if is_demo():
                self.say("The assistant uses the built-in demo model. Set ANTHROPIC_API_KEY to use Claude.")
                if local:
                    self.say(local)
            if host not in LOOPBACK and settings.LOCAL_INSTALL:
                self.say("Only requests to localhost are accepted. Set ALLOWED_HOSTS and SECRET_KEY to allow others.")
            self.say("Press Ctrl+C to stop.")

        server = LeavingServer(
            drain_seconds=min(DRAIN_SECONDS, settings.DRAIN_SECONDS),
            application=application,
            endpoints=build_endpoint_description_strings(host=host, port=port),
            ready_callable=ready,
            # A busy machine may take longer than the 5 s that a socket is given otherwise.
            websocket_handshake_timeout=20,
            verbosity=0,
        )
        try:
            server.run()
        finally:
            forget_server_origin(origin)
        if server.abort_start:
            raise CommandError(f"Cannot listen on {host}:{port}.")


def end_in_peace() -> None:
    """Once it ends, Ctrl+C hurries nothing; and a tool that runs in a thread of its own holds nothing up for long: what
    it has not committed by then is as if it had never begun."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_anyway, name="end", daemon=True).start()


def _end_anyway() -> None:
    time.sleep(MOST_SECONDS_TO_END)
    os._exit(0)


def free_port(*, host: str, first: int) -> int:
    """The first free port from `first` on. Raises CommandError when there is none, or none may be had here."""
    if not 1 <= first <= LAST_PORT:
        raise CommandError(f"The port must be a number from 1 to {LAST_PORT}, not {first}.")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for port in range(first, min(first + TRIES, LAST_PORT + 1)):
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            # As the server does it: a port that only lingers after an earlier server is free.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except OSError as problem:
                if problem.errno == errno.EADDRINUSE:
                    continue
                raise CommandError(f"Cannot listen on {host}:{port}: {problem.strerror}.") from None
            return port
    raise CommandError(f"Port {first} and the next {TRIES - 1} ports are in use.")
