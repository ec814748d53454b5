"""Payload type `fill_proposal`: a fill of the open table, which the user tries on a few rows and starts.

It has one item, the fill. Its edit is another instruction, and the id of a draft of which rows were tried already.
"""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from chat.payload_types import PayloadType, register_payload_type
from chat.proposals import (
    CheckedProposal,
    Item,
    Outcome,
    ProposalContext,
    ReceiptLink,
    Selection,
    StructuralFault,
    Verb,
)
from fills.instruction import MAX_LENGTH, instruction_text
from fills.services import create_fill, plan_fill, run_fill, web_tools
from fills.services.definitions import MAX_COLUMNS, MAX_EXAMPLES, SOURCES
from fills.services.rows import MAX_IDS
from fills.tasks import start_work
from shared.user_messages import declare
from tables.exceptions import TablesError
from tables.selectors import get_table, table_shape

Json = dict[str, Any]
NO_TABLE = declare("fill_needs_an_open_table", "Open the table to fill its columns.")
NO_ROW_TO_FILL = declare(
    "no_row_to_fill", "There is no row to fill: the cells have values already, or the table has no rows."
)
INSTRUCTIONS = """\
FILL_PROPOSAL: a fill, which asks the model about each row by itself, and writes what it finds in one to eight columns.

FILL_PROPOSAL: {
  "reasoning": "Why, in one short sentence",
  "columns": ["Industry"],
  "instruction": "Name the industry of {Company}, in one or two words. Use {Website} if it is given.",
  "rows": "empty"
}

- Use it if more than about 20 rows need thought one by one: classify, extract, translate, summarize, look up. What a
  condition can say is one operation with `where` in DATA_PROPOSAL. For few rows write DATA_PROPOSAL.
- The columns must exist. If they do not, propose them first with SCHEMA_PROPOSAL, and put the fill in its `next`.
- `instruction` is read for each row, by a model that sees only the cells of that row in the columns in {braces}. Name
  the columns it needs, and say how the value is to be written. A brace itself is written twice.
- `rows`: "empty" (one of the columns is empty; the default), "all", {"filter": a condition as in `where`}, or
  {"ids": [row_id, …]}, such as the selected rows.
- `examples` (optional): up to 5 row_ids whose values are right.
{sources}- Nothing runs before the user has seen the estimate, may have tried three rows, and presses the button.
  Say so. Do not write the values yourself.\
"""
WEB_LINE = """\
- `sources`: "row" (the default), or "web" if the cells do not say it and the web may: the model then searches for each
  row, which costs more.
"""
SCHEMA: Json = {
    "type": "object",
    "required": ["columns", "instruction"],
    "properties": {
        "reasoning": {"type": "string"},
        "columns": {"type": "array", "minItems": 1, "maxItems": MAX_COLUMNS, "items": {"type": "string"}},
        "instruction": {"type": "string", "minLength": 1, "maxLength": MAX_LENGTH},
        "rows": {
            "anyOf": [
                {"enum": ["empty", "all"]},
                {
                    "type": "object",
                    "required": ["ids"],
                    "properties": {"ids": {"type": "array", "maxItems": MAX_IDS, "items": {"type": "integer"}}},
                    "additionalProperties": False,
                },
                {
                    "type": "object",
                    "required": ["filter"],
                    "properties": {"filter": {"type": ["object", "array"]}},
                    "additionalProperties": False,
                },
            ]
        },
        "sources": {"enum": list(SOURCES)},
        "examples": {"type": "array", "maxItems": MAX_EXAMPLES, "items": {"type": "integer"}},
    },
    "additionalProperties": False,
}
EDIT: Json = {
    "type": "object",
    "properties": {
        "instruction": {"type": "string", "minLength": 1, "maxLength": MAX_LENGTH},
        "fill": {"type": "string", "format": "uuid", "maxLength": 36},
    },
    "additionalProperties": False,
}


def instructions() -> str:
    """Return the instructions for the model, with sources from the web where they are offered."""
    is_web_offered = web_tools(settings.FILL_MODEL or settings.CHAT_MODEL) is not None
    return INSTRUCTIONS.replace("{sources}", WEB_LINE if is_web_offered else "")


