"""`manage.py index_tables`: update the indexes on cells of large tables (PostgreSQL). Run it regularly."""
from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from tables.services import update_cell_indexes


class Command(BaseCommand):
    """Create and drop indexes, and list them."""

    help = "Makes indexes for columns of large tables that are sorted or filtered on, and drops the least used."

    def handle(self, *args: Any, **options: Any) -> None:
        """Create one index at a time, without blocking writers."""
        report = update_cell_indexes()
        for name in report.dropped:
            self.stdout.write(f"dropped {name}")
        for name in report.created:
            self.stdout.write(f"made {name}")
        self.stdout.write(f"{len(report.created) + len(report.unchanged)} indexes on cells")
