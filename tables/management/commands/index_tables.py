"""`manage.py index_tables`: update the indexes of large tables, as workers do every hour."""
from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from tables.services import update_cell_indexes


class Command(BaseCommand):
    """Create and drop indexes, and list them."""

    help = "Create indexes for large tables that users sort, filter or search; drop the least used."

    def handle(self, *args: Any, **options: Any) -> None:
        """Create one index at a time, on PostgreSQL without blocking writers."""
        report = update_cell_indexes()
        for name in report.dropped:
            self.stdout.write(f"Dropped {name}")
        for name in report.created:
            self.stdout.write(f"Created {name}")
        for name in report.postponed:
            self.stdout.write(f"Postponed {name}, because rows are being changed")
        self.stdout.write(f"Indexes: {len(report.created) + len(report.unchanged)}")
