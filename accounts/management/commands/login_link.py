"""`manage.py login_link USER`: prints a one-time sign-in link."""
from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from accounts.login_links import login_link

HERE = "http://127.0.0.1:8000"


class Command(BaseCommand):
    help = "Prints a sign-in link for a user; it works once, for 15 minutes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--origin", help="where the server is reached; else as CSRF_TRUSTED_ORIGINS says")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["username"], is_active=True).first()
        if user is None:
            raise CommandError(f"There is no active user named {options['username']!r}.")
        trusted = (origin for origin in settings.CSRF_TRUSTED_ORIGINS if "*" not in origin)
        self.stdout.write(login_link(user, origin=options["origin"] or next(trusted, HERE)))
