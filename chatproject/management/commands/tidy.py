"""`manage.py tidy`: lets go, now, of what has had its time; workers do so every hour."""
from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from chatproject.retention import NotAllTidied, tidy


class Command(BaseCommand):
    help = "Permanently delete expired data, such as trash, old changes, ended sessions and tokens."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            gone = tidy(now=timezone.now())
        except NotAllTidied as problem:
            raise CommandError(f"Could not delete: {problem}. See the log for details.") from None
        for name, count in gone.items():
            self.stdout.write(f"{name}: {count}")
        if not gone:
            self.stdout.write("Nothing to delete.")
