"""Payload type payments: a proposal to mark invoices as paid."""
from __future__ import annotations

from typing import Any

from chat.payload_types import PayloadType, register_payload_type
from chat.proposals import CheckedProposal, Item, Outcome, ProposalContext, Selection, StructuralFault, Verb
from tests.engine_without_tables.invoices.models import Invoice

Json = dict[str, Any]
ALREADY_PAID = "This invoice is already paid."
SCHEMA = {
    "type": "object",
    "properties": {"invoices": {"type": "array", "minItems": 1, "items": {"type": "integer"}}},
    "required": ["invoices"],
    "additionalProperties": False,
}


def check(data: Json, context: ProposalContext) -> CheckedProposal:
    """Look up the invoices, which must be the user's."""
    found = Invoice.objects.filter(owner=context.user).in_bulk(data["invoices"])
    if unknown := [number for number in data["invoices"] if number not in found]:
        raise StructuralFault(f"invoices: there are no invoices {unknown}.")
    return CheckedProposal(
        resolved={"invoices": data["invoices"]},
        items=[Item(label=found[number].customer, verb="pay") for number in data["invoices"]],
        summary=f"{len(found)} invoices paid",
    )


def preview(resolved: Json, selection: Selection, context: ProposalContext) -> list[Item]:
    """Return the invoices; those that are paid meanwhile are conflicts."""
    found = Invoice.objects.filter(owner=context.user).in_bulk(resolved["invoices"])
    return [
        Item(label=invoice.customer, verb="pay", state="conflict", message=ALREADY_PAID)
        if invoice.paid
        else Item(label=invoice.customer, verb="pay")
        for invoice in (found[number] for number in resolved["invoices"])
    ]


def apply(resolved: Json, selection: Selection, context: ProposalContext) -> Outcome:
    """Mark the chosen invoices as paid, except those that are."""
    found = Invoice.objects.select_for_update().filter(owner=context.user).in_bulk(resolved["invoices"])
    chosen = {index: found[resolved["invoices"][index]] for index in selection.items}
    paid = [invoice.pk for invoice in chosen.values() if not invoice.paid]
    Invoice.objects.filter(pk__in=paid).update(paid=True)
    return Outcome(
        message=f"Marked as paid: {len(paid)}.",
        failed={index: ALREADY_PAID for index, invoice in chosen.items() if invoice.paid},
        undo_token=",".join(map(str, paid)),
    )


def undo(token: str, context: ProposalContext) -> None:
    """Mark the invoices as not paid."""
    Invoice.objects.filter(owner=context.user, pk__in=token.split(",")).update(paid=False)


register_payload_type(
    PayloadType(
        name="payments",
        description="Invoices to be marked as paid.",
        source="llm",
        parse_marker="PAYMENTS:",
        schema=SCHEMA,
        llm_instructions='PAYMENTS - when the user says which invoices are paid:\n\nPAYMENTS: {"invoices": [3, 7]}',
        verbs={"pay": Verb(pending="{count} to mark as paid", applied="{count} marked as paid", tone="change")},
        check=check,
        preview=preview,
        apply=apply,
        undo=undo,
    )
)
