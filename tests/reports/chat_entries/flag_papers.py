"""Payload type flag_papers: a proposal of papers to flag, which the tray shows as a list with check boxes."""
from __future__ import annotations

from typing import Any

from chat.exceptions import ProposalConflict
from chat.payload_types import PayloadType, register_payload_type
from chat.proposals import CheckedProposal, Item, Outcome, ProposalContext, Selection, Verb
from tests.reports.papers import get_report

Json = dict[str, Any]


def check(data: Json, context: ProposalContext) -> CheckedProposal:
    """Return the proposal with the titles of the papers. Papers that do not exist are faults of their items."""
    report = get_report(context.user, context.object_id)
    titles = dict(report.papers.values_list("id", "title"))
    papers, faults = [], []
    for index, entry in enumerate(data["papers"]):
        number = entry["paper_id"]
        if number not in titles:
            faults.append(f"papers[{index}].paper_id: this report has no paper {number}.")
        elif number in [paper["paper_id"] for paper in papers]:
            faults.append(f"papers[{index}].paper_id: paper {number} is already in the list.")
        papers.append({**entry, "title": titles.get(number, f"Paper {number}")})
    return CheckedProposal(
        resolved={"papers": papers},
        summary=f"Flag for close reading: {len(papers)}",
        items=[Item(label=label(paper), verb="flag") for paper in papers],
        faults=tuple(faults),
        subject_id=context.object_id,
    )


def label(paper: Json) -> str:
    """Return the line of a paper in the list."""
    return f"{paper['title']}: {paper['reason']}"


def preview(resolved: Json, selection: Selection, context: ProposalContext) -> list[Item]:
    """Return the items with their current states."""
    flagged = dict(get_report(context.user, context.object_id).papers.values_list("id", "flagged"))
    items: list[Item] = []
    numbers = [paper["paper_id"] for paper in resolved["papers"]]
    for index, paper in enumerate(resolved["papers"]):
        number = paper["paper_id"]
        if number in numbers[:index]:
            items.append(Item(label=label(paper), verb="flag", state="error", message="It is in the list twice."))
        elif number not in flagged:
            items.append(Item(label=label(paper), verb="flag", state="error", message="There is no such paper."))
        elif flagged[number]:
            items.append(Item(label=label(paper), verb="flag", state="conflict", message="It is flagged already."))
        else:
            items.append(Item(label=label(paper), verb="flag"))
    return items


def apply(resolved: Json, selection: Selection, context: ProposalContext) -> Outcome:
    """Flag all chosen papers, or none. Raises ProposalConflict."""
    numbers = {resolved["papers"][index]["paper_id"] for index in selection.items}
    papers = get_report(context.user, context.object_id).papers.filter(pk__in=numbers, flagged=False)
    if papers.update(flagged=True) < len(numbers):
        raise ProposalConflict("A chosen paper was flagged or deleted meanwhile. Check the list again.")
    return Outcome(undo_token=",".join(str(number) for number in numbers))


def undo(token: str, context: ProposalContext) -> None:
    """Remove the flags. Raises ProposalConflict."""
    numbers = token.split(",")
    papers = get_report(context.user, context.object_id).papers.filter(pk__in=numbers, flagged=True)
    if papers.update(flagged=False) < len(numbers):
        raise ProposalConflict("A paper is no longer flagged, or was deleted.")


register_payload_type(
    PayloadType(
        name="flag_papers",
        description="Papers to flag for close reading, each with a reason.",
        source="llm",
        parse_marker="FLAG_PAPERS:",
        schema={
            "type": "object",
            "properties": {
                "papers": {
                    "type": "array",
                    "minItems": 1,
                    "maxItems": 100,
                    "items": {
                        "type": "object",
                        "properties": {"paper_id": {"type": "integer"}, "reason": {"type": "string"}},
                        "required": ["paper_id", "reason"],
                        "additionalProperties": False,
                    },
                }
            },
            "required": ["papers"],
            "additionalProperties": False,
        },
        llm_instructions="""\
FLAG_PAPERS - when the user wants to flag several papers:

FLAG_PAPERS: {"papers": [{"paper_id": 3, "reason": "Why, in a few words"}]}

The user chooses which of them are flagged. Ids come from the current context or from tools.\
""",
        frontend_config={"title": "Papers to flag", "icon": "list-plus"},
        verbs={"flag": Verb(pending="{count} to flag", applied="{count} flagged", tone="add")},
        check=check,
        preview=preview,
        apply=apply,
        undo=undo,
    )
)
