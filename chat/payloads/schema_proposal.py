"""Payload type `schema_proposal`: a new table, or changes to the columns of the open one."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from django.urls import reverse

from chat.pages.table_data import parse_id
from chat.payload_types import PayloadType, register_payload_type
from chat.payloads.decision_fields import REVIEW_FIELDS, SELECTION_FIELDS
from chat.payloads.proposal_helpers import (
    apply_operations,
    columns_summary,
    count_operations,
    fault_lines,
    structural_fault,
    undo_operations,
    with_names,
)
from chat.proposals import AppliedProposal, CheckedProposal, ProposalContext, ReceiptLink, StructuralFault, Verb
from shared.user_messages import declare
from tables.exceptions import TablesError
from tables.operations import Choice, carry_over, revised_review, setting_descriptions, type_descriptions
from tables.services import ComposedSchema, apply_schema, compose_schema, prepare_schema, preview_schema

Json = dict[str, Any]

# `{types}` and `{settings}` are replaced by the registered column types and their settings.
INSTRUCTIONS = """\
SCHEMA_PROPOSAL: a new table, or changes to the columns of the open one.

On the list of tables, mode "create":
SCHEMA_PROPOSAL: {
  "mode": "create",
  "reasoning": "Why, in one short sentence",
  "table_name": "Job Applications",
  "table_description": "Where I applied and how it is going",
  "operations": [
    {"action": "add", "column": {"name": "Company", "type": "text", "required": true}},
    {"action": "add", "column": {"name": "Status", "type": "select", "options": ["Applied", "Interview", "Offer"],
     "filterDisplay": "tab"}},
    {"action": "add", "column": {"name": "Date Applied", "type": "date"}}
  ],
  "sample_rows": [{"Company": "Acme Corp", "Status": "Applied", "Date Applied": "2026-03-15"}]
}
On the page of one table, mode "update", with column ids from the current context:
SCHEMA_PROPOSAL: {
  "mode": "update",
  "reasoning": "…",
  "operations": [
    {"action": "add", "column": {"name": "Priority", "type": "select", "options": ["High", "Medium", "Low"]},
     "after_column_id": "col_…"},
    {"action": "modify", "column_id": "col_…", "changes": {"name": "New name"}},
    {"action": "remove", "column_id": "col_…"},
    {"action": "reorder", "column_id": "col_…", "after_column_id": "col_…"}
  ],
  "next": "Fill Priority from the notes"
}

- Types: {types}. `options`: only for select and multi_select, always the full list. `filterDisplay`: "tab" for a
  handful of states, else "dropdown".
{settings}
- `changes` has only what changes. Without `after_column_id` a new column goes last and a reordered one first.
- Mode "create": only add; name, description and two or three realistic sample rows are required.
- Mode "update": "table_name" and "table_description" only if they change.
- Columns that an open proposal adds are not in the table yet. If the user names a column while a table is open, they
  mean its column of that name in the current context, and a proposed one only if there is none: "rename Link to URL"
  renames the table's Link. To change a proposed column, write the whole proposal again with that column changed.
