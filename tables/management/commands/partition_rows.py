"""`manage.py partition_rows`: move rows, change pieces and staged rows of an earlier release to partitions."""
from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from tables.services import update_cell_indexes
from tables.services.partitions import move_rows


class Command(BaseCommand):
    """Move the rows while servers and workers run. Can be interrupted and run again."""

    help = "Partition the rows by table on PostgreSQL, while servers run. An interrupted run can be repeated."

    def handle(self, *args: Any, **options: Any) -> None:
        """Print progress, and create the indexes of large tables in the partitions."""
        if connection.vendor != "postgresql":
            self.stdout.write("Only PostgreSQL has partitions.")
            return
        for progress in move_rows():
            if progress.step == "copy":
                self.stdout.write(f"{progress.relation}: copied {progress.rows:,} of about {progress.of:,} rows")
            elif progress.step == "repeat":
                self.stdout.write(f"{progress.relation}: copied {progress.rows:,} changed rows again")
            elif progress.step == "wait":
                self.stdout.write("Waiting for a transaction that uses the rows, such as an import or export …")
            elif progress.step == "busy":
                raise CommandError("Another process is moving the rows.")
            self.stdout.flush()
        self.stdout.write("All rows are partitioned. Updating the indexes of large tables …")
        update_cell_indexes()
        self.stdout.write("Done.")
