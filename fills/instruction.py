"""Instructions of fills: texts with references to columns, such as `Take the domain out of {E-mail}`.

The stored form is a list of texts and `{"column": id}`, so that a renamed column is still referred to. `{{` and `}}`
are braces.
"""
from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from shared.user_messages import declare
from tables.operations import TableShape
from tables.operations.body_reader import Form
from tables.operations.cells import resolve_column

Json = dict[str, Any]
Part = str | Json
MAX_LENGTH = 8_000
INSTRUCTION_NEEDED = declare("instruction_needed", "Say what to find for each row.")
OPEN_BRACE = declare(
    "open_brace", "A “{brace}” has no counterpart. Write a column as {example}, and a brace itself twice."
)
PIECE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]|[^{}]+")
# In place of a column that was deleted.
DELETED = "deleted column"


def read_instruction(raw: Any, *, shape: TableShape, path: str, form: Form) -> list[Part]:
    """Return the stored form of an instruction; unknown columns and single braces are faults of the form."""
    text = form.text(raw, path=path, max_length=MAX_LENGTH)
    if not text.strip():
        if not any(fault.path == path for fault in form.faults):
            form.fault(path=path, code="missing", message=INSTRUCTION_NEEDED())
        return []
    parts: list[Part] = []
    for piece in PIECE.finditer(text):
        name = piece[1]
        if name is not None:
            column = resolve_column(name.strip(), shape=shape, path=path, form=form)
            if column is not None:
                parts.append({"column": column.id})
            continue
        if piece[0] in ("{", "}"):
            form.fault(path=path, code="open_brace", message=OPEN_BRACE(brace=piece[0], example="{Name}"))
            continue
        literal = piece[0][0] if piece[0] in ("{{", "}}") else piece[0]
        if parts and isinstance(parts[-1], str):
            parts[-1] += literal
        else:
            parts.append(literal)
    return parts


def references(parts: Sequence[Part]) -> list[str]:
    """Return the ids of the columns that an instruction refers to, each once."""
    return list(dict.fromkeys(part["column"] for part in parts if not isinstance(part, str)))


def instruction_text(parts: Sequence[Part], *, shape: TableShape) -> str:
    """Return an instruction as its user writes it, with the current names of its columns."""
    return "".join(
        part.replace("{", "{{").replace("}", "}}") if isinstance(part, str) else f"{{{_name(part, shape=shape)}}}"
        for part in parts
    )


def _name(part: Json, *, shape: TableShape) -> str:
    column = shape.column(part["column"])
    return column.name if column is not None else DELETED
