"""`manage.py index_tables`: gives large tables the indexes their readers use (PostgreSQL); to be run now and then."""
from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from tables.services import keep_indexes


class Command(BaseCommand):
    """Says what was made and dropped."""

    help = "Makes indexes for columns of large tables that are sorted or filtered on, and drops the least used."

    def handle(self, *args: Any, **options: Any) -> None:
        """Makes one index at a time, without blocking writers."""
        report = keep_indexes()
        for name in report.dropped:
            self.stdout.write(f"dropped {name}")
        for name in report.made:
            self.stdout.write(f"made {name}")
        self.stdout.write(f"{len(report.made) + len(report.kept)} indexes on cells")