def check(data: Json, context: ProposalContext) -> CheckedProposal:
    """Read the proposal as a request would be read, and price it. Nothing is stored. Raises StructuralFault."""
    if not (context.object_id.isascii() and context.object_id.isdigit()):
        fault = "FILL_PROPOSAL needs an open table, and none is open on this page."
        raise StructuralFault(fault, reason=NO_TABLE())
    body = {name: value for name, value in data.items() if name != "reasoning"}
    table_id = int(context.object_id)
    try:
        shown = _described(context.user, table_id=table_id, body=body)
    except TablesError as error:
        lines = [error.detail, *(f"{fault.path}: {fault.detail}" for fault in error.faults[:20])]
        raise StructuralFault("\n".join(lines)) from None
    rows = shown["estimate"]["rows"]
    if not rows:
        raise StructuralFault("rows: no row is chosen, so there is nothing to fill.", closing=NO_ROW_TO_FILL())
    return CheckedProposal(
        resolved={"table_id": table_id, "body": body},
        summary=f"{', '.join(shown['columns'])}: {shown['instruction']}"[:200],
        counts={"fill": rows},
        subject_id=context.object_id,
        items=[_item(shown)],
    )


def preview(resolved: Json, selection: Selection, context: ProposalContext) -> list[Item]:
    """Return the fill with its current number of rows and estimate. Raises tables.exceptions.TablesError."""
    shown = _described(context.user, table_id=resolved["table_id"], body=_edited(resolved, selection))
    return [_item(shown)]


def apply(resolved: Json, selection: Selection, context: ProposalContext) -> Outcome:
    """Start the fill: the draft of which rows were tried, or a new one. Raises tables.exceptions.TablesError."""
    draft = selection.edits.get(0, {}).get("fill")
    table_id = resolved["table_id"]
    if draft is None:
        body = _edited(resolved, selection)
        fill_id = create_fill(user=context.user, table_id=table_id, body=body).pk
    else:
        fill_id = UUID(draft)
    fill = run_fill(user=context.user, table_id=table_id, fill_id=fill_id)
    start_work(fill_id)
    rows = fill.results.count()
    columns = table_shape(get_table(context.user, table_id)).columns
    values = {"count": rows, "columns": ", ".join(column.name for column in columns if column.id in fill.columns)}
    message = ngettext("Filling %(columns)s in %(count)s row", "Filling %(columns)s in %(count)s rows", rows) % values
    link = ReceiptLink(_("Progress and results"), reverse("fill_page", args=[table_id, fill_id]))
    return Outcome(message=message, link=link, details={"fill": str(fill_id)})


def _edited(resolved: Json, selection: Selection) -> Json:
    """Return the body of the fill with the instruction of the edit."""
    edit = {name: value for name, value in selection.edits.get(0, {}).items() if name != "fill"}
    return {**resolved["body"], **edit}


def _described(user: Any, *, table_id: int, body: Mapping[str, Any]) -> Json:
    """Return the data of the item. Raises tables.exceptions.TablesError with all faults."""
    fill = plan_fill(user=user, table_id=table_id, body=body)
    shape = table_shape(get_table(user, table_id))
    names = [column.name for column in shape.columns if column.id in fill.columns]
    return {
        "table": table_id,
        "columns": names,
        "instruction": instruction_text(fill.instruction, shape=shape),
        "sources": fill.sources,
        "estimate": fill.estimate,
    }


def _item(shown: Json) -> Item:
    return Item(label=f"{', '.join(shown['columns'])}: {shown['instruction']}"[:500], verb="fill", data=shown)


def summarize(data: Json) -> str:
    """Return the summary of a proposal that is not resolved yet."""
    return f"Fill {', '.join(data.get('columns', []))}"


register_payload_type(
    PayloadType(
        name="fill_proposal",
        description="Columns to fill row by row by the model",
        source="llm",
        parse_marker="FILL_PROPOSAL:",
        schema=SCHEMA,
        llm_instructions=instructions,
        frontend_config={"title": "Fill with the assistant", "icon": "list-plus"},
        verbs={"fill": Verb(pending="rows to fill: {count}", applied="fills started: {count}", tone="change")},
        edit_schema=EDIT,
        summarize=summarize,
        check=check,
        preview=preview,
        apply=apply,
    )
)
