"""What somebody says about how a file is to be read, against what was guessed."""
from __future__ import annotations

from dataclasses import replace
from typing import Any

from tables.column_types import did_you_mean
from tables.importing.encodings import ENCODINGS
from tables.importing.source import DECIMALS, DELIMITERS, Source
from tables.operations.body_reader import Form
from user_messages import declare

Json = dict[str, Any]
NO_SUCH_SHEET = declare("no_such_sheet", "There is no such sheet.{hint}")
NOT_OF_THIS_FORMAT = declare("not_of_this_format", "A file like this has no {field} to choose.")
KNOWN_TO = {"encoding": ("delimited", "records"), "delimiter": ("delimited",), "sheet": ("spreadsheet",)}


def read_source(fields: Json, *, source: Source, form: Form) -> tuple[Source | None, bool | None]:
    """How to read the file from now on and whether its first row are names, where something is said; else None."""
    changed: Json = {}
    if "encoding" in fields:
        changed["encoding"] = form.one_of(fields["encoding"], path="encoding", allowed=list(ENCODINGS))
    if "delimiter" in fields:
        changed["delimiter"] = form.one_of(fields["delimiter"], path="delimiter", allowed=list(DELIMITERS))
    if "decimal" in fields:
        changed["decimal"] = form.one_of(fields["decimal"], path="decimal", allowed=list(DECIMALS))
    if "sheet" in fields:
        changed["sheet"] = form.text(fields["sheet"], path="sheet")
        if source.format == "spreadsheet" and changed["sheet"] not in source.sheets:
            message = NO_SUCH_SHEET(hint=did_you_mean(changed["sheet"], source.sheets))
            form.fault(path="sheet", code="unknown_sheet", message=message, value=fields["sheet"])
    for name, formats in KNOWN_TO.items():
        if name in changed and source.format not in formats:
            form.fault(path=name, code="not_of_this_format", message=NOT_OF_THIS_FORMAT(field=name))
    header = form.flag(fields["header"], path="header") if "header" in fields else source.header
    changed["header"] = header
    wanted = replace(source, **changed)
    return (None, None) if wanted == source else (wanted, header)
