"""`manage.py api_token USER --scope write`: create an API token and print it."""
from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from accounts.exceptions import AccountsError
from accounts.tokens import DEFAULT_DAYS, SCOPES, create_token


class Command(BaseCommand):
    help = "Create an API token for a user and print it. It is not shown again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username", help="user that the token belongs to")
        parser.add_argument("--scope", choices=SCOPES, default="read", help="permissions (default: read)")
        days_help = f"validity in days (default: {DEFAULT_DAYS})"
        parser.add_argument("--days", type=int, default=DEFAULT_DAYS, help=days_help)
        parser.add_argument("--name", default="Created by manage.py", help="name shown in the user's list of tokens")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["username"], is_active=True).first()
        if user is None:
            raise CommandError(f"There is no active user named {options['username']!r}.")
        try:
            _, secret = create_token(
                user=user, name=options["name"], scope=options["scope"], days=options["days"], now=timezone.now()
            )
        except AccountsError as error:
            raise CommandError(f"{error.path}: {error.detail}" if error.path else error.detail) from None
        self.stdout.write(secret)
