"""Payload type `data_proposal`: rows to add, update or delete in the open table."""

from __future__ import annotations

from functools import partial
from typing import Any

from chat.pages.table_data import parse_id
from chat.payload_types import PayloadType, register_payload_type
from chat.payloads.decision_fields import REVIEW_FIELDS, SELECTION_FIELDS
from chat.payloads.proposal_helpers import (
    apply_operations,
    count_operations,
    fault_lines,
    rows_summary,
    structural_fault,
    undo_operations,
    with_names,
)
from chat.proposals import AppliedProposal, CheckedProposal, ProposalContext, StructuralFault
from shared.user_messages import declare
from tables.exceptions import Fault, TablesError
from tables.operations import Choice, carry_over, computed_type_names, revised_review
from tables.services import ComposedData, apply_data, compose_data, prepare_data, preview_data

Json = dict[str, Any]

INSTRUCTIONS = """\
DATA_PROPOSAL: changes to the rows of the open table.

DATA_PROPOSAL: {
  "reasoning": "Why, in one short sentence",
  "operations": [
    {"action": "add", "data": {"Company": "Acme Corp", "Position": "Engineer", "Status": "Applied"}},
    {"action": "update", "row_id": 5, "changes": {"Status": "Interview"}, "reason": "They called back"},
    {"action": "update", "where": {"column": "Date Applied", "op": "lt", "value": "2026-06-01"},
     "changes": {"Status": "Rejected"}},
    {"action": "delete", "row_id": 12, "reason": "Repeats an earlier row"}
  ]
}

- Keys of `data` and `changes` are column names. Dates are YYYY-MM-DD, with the format datetime
  YYYY-MM-DDTHH:MM with Z or an offset, booleans true or false, numbers plain numbers, a select value is one of the
  options, a multi_select value a list of them. Leave out a cell rather than guess; null empties it.
- A pasted 1.200 or 1,200 can be 1.2 or 1200: decide by the other numbers of the list, else ask.
- Columns of the types {computed} are read-only.
- `row_id` is the id from the current context or a tool, never the position.
- `where` replaces `row_id` if a condition selects the rows: {"column", "op", "value"}, several in {"and": [...]}. The
  server turns it into one change per row, each with its own check box.
- Use each row in one operation at most. Give every required column a value.
- `next` (optional): your next step once this is applied, as a short instruction to yourself. The user sees it and can
  switch it off; otherwise you are asked to go on at once. Use it if the request continues after these changes.\
"""

OPERATION: Json = {
    "type": "object",
    "required": ["action"],
    "properties": {
        "action": {"enum": ["add", "update", "delete"]},
        "data": {"type": "object"},
        "changes": {"type": "object", "minProperties": 1},
        "row_id": {"type": "integer", "minimum": 1},
        "where": {"type": ["object", "array"]},
        "reason": {"type": "string"},
    },
    "allOf": [
        {"if": {"properties": {"action": {"const": "add"}}}, "then": {"required": ["data"]}},
        {"if": {"properties": {"action": {"const": "update"}}}, "then": {"required": ["changes"]}},
        {
            "if": {"properties": {"action": {"enum": ["update", "delete"]}}},
            "then": {"oneOf": [{"required": ["row_id"]}, {"required": ["where"]}]},
        },
    ],
    "additionalProperties": False,
}
SCHEMA: Json = {
    "type": "object",
    "required": ["operations"],
    "properties": {
        "reasoning": {"type": "string"},
        "operations": {"type": "array", "minItems": 1, "maxItems": 5000, "items": OPERATION},
        "next": {"type": ["string", "null"]},
    },
    "additionalProperties": False,
}

NOTHING_TO_CHANGE = declare("nothing_to_change", "{reasons:spaced} There is nothing to change.")
NO_TABLE = declare("rows_need_an_open_table", "Open the table to change its rows.")


def check(data: Json, context: ProposalContext) -> CheckedProposal:
    """Resolve the proposal against the current table. Raises StructuralFault."""
    table_id = parse_id(context.object_id)
    if not table_id:
        fault = "DATA_PROPOSAL needs an open table, and none is open on this page."
        raise StructuralFault(fault, reason=NO_TABLE())
    try:
        prepared = prepare_data(user=context.user, table_id=table_id, proposal=data, with_files=False)
    except TablesError as error:
        raise structural_fault(error) from None
    if not prepared["operations"]:
        reasons = {warning["detail"]: Fault.from_json(warning).message for warning in prepared["warnings"]}
        closing = NOTHING_TO_CHANGE(reasons=tuple(reasons.values()))
        raise StructuralFault(" ".join(reasons), closing=closing)
    counts = count_operations(prepared["operations"])
    return CheckedProposal(
        resolved=prepared,
        summary=rows_summary(counts),
        content_hash=prepared["content_hash"],
        counts=counts,
        subject_id=str(table_id),
        faults=fault_lines(prepared["operations"], written=len(data["operations"])),
    )


def preview(resolved: Json, choice: Choice, context: ProposalContext) -> Json:
    """Return the effects of applying the chosen operations to the current table."""
    return preview_data(user=context.user, prepared=resolved, choice=choice)


def prepare(resolved: Json, choice: Choice, context: ProposalContext) -> ComposedData | None:
    """Compose the chosen operations before the table is locked. Raises tables.exceptions.TablesError."""
    return compose_data(user=context.user, prepared=resolved, choice=choice)


def apply(
    resolved: Json, choice: Choice, context: ProposalContext, *, prepared: ComposedData | None = None
) -> AppliedProposal:
    """Apply the chosen operations. Raises tables.exceptions.TablesError, in which case nothing is written."""
    return apply_operations(partial(apply_data, composed=prepared), resolved=resolved, choice=choice, context=context)


def instructions() -> str:
    """Return the instructions for the model with the types of columns that cannot be written."""
    return INSTRUCTIONS.replace("{computed}", ", ".join(computed_type_names()))


def summarize(data: Json) -> str:
    """Return the summary of a proposal that is not resolved yet."""
    return rows_summary(count_operations(data.get("operations", [])))


register_payload_type(
    PayloadType(
        name="data_proposal",
        description="Proposed changes to the rows of a table",
        source="llm",
        schema=SCHEMA,
        llm_instructions=instructions,
        frontend_config={"title": "Proposed changes", "icon": "diff"},
        parse_marker="DATA_PROPOSAL:",
        summarize=summarize,
        check=check,
        preview=preview,
        prepare=prepare,
        apply=apply,
        undo=undo_operations,
        read_selection=Choice.read,
        selection_fields=SELECTION_FIELDS,
        checks_rights=True,
        with_names=with_names,
        revise_review=revised_review,
        carry_over=carry_over,
        review_fields=REVIEW_FIELDS,
    )
)
