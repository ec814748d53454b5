"""`manage.py login_link USER`: prints a one-time sign-in link."""
from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from accounts.login_links import login_link


class Command(BaseCommand):
    help = "Prints a sign-in link for a user; it works once, for 15 minutes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--origin", default="http://127.0.0.1:8000", help="where the server is reached")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["username"], is_active=True).first()
        if user is None:
            raise CommandError(f"There is no active user named {options['username']!r}.")
        self.stdout.write(login_link(user, origin=options["origin"]))
