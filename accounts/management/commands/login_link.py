"""`manage.py login_link USER`: print a one-time sign-in link."""
from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from accounts.sign_in.login_links import login_link, server_origin


class Command(BaseCommand):
    help = "Print a one-time sign-in link for a user, valid for 15 minutes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username", help="user to sign in")
        parser.add_argument("--origin", help="server origin (default: CSRF_TRUSTED_ORIGINS or the running server)")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["username"], is_active=True).first()
        if user is None:
            raise CommandError(f"There is no active user named {options['username']!r}.")
        self.stdout.write(login_link(user, origin=options["origin"] or server_origin()))
