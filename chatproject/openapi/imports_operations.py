"""What the addresses below /api/imports/ do."""
from __future__ import annotations

from chatproject.openapi.shapes import TYPES
from chatproject.openapi.words import OFFSET, Operation, Operations, limit
from rest.schemas import COUNT, FLAG, ID, OBJECT, TEXT, TITLE, WHOLE, Json, answer, body, many, maybe, one_of
from tables.importing.choosing import EMPTY_CELLS, EMPTY_ROWS, ON_REFUSED
from tables.importing.encodings import ENCODINGS
from tables.importing.source import DELIMITERS

STATES = ("uploading", "ready", "queued", "reading", "waiting", "writing", "done", "failed", "cancelled")
FORM = one_of("", "dmy", "mdy", "comma")
CHOSEN: Json = {
    "include": FLAG, "name": TITLE, "type": TYPES, "form": FORM, "options": maybe(many(TEXT)), "into": maybe(TEXT),
}
FOUND = answer(
    type=TEXT, form=maybe(FORM), confidence={"type": "number"}, filled=WHOLE, examples=many(TEXT), misfits=many(TEXT)
)
SOURCE = answer(
    format=one_of("delimited", "spreadsheet", "records"), encoding=TEXT, delimiter=TEXT, header=FLAG, sheet=TEXT,
    sheets=many(TEXT),
)  # fmt: skip
FILE_NAME: Json = {"type": "string", "maxLength": 255}
FAULT = answer({"value": {}}, path=TEXT, code=TEXT, detail=TEXT)
IMPORT = answer(
    id=ID, name=TEXT, size=WHOLE, state=one_of(*STATES), table=maybe(ID), source=maybe(SOURCE),
    rows=many(many(TEXT)),
    columns=many(answer(
        index=WHOLE, given=TEXT, found=FOUND, include=FLAG, name=TEXT, type=TEXT, form=maybe(FORM),
        options=maybe(many(TEXT)), into=maybe(TEXT),
    )),
    table_name=maybe(TEXT), merge_on=maybe(many(TEXT)), on_refused=maybe(TEXT), empty_cells=maybe(TEXT),
    empty_rows=maybe(TEXT), questions=many(FAULT), progress=answer(done=WHOLE, of=WHOLE), counts=OBJECT,
    error=maybe(answer({"errors": many(OBJECT)}, code=TEXT, detail=TEXT)), change=maybe(ID),
)  # fmt: skip

IMPORTS: Operations = {
    "api_imports": {
        "post": Operation(
            "Takes in a file (a form with “file”), or text (JSON), and says what is in it.", {201: IMPORT},
            takes=body({"name": maybe(FILE_NAME), "table": maybe(ID)}, text=TEXT),
            example={"text": "Company,Salary\nAcme,1200\n", "name": "jobs.csv"},
            form=body({"table": {**TEXT, "pattern": "^[0-9]{0,18}$"}}, file={**TEXT, "format": "binary"}),
        ),
    },
    "api_import": {
        "get": Operation("What is in the file, what is decided, and how far it has come.", {200: IMPORT}),
        "patch": Operation(
            "Decides how the file is read, what its columns become, and by which columns rows are found.",
            {200: IMPORT},
            takes=body({
                "encoding": one_of(*ENCODINGS), "delimiter": one_of(*DELIMITERS), "header": FLAG, "sheet": TEXT,
                "table": maybe(ID), "table_name": TITLE,
                "columns": many(body(CHOSEN, index=COUNT)), "merge_on": many(TEXT),
                "on_refused": one_of(*ON_REFUSED), "empty_cells": one_of(*EMPTY_CELLS),
                "empty_rows": one_of(*EMPTY_ROWS),
            }),
            example={"columns": [{"index": 0, "name": "Company", "type": "text"}]},
        ),
        "delete": Operation("Cancels it and lets go of the file; what a done one has written stays.", {200: IMPORT}),
    },
    "api_import_run": {
        "post": Operation(
            "Has a worker read the file and write its rows; goes on where cells could not be read.", {202: IMPORT},
            takes=body({"on_refused": one_of(*ON_REFUSED)}), example={},
        ),
    },
    "api_import_report": {
        "get": Operation(
            "The cells that cannot be read.",
            {200: answer(
                {"next": maybe(TEXT)}, count=WHOLE,
                cells=many(answer(row=WHOLE, column=TEXT, code=TEXT, detail=TEXT, value=maybe(TEXT))),
            )},
            query=(limit(1_000), OFFSET),
        ),
    },
}
