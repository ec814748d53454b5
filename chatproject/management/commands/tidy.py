"""`manage.py tidy`: deletes what has expired, as workers do every hour."""
from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from chatproject.retention import DeletionFailed, delete_expired


class Command(BaseCommand):
    help = "Permanently delete expired data, such as trash, old changes, ended sessions and tokens."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            deleted = delete_expired(now=timezone.now())
        except DeletionFailed as problem:
            raise CommandError(f"Could not delete: {problem}. See the log for details.") from None
        for name, count in deleted.items():
            self.stdout.write(f"{name}: {count}")
        if not deleted:
            self.stdout.write("Nothing to delete.")
