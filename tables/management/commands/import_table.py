"""`manage.py import_table USER FILE`: makes a table of a file, or adds its rows to one, as that person would."""
from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from tables import selectors, services
from tables.exceptions import TablesError
from tables.selectors import Import

Json = dict[str, Any]
PIECE = 256 * 1024
SHOWN = 20
DAYS = {"day-first": "dmy", "month-first": "mdy"}


class Command(BaseCommand):
    """Reads the file here and now, without a worker; what cannot be read stops it, unless something else is said."""

    help = "Imports a CSV, TSV, Excel or JSON file into a new table or, with --table, into one that is there."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username", help="whose table it is, or who may edit it")
        parser.add_argument("file")
        parser.add_argument("--table", type=int, help="the number in the address of its page")
        parser.add_argument("--name", help="what a new table is called; else as the file is")
        parser.add_argument("--merge-on", action="append", default=[], metavar="COLUMN",
                            help="change rows that hold the same here; may be said more than once")  # fmt: skip
        parser.add_argument("--dates", choices=tuple(DAYS), help="how dates like 03/04/2024 are meant")
        parser.add_argument("--refused", choices=("stop", "empty", "skip"), default="stop",
                            help="if cells cannot be read: write nothing, leave them empty or skip rows")  # fmt: skip

    def handle(self, *args: Any, **options: Any) -> None:
        """Says what was written, or which cells stand in the way."""
        user = User.objects.filter(username=options["username"], is_active=True).first()
        if user is None:
            raise CommandError(f"There is no active user named {options['username']!r}.")
        path = Path(options["file"])
        try:
            imported = services.receive_file(
                user=user, name=path.name, chunks=_chunks(path), table_id=options["table"]
            )
        except OSError as error:
            raise CommandError(f"{error.strerror}: {error.filename or path}") from None
        except TablesError as error:
            raise CommandError(error.detail) from None
        try:
            self._run(user, imported=imported, options=options)
        finally:
            services.cancel_import(user=user, import_id=imported.pk)

    def _run(self, user: User, *, imported: Import, options: Json) -> None:
        try:
            services.change_import(user=user, import_id=imported.pk, raw=_decided(imported, options=options))
            begun = services.begin_import(user=user, import_id=imported.pk)
        except TablesError as error:
            told = "\n".join(dict.fromkeys(fault.detail for fault in error.faults))
            raise CommandError(told or error.detail) from None
        assert begun.run is not None
        services.run_import(import_id=begun.pk, run=begun.run)
        ended = selectors.get_import(user, imported.pk)
        if ended.state != Import.State.DONE:
            self._tell_refused(ended)
            raise CommandError((ended.error or {}).get("detail", "Nothing was written."))
        counts = ended.counts
        self.stdout.write(f"Table {ended.table_id}: {counts['added']:,} rows added, {counts['updated']:,} changed.")
        self._tell_refused(ended)

    def _tell_refused(self, imported: Import) -> None:
        for row, column, _code, detail, _value in selectors.refused_cells(imported, offset=0, limit=SHOWN):
            self.stderr.write(f"{row}, {column or 'the row'}: {detail}")
        more = imported.counts.get("refused_cells", 0) - SHOWN
        if more > 0:
            self.stderr.write(f"… and {more:,} more.")


def _decided(imported: Import, *, options: Json) -> Json:
    decided: Json = {"on_refused": options["refused"]}
    if options["name"]:
        decided["table_name"] = options["name"]
    if options["merge_on"]:
        decided["merge_on"] = options["merge_on"]
    if options["dates"]:
        form = DAYS[options["dates"]]
        asked = [column["index"] for column in imported.choices["columns"] if column["type"] == "date"]
        decided["columns"] = [{"index": index, "form": form} for index in asked]
    return decided


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(PIECE):
            yield chunk
