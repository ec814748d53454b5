"""`manage.py api_token USER --scope write`: create an API token and print it."""
from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from accounts.exceptions import AccountsError
from accounts.tokens import SCOPES, USUAL_DAYS, make_token


class Command(BaseCommand):
    help = "Makes a token with which a program acts as a user, and prints it; it is not shown again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--scope", choices=SCOPES, default="read", help="read never changes anything")
        parser.add_argument("--days", type=int, default=USUAL_DAYS, help="for how long it is valid")
        parser.add_argument("--name", default="made by manage.py", help="what the person sees in the list")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["username"], is_active=True).first()
        if user is None:
            raise CommandError(f"There is no active user named {options['username']!r}.")
        try:
            _, secret = make_token(
                user=user, name=options["name"], scope=options["scope"], days=options["days"], now=timezone.now()
            )
        except AccountsError as error:
            raise CommandError(f"{error.path}: {error.detail}" if error.path else error.detail) from None
        self.stdout.write(secret)
