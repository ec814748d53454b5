"""`manage.py export_table ID FILE`: write a table, filtered and sorted, as CSV, Excel or JSON."""
from __future__ import annotations

import sys
from argparse import ArgumentParser
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from shared import strictjson
from tables import selectors
from tables.column_types import TableShape
from tables.exceptions import TablesError
from tables.interchange.exporting import FORMATS, View, write_export
from tables.operations.queries.filters import parse_filter
from tables.operations.queries.sorts import parse_columns, parse_sort

STANDARD_OUTPUT = "-"


class Command(BaseCommand):
    """Export any table, for operators. Relative days like today are in UTC."""

    help = "Export a table as CSV, Excel or JSON."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("table", type=int, help="ID of the table, the number in its URL")
        parser.add_argument("file", help="file to write, or - for standard output")
        parser.add_argument("--format", choices=tuple(FORMATS), help="format (default: by file extension)")
        parser.add_argument("--filter", default="", help="filter as JSON, as in the API")
        parser.add_argument("--sort", default="", help="columns to sort by, for example --sort=-Due,Company")
        parser.add_argument("--search", default="", help="words that rows must contain")
        parser.add_argument("--columns", default="", help="column names, separated by commas (default: all)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the complete file or nothing."""
        to, table = options["file"], options["table"]
        ending = options["format"] or Path(to).suffix.removeprefix(".").lower()
        if ending not in FORMATS:
            raise CommandError(f"Unknown format. Use --format with one of: {', '.join(FORMATS)}.")

        def view(shape: TableShape) -> View:
            raw = strictjson.loads(options["filter"]) if options["filter"] else None
            return View(
                filter=parse_filter(raw, shape=shape, today=timezone.now().date()),
                sort=parse_sort(options["sort"], shape=shape),
                search=options["search"],
                columns=parse_columns(options["columns"], shape=shape),
            )

        folder = Path(to).parent if to != STANDARD_OUTPUT else None
        try:
            # Workbooks cannot be streamed: writing them needs a seekable file.
            with NamedTemporaryFile(dir=folder, prefix=".export-", delete=False) as file:
                try:
                    write_export(file, find=lambda: selectors.get_any_table(table), view=view, ending=ending)
                    self._deliver(file, to=to)
                finally:
                    Path(file.name).unlink(missing_ok=True)
        except (TablesError, strictjson.StrictJsonError) as error:
            raise CommandError(str(error)) from None
        except OSError as error:
            raise CommandError(f"{error.strerror}: {error.filename or to}") from None

    def _deliver(self, file: Any, *, to: str) -> None:
        file.flush()
        if to != STANDARD_OUTPUT:
            Path(file.name).replace(to)
            return
        file.seek(0)
        while chunk := file.read(64 * 1024):
            sys.stdout.buffer.write(chunk)
        sys.stdout.buffer.flush()
