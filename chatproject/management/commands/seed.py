"""`manage.py seed`: creates the administrator and the demo tables of a new installation, once."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from chatproject.startup import installation


class Command(BaseCommand):
    help = "Create an administrator and demo tables if the database has no users."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--big", action="store_true", help="also create a demo table with 100,000 rows")

    def handle(self, *args: Any, big: bool, **options: Any) -> None:
        installation.seed(big=big, print_line=self.stdout.write)