- `next` (optional): your next step once this is applied, as a short instruction to yourself. The user sees it and can
  switch it off; otherwise you are asked to go on at once. Use it if the request continues ("and fill it from the
  notes"). With a new table it is "Suggest next steps": then say in one sentence that the table exists, and give
  suggestions.\
"""

FILTER_DISPLAY: Json = {"enum": ["tab", "dropdown", None]}
NAME: Json = {"type": "string", "minLength": 1, "maxLength": 255}
REFERENCE: Json = {"type": ["string", "null"]}


def _column(*, required: list[str]) -> Json:
    return {
        "type": "object",
        "required": required,
        "properties": {
            "name": NAME if required else {"type": ["string", "null"], "maxLength": 255},
            # Not an enum, because other apps can register types; `prepare_schema` checks the name.
            "type": {"type": "string"} if required else REFERENCE,
            "required": {"type": ["boolean", "null"]},
            "default": {},
            "options": {"type": ["array", "null"], "items": {"type": "string"}, "maxItems": 1000},
            "filterDisplay": FILTER_DISPLAY,
        },
        # Other fields are settings of types, which `prepare_schema` checks, too.
    }


def _operation(action: str, *, required: list[str], **properties: Json) -> Json:
    return {
        "if": {"properties": {"action": {"const": action}}},
        "then": {
            "required": required,
            "properties": {"action": {}, "reason": {"type": "string"}, **properties},
            "additionalProperties": False,
        },
    }


SCHEMA: Json = {
    "type": "object",
    "required": ["mode", "operations"],
    "properties": {
        "mode": {"enum": ["create", "update"]},
        "reasoning": {"type": "string"},
        "table_name": {"type": ["string", "null"], "maxLength": 255},
        "table_description": {"type": ["string", "null"]},
        "operations": {
            "type": "array",
            "maxItems": 5000,
            "items": {
                "type": "object",
                "required": ["action"],
                "properties": {"action": {"enum": ["add", "modify", "remove", "reorder"]}},
                "allOf": [
                    _operation(
                        "add", required=["column"], column=_column(required=["name", "type"]), after_column_id=REFERENCE
                    ),
                    _operation(
                        "modify", required=["column_id", "changes"], column_id=NAME, changes=_column(required=[])
                    ),
                    _operation("remove", required=["column_id"], column_id=NAME),
                    _operation("reorder", required=["column_id"], column_id=NAME, after_column_id=REFERENCE),
                ],
            },
        },
        "sample_rows": {"type": "array", "maxItems": 5, "items": {"type": "object"}},
        "next": {"type": ["string", "null"]},
    },
    "additionalProperties": False,
}

# Messages for the user, by the mode that the page requires.
WRONG_MODE = {
    "create": declare("columns_need_an_open_table", "Open the table to change its columns."),
    "update": declare("tables_are_created_elsewhere", "Create new tables on the Tables page."),
}


def check(data: Json, context: ProposalContext) -> CheckedProposal:
    """Resolve the proposal against the current table, or for a new one on the page of all tables.

    Raises StructuralFault.
    """
    table_id = parse_id(context.object_id) or None
    mode = "update" if table_id else "create"
    if data["mode"] != mode:
        fault = f'mode: on this page SCHEMA_PROPOSAL has mode "{mode}", not "{data["mode"]}".'
        raise StructuralFault(fault, reason=WRONG_MODE[mode]())
    try:
        prepared = prepare_schema(user=context.user, table_id=table_id, proposal=data)
    except TablesError as error:
        raise structural_fault(error) from None
    counts = count_operations(prepared["operations"])
    if mode == "create":
        counts["sample_rows"] = len(prepared.get("sample_rows") or [])
        summary = f"New table {prepared['table_name']}, {columns_summary(counts)}"
    else:
        summary = columns_summary(counts) if prepared["operations"] else "New name or description"
    return CheckedProposal(
        resolved=prepared,
        summary=summary,
        content_hash=prepared["content_hash"],
        counts=counts,
        subject_id=str(table_id or ""),
        faults=(
            *fault_lines(prepared["operations"], written=len(data["operations"])),
            *(f"{warning['path']}: {warning['detail']}" for warning in prepared["warnings"]),
        ),
    )


def preview(resolved: Json, choice: Choice, context: ProposalContext) -> Json:
    """Return the effects of applying the chosen operations to the current table."""
    return preview_schema(user=context.user, prepared=resolved, choice=choice)


def prepare(resolved: Json, choice: Choice, context: ProposalContext) -> ComposedSchema | None:
    """Compose the chosen operations before the table is locked. Raises tables.exceptions.TablesError."""
    return compose_schema(user=context.user, prepared=resolved, choice=choice)


def apply(
    resolved: Json, choice: Choice, context: ProposalContext, *, prepared: ComposedSchema | None = None
) -> AppliedProposal:
    """Apply the chosen operations. Raises tables.exceptions.TablesError, in which case nothing is written.

    The conversation moves to the page of a created table.
    """
    service = partial(apply_schema, composed=prepared)
    applied = apply_operations(service, resolved=resolved, choice=choice, context=context)
    if resolved["mode"] != "create":
        return applied
    table = applied.outcome["table"]
    link = ReceiptLink(table["name"], reverse("table_view", args=[table["id"]]))
    outcome = {**applied.outcome, "link": link.as_json()}
    return replace(applied, outcome=outcome, moved_to=str(table["id"]), moved_to_page="table_view")


def instructions() -> str:
    """Return the instructions for the model with the registered column types."""
    return INSTRUCTIONS.replace("{types}", type_descriptions()).replace("{settings}", setting_descriptions())


def summarize(data: Json) -> str:
    """Return the summary of a proposal that is not resolved yet."""
    return columns_summary(count_operations(data.get("operations", [])))


register_payload_type(
    PayloadType(
        name="schema_proposal",
        description="A proposed table, or proposed changes to a table's columns",
        source="llm",
        schema=SCHEMA,
        llm_instructions=instructions,
        frontend_config={"title": "Proposed columns", "icon": "columns-3"},
        parse_marker="SCHEMA_PROPOSAL:",
        summarize=summarize,
        verbs={"sample_rows": Verb(pending="Sample rows: {count}", applied="Sample rows: {count}")},
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
