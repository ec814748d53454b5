"""`manage.py serve`: one of several server processes behind a proxy, with a graceful shutdown on SIGTERM."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from chatproject.management.commands.start import limit_shutdown


class Command(BaseCommand):
    help = "Start one server process, for use behind a proxy. It runs no migrations. SIGTERM stops it gracefully."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
        parser.add_argument("--port", type=int, default=8000, help="port to listen on (default: 8000)")

    def handle(self, *args: Any, host: str, port: int, **options: Any) -> None:
        from daphne.endpoints import build_endpoint_description_strings

        from chatproject.asgi import application
        from chatproject.assets import uncollected
        from chatproject.server.daphne import GracefulServer

        if not settings.DEBUG and (missing := uncollected()):
            raise CommandError(
                f"Static files of this release are not collected, for example {missing[0]}. Run this, then try again:\n"
                "    python3 manage.py collectstatic --noinput"
            )
        server = GracefulServer(
            application=application,
            endpoints=build_endpoint_description_strings(host=host, port=port),
            # A busy machine may need longer than the default of 5 s.
            websocket_handshake_timeout=20,
            verbosity=0,
        )
        server.run()
        limit_shutdown()
        if server.abort_start:
            raise CommandError(f"Cannot listen on {host}:{port}.")
