"""Payload type setup_proposal: a proposal to add and remove sources and keywords of a stream."""
from typing import Any

from chat.exceptions import ProposalConflict
from chat.payload_types import PayloadType, register_payload_type
from chat.proposals import CheckedProposal, Item, Outcome, ProposalContext, Selection, StructuralFault
from examples.research.models import Keyword, SetupChange, Source, Stream
from examples.research.streams import get_stream

Json = dict[str, Any]
MODELS = {"source": Source, "keyword": Keyword}
OPERATION = {
    "type": "object",
    "properties": {
        "action": {"enum": ["add", "delete"]},
        "kind": {"enum": [*MODELS]},
        "name": {"type": "string", "minLength": 1, "maxLength": 100},
        "query": {"type": "string", "minLength": 1, "maxLength": 500},
    },
    "required": ["action", "kind", "name"],
    "additionalProperties": False,
}


def check(data: Json, context: ProposalContext) -> CheckedProposal:
    """Check what the schema cannot. The model is asked once to correct the faults."""
    get_stream(context.user, context.object_id)
    operations = data["operations"]
    if len({(each["kind"], each["name"]) for each in operations}) < len(operations):
        raise StructuralFault("operations: the same source or keyword occurs twice.")
    faults = tuple(
        f"operations[{index}].query: required to add a source."
        for index, each in enumerate(operations)
        if (each["action"], each["kind"]) == ("add", "source") and "query" not in each
    )
    items = [Item(label=label(each), verb=each["action"]) for each in operations]
    summary = f"{len(operations)} changes to sources and keywords"
    return CheckedProposal(resolved=data, items=items, summary=summary, faults=faults, subject_id=context.object_id)


def label(operation: Json) -> str:
    """Return an operation as a line."""
    query = f": {operation['query']}" if operation.get("query") else ""
    return f"{operation['kind'].capitalize()} {operation['name']}{query}"


def obstacle(operation: Json, *, stream: Stream) -> str:
    """Return why an operation cannot be applied now, "" if it can."""
    exists = MODELS[operation["kind"]].objects.filter(stream=stream, name=operation["name"]).exists()
    if operation["action"] == "add":
        return "The stream has it already." if exists else ""
    return "" if exists else "The stream does not have it."


def preview(resolved: Json, selection: Selection, context: ProposalContext) -> list[Item]:
    """Return the items with their current states."""
    stream = get_stream(context.user, context.object_id)
    reasons = [(each, obstacle(each, stream=stream)) for each in resolved["operations"]]
    return [
        Item(label=label(each), verb=each["action"], state="conflict" if reason else "ok", message=reason)
        for each, reason in reasons
    ]


def apply(resolved: Json, selection: Selection, context: ProposalContext) -> Outcome:
    """Apply the chosen operations, except those that have become impossible. Runs in a transaction."""
    stream = get_stream(context.user, context.object_id, lock=True)
    added: list[Json] = []
    removed: list[Json] = []
    failed: dict[int, str] = {}
    for index in selection.items:
        operation = resolved["operations"][index]
        kind, name = operation["kind"], operation["name"]
        if reason := obstacle(operation, stream=stream):
            failed[index] = reason
        elif operation["action"] == "add":
            query = {"query": operation["query"]} if kind == "source" else {}
            entry = MODELS[kind].objects.create(stream=stream, name=name, **query)
            added.append({"kind": kind, "id": entry.pk})
        else:
            entries = MODELS[kind].objects.filter(stream=stream, name=name)
            removed.append({"kind": kind, "values": entries.values().get()})
            entries.delete()
    if not added and not removed:
        raise ProposalConflict("None of these changes is possible any more.")
    change = SetupChange.objects.create(stream=stream, added=added, removed=removed)
    done = f"{len(added)} added, {len(removed)} removed."
    return Outcome(message=done, failed=failed, undo_token=str(change.pk))


def undo(token: str, context: ProposalContext) -> None:
    """Delete what was added, and create what was removed with its former id. Runs in a transaction."""
    stream = get_stream(context.user, context.object_id, lock=True)
    change = SetupChange.objects.get(pk=token, stream=stream)
    for each in change.added:
        MODELS[each["kind"]].objects.filter(stream=stream, pk=each["id"]).delete()
    for each in change.removed:
        model, values = MODELS[each["kind"]], each["values"]
        if model.objects.filter(stream=stream, name=values["name"]).exists():
            raise ProposalConflict(f"“{values['name']}” was added again in the meantime.")
        model.objects.create(**values)
    change.delete()


register_payload_type(
    PayloadType(
        name="setup_proposal",
        description="Changes to the sources and keywords of a stream.",
        source="llm",
        parse_marker="SETUP_PROPOSAL:",
        schema={
            "type": "object",
            "properties": {"operations": {"type": "array", "minItems": 1, "maxItems": 30, "items": OPERATION}},
            "required": ["operations"],
            "additionalProperties": False,
        },
        llm_instructions="""\
SETUP_PROPOSAL - when the user asks to change sources or keywords, or how to improve them:

SETUP_PROPOSAL: {"operations": [{"action": "add", "kind": "source", "name": "Naps", "query": "naps[ti] AND memory"}]}

`action` is add or delete, `kind` is source or keyword; only a source that is added has a `query`, for PubMed. To change
a source, delete it and add one with another name. Nothing changes until the user applies the proposal.\
""",
        frontend_config={"panel_width": "520px", "title": "Changes to this stream", "icon": "diff"},
        check=check,
        preview=preview,
        apply=apply,
        undo=undo,
    )
)
