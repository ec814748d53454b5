"""Command `chat_config`: export and import the changes of administrators to the assistant's configuration."""
from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from chat.configuration import MAX_BYTES
from chat.exceptions import ChatError
from chat.json_schema import SchemaFault
from chat.selectors.configuration.catalogue import current_catalogue
from chat.services.configuration.import_export import export_configuration, import_configuration, plan_import
from chat.turns.model_names import check_model_names


class Command(BaseCommand):
    help = "Export the changed settings of the assistant to a JSON file, or import them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        export = actions.add_parser("export", help="export all changed settings and stored tests")
        export.add_argument("file", help="file to write, or - for standard output")
        importing = actions.add_parser("import", help="import all settings of a file, or none if one is invalid")
        importing.add_argument("file", help="exported file, or - for standard input")
        importing.add_argument("--dry-run", action="store_true", help="show the changes without importing them")
        importing.add_argument("--only-named", action="store_true", help="keep settings that are not in the file")
        importing.add_argument("--why", default="", help="reason, shown in the history")

    def handle(self, *args: Any, action: str, file: str, **options: Any) -> None:
        if action == "export":
            self._export(file)
        else:
            self._import(file, replace=not options["only_named"], dry_run=options["dry_run"], why=options["why"])

    def _export(self, file: str) -> None:
        text = export_configuration()
        if file == "-":
            self.stdout.write(text.decode(), ending="")
            return
        try:
            Path(file).write_bytes(text)
        except OSError as error:
            raise CommandError(f"Cannot write {file}: {error.strerror}.") from None
        self.stderr.write(f"Exported to {file}.")

    def _import(self, file: str, *, replace: bool, dry_run: bool, why: str) -> None:
        raw = _read(file)
        plan = plan_import(raw, replace=replace)
        check = check_model_names(plan.edits, engine=current_catalogue().engine)
        if plan.faults or check.faults:
            raise CommandError(_fault_text([*plan.faults, *check.faults]))
        for warning in check.warnings:
            self.stderr.write(warning)
        for change in plan.changes:
            effect = "reset to the default" if change.after is None else "changed" if change.before else "set"
            self.stdout.write(f"{change.address.kind} {change.address.name}, {change.field}: {effect}")
        for planned in plan.tests:
            self.stdout.write(f"test “{planned.test.title}”: {'replaced' if planned.replaced else 'added'}")
        if not plan.changes and not plan.tests:
            self.stdout.write("No changes.")
        elif dry_run:
            tests = f", {len(plan.tests)} tests" if plan.tests else ""
            self.stdout.write(f"Dry run: {len(plan.changes)} fields{tests} would change.")
        else:
            try:
                imported = import_configuration(
                    raw, user=None, replace=replace, seen=plan.version, why=why, now=timezone.now()
                )
            except ChatError as error:
                raise CommandError(error.detail) from None
            self.stdout.write(f"Imported as version {imported.version}. Applies from the next message.")


def _read(file: str) -> bytes:
    try:
        if file == "-":
            return sys.stdin.buffer.read(MAX_BYTES + 1)
        with Path(file).open("rb") as opened:
            # One byte more than the maximum shows that the file is too large.
            return opened.read(MAX_BYTES + 1)
    except OSError as error:
        raise CommandError(f"Cannot read {file}: {error.strerror}.") from None


def _fault_text(faults: Iterable[SchemaFault]) -> str:
    lines = [f"  {fault.path + ': ' if fault.path else ''}{fault.detail}" for fault in faults]
    return "Nothing was imported. The file has these errors:\n" + "\n".join(lines)
