"""`manage.py import_table USER FILE`: import a file into a new or an existing table, as that user."""
from __future__ import annotations

from argparse import ArgumentParser, BooleanOptionalAction
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from tables import selectors, services
from tables.column_types import get_column_type, name_key
from tables.exceptions import TablesError
from tables.importing.choices import EMPTY_CELLS, EMPTY_ROWS
from tables.importing.file_formats.encodings import ENCODINGS
from tables.selectors import Import

Json = dict[str, Any]
CHUNK_SIZE = 256 * 1024
MAX_SHOWN_CELLS = 20
DATE_FORMS = {"day-first": "dmy", "month-first": "mdy"}
DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}
DECIMALS = {"point": ".", "comma": ","}
READING_OPTIONS = ("encoding", "delimiter", "sheet", "header", "decimal")


class Command(BaseCommand):
    """Import a file without a worker. Without an option for unreadable cells, these stop the import."""

    help = "Import a CSV, TSV, Excel or JSON file into a new table or, with --table, into an existing one."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username", help="owner of the new table, or editor of the existing one")
        parser.add_argument("file", help="file to import")
        parser.add_argument("--table", type=int, help="ID of the existing table, the number in its URL")
        parser.add_argument("--name", help="name of the new table (default: the file name)")
        parser.add_argument("--merge-on", action="append", default=[], metavar="COLUMN",
                            help="update rows with the same value in this column; can be repeated")  # fmt: skip
        parser.add_argument("--dates", choices=tuple(DATE_FORMS), help="order in dates such as 03/04/2024")
        parser.add_argument("--decimal", choices=tuple(DECIMALS),
                            help="decimal separator (default: detected, else a point)")  # fmt: skip
        parser.add_argument("--type", action="append", default=[], metavar="COLUMN=TYPE",
                            help="type of a new column, for example Zip=text; can be repeated")  # fmt: skip
        parser.add_argument("--into", action="append", default=[], metavar="COLUMN=COLUMN",
                            help="map a column of the file to a column of the table; can be repeated")  # fmt: skip
        parser.add_argument("--leave-out", action="append", default=[], metavar="COLUMN",
                            help="column of the file not to import; can be repeated")  # fmt: skip
        parser.add_argument("--encoding", choices=tuple(ENCODINGS), metavar="ENCODING",
                            help="encoding of the file, for example cp1252")  # fmt: skip
        parser.add_argument("--delimiter", choices=tuple(DELIMITERS), help="character between cells")
        parser.add_argument("--sheet", help="sheet of the workbook (default: the first with content)")
        parser.add_argument("--header", action=BooleanOptionalAction, help="whether the first row has the column names")
        parser.add_argument("--empty-cells", choices=EMPTY_CELLS, default="keep",
                            help="effect of empty cells on updated rows")  # fmt: skip
        parser.add_argument("--empty-rows", choices=EMPTY_ROWS, default="skip",
                            help="what to do with rows without values")  # fmt: skip
        parser.add_argument("--refused", choices=("stop", "empty", "skip"), default="stop",
                            help="on invalid cells: import nothing, leave them empty, or skip their rows")  # fmt: skip

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the number of written rows, and the cells that cannot be read."""
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
                user=user, import_id=imported.pk, raw=_choices(imported, options=options)
            )
            if options["dates"]:
                services.change_import(user=user, import_id=imported.pk, raw=_date_choices(imported, options=options))
            begun = services.begin_import(user=user, import_id=imported.pk)
        except TablesError as error:
            details = "\n".join(dict.fromkeys(fault.detail for fault in error.faults))
            raise CommandError(details or error.detail) from None
        assert begun.run is not None
        services.run_import(import_id=begun.pk, run=begun.run)
        ended = selectors.get_import(user, imported.pk)
        if ended.state != Import.State.DONE:
            self._print_refused(ended)
            raise CommandError((ended.error or {}).get("detail", "Nothing was imported."))
        counts = ended.counts
        self.stdout.write(f"Table {ended.table_id}: {counts['added']:,} rows added, {counts['updated']:,} updated.")
        self._print_refused(ended)

    def _print_refused(self, imported: Import) -> None:
        for cell in selectors.refused_cells(imported, offset=0, limit=MAX_SHOWN_CELLS):
            self.stderr.write(f"Row {cell.row}{', ' + cell.column if cell.column else ''}: {cell.message}")
        more = imported.counts.get("refused_cells", 0) - MAX_SHOWN_CELLS
        if more > 0:
            self.stderr.write(f"… and {more:,} more.")


def _choices(imported: Import, *, options: Json) -> Json:
    """Return the choices about rows and columns. Raises CommandError."""
    names = ("empty_cells", "empty_rows")
    choices: Json = {"on_refused": options["refused"], **{name: options[name] for name in names}}
    if options["name"]:
        choices["table_name"] = options["name"]
    if options["merge_on"]:
        choices["merge_on"] = options["merge_on"]
    columns: dict[int, Json] = {}
    for name in ("into", "type"):
        for assignment in options[name]:
            column, equals, value = assignment.rpartition("=")
            if not equals:
                raise CommandError(f"Use COLUMN={'TYPE' if name == 'type' else 'COLUMN'}, not {assignment!r}.")
            columns.setdefault(_column_index(imported, column), {})[name] = value
    for column in options["leave_out"]:
        columns.setdefault(_column_index(imported, column), {})["include"] = False
    return {**choices, "columns": [{"index": index, **column} for index, column in columns.items()]}


def _date_choices(imported: Import, *, options: Json) -> Json:
    """Return the form of the dates for all date columns."""
    dates = [column["index"] for column in imported.choices["columns"] if get_column_type(column["type"]).asks_form]
    return {"columns": [{"index": index, "form": DATE_FORMS[options["dates"]]} for index in dates]}


def _reading(options: Json) -> Json:
    given = {name: options[name] for name in READING_OPTIONS if options[name] is not None}
    characters = {"delimiter": DELIMITERS, "decimal": DECIMALS}
    return {name: characters[name][value] if name in characters else value for name, value in given.items()}


def _column_index(imported: Import, name: str) -> int:
    """Return the index of the file's column with this name. Raises CommandError."""
    names = [column["given"] or column["name"] for column in imported.sniffed["columns"]]
    for index, each in enumerate(names):
        if name_key(each) == name_key(name):
            return index
    raise CommandError(f"The file has no column {name!r}. Its columns are {', '.join(map(repr, names[:20]))}.")


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_SIZE):
            yield chunk
