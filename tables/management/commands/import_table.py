"""`manage.py import_table USER FILE`: makes a table of a file, or adds its rows to one, as that person would."""
from __future__ import annotations

from argparse import ArgumentParser, BooleanOptionalAction
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from tables import selectors, services
from tables.column_types import name_key
from tables.exceptions import TablesError
from tables.importing.choices import EMPTY_CELLS, EMPTY_ROWS
from tables.importing.encodings import ENCODINGS
from tables.selectors import Import

Json = dict[str, Any]
PIECE = 256 * 1024
SHOWN = 20
DAYS = {"day-first": "dmy", "month-first": "mdy"}
SIGNS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}
DECIMALS = {"point": ".", "comma": ","}
READING = ("encoding", "delimiter", "sheet", "header", "decimal")


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
        parser.add_argument("--decimal", choices=tuple(DECIMALS),
                            help="how numbers like 1.200 are meant; else as the others show, or a point")  # fmt: skip
        parser.add_argument("--type", action="append", default=[], metavar="COLUMN=TYPE",
                            help="what a new column holds, like Zip=text; may be said more than once")  # fmt: skip
        parser.add_argument("--into", action="append", default=[], metavar="COLUMN=COLUMN",
                            help="which column of --table one of the file goes into")  # fmt: skip
        parser.add_argument("--leave-out", action="append", default=[], metavar="COLUMN", help="a column of the file")
        parser.add_argument("--encoding", choices=tuple(ENCODINGS), metavar="ENCODING", help="like cp1252")
        parser.add_argument("--delimiter", choices=tuple(SIGNS), help="what stands between cells")
        parser.add_argument("--sheet", help="of a workbook; else the first that holds something")
        parser.add_argument("--header", action=BooleanOptionalAction, help="whether the first row holds names")
        parser.add_argument("--empty-cells", choices=EMPTY_CELLS, default="keep",
                            help="what empty cells do to rows that are changed")  # fmt: skip
        parser.add_argument("--empty-rows", choices=EMPTY_ROWS, default="skip", help="keep rows without any value")
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
            if reading := _reading(options):
                imported = services.change_import(user=user, import_id=imported.pk, raw=reading)
            imported = services.change_import(
                user=user, import_id=imported.pk, raw=_decided(imported, options=options)
            )
            if options["dates"]:
                services.change_import(user=user, import_id=imported.pk, raw=_dates(imported, options=options))
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
        for cell in selectors.refused_cells(imported, offset=0, limit=SHOWN):
            self.stderr.write(f"{cell.row}, {cell.column or 'the row'}: {cell.message}")
        more = imported.counts.get("refused_cells", 0) - SHOWN
        if more > 0:
            self.stderr.write(f"… and {more:,} more.")


def _decided(imported: Import, *, options: Json) -> Json:
    names = ("empty_cells", "empty_rows")
    decided: Json = {"on_refused": options["refused"], **{name: options[name] for name in names}}
    if options["name"]:
        decided["table_name"] = options["name"]
    if options["merge_on"]:
        decided["merge_on"] = options["merge_on"]
    columns: dict[int, Json] = {}
    for said, name in ((options["into"], "into"), (options["type"], "type")):
        for each in said:
            column, equals, wanted = each.rpartition("=")
            if not equals:
                raise CommandError(f"Say it like COLUMN={name.upper()}: {each!r}.")
            columns.setdefault(_place(imported, column), {})[name] = wanted
    for each in options["leave_out"]:
        columns.setdefault(_place(imported, each), {})["include"] = False
    return {**decided, "columns": [{"index": index, **column} for index, column in columns.items()]}


def _dates(imported: Import, *, options: Json) -> Json:
    """How the dates are written, once it is known which columns hold any."""
    dates = [column["index"] for column in imported.choices["columns"] if column["type"] == "date"]
    return {"columns": [{"index": index, "form": DAYS[options["dates"]]} for index in dates]}


def _reading(options: Json) -> Json:
    said = {name: options[name] for name in READING if options[name] is not None}
    signs = {"delimiter": SIGNS, "decimal": DECIMALS}
    return {name: signs[name][value] if name in signs else value for name, value in said.items()}


def _place(imported: Import, name: str) -> int:
    """Where in the file the column of this name is. Raises CommandError."""
    given = [column["given"] or column["name"] for column in imported.sniffed["columns"]]
    for place, each in enumerate(given):
        if name_key(each) == name_key(name):
            return place
    raise CommandError(f"The file has no column {name!r}. It has {', '.join(map(repr, given[:20]))}.")


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(PIECE):
            yield chunk
