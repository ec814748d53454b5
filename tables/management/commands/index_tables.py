"""`manage.py index_tables`: gives large tables the indexes their readers use (PostgreSQL); to be run now and then."""
from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from tables.services import update_cell_indexes


class Command(BaseCommand):
    """Says what was made and dropped."""

    help = "Makes indexes for columns of large tables that are sorted or filtered on, and drops the least used."

    def handle(self, *args: Any, **options: Any) -> None:
        """Makes one index at a time, without blocking writers."""
        report = update_cell_indexes()
        for name in report.dropped:
            self.stdout.write(f"dropped {name}")
        for name in report.created:
            self.stdout.write(f"made {name}")
        self.stdout.write(f"{len(report.created) + len(report.unchanged)} indexes on cells")
