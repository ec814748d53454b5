"""Registry entries for tests: a "notes" page whose proposals create groups, and tools of every kind."""
from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from django.contrib.auth.models import Group

from chat.agent.tools import ToolConfig, ToolContext, ToolProgress, ToolResult, tools
from chat.exceptions import NotFound, ProposalConflict, ToolFailure
from chat.page_config import ContextBlock, PageConfig, PageContext, TabConfig, pages
from chat.payload_types import PayloadType, payload_types
from chat.proposals import CheckedProposal, Item, Outcome, ProposalContext, Selection, StructuralFault

Json = dict[str, Any]
ANY_OBJECT = {"type": "object"}


def build_context(context: PageContext) -> ContextBlock:
    """Return the context of a note; ids that begin with "secret" belong to another user."""
    if context.object_id.startswith("secret"):
        raise NotFound("There is no such note.")
    return ContextBlock(text="The person is looking at a note.", data={"page": context.page, "note": context.object_id})


def check(data: Json, context: ProposalContext) -> CheckedProposal:
    """Resolve a proposal: `names` are the groups to create."""
    names = data.get("names")
    if not names:
        raise StructuralFault("names: at least one name is needed.")
    return CheckedProposal(
        resolved={"names": names},
        items=[Item(label=name, verb="add") for name in names],
        summary=f"Make {len(names)} groups",
        content_hash="hash of " + ",".join(names),
        subject_id=context.object_id,
    )


def preview(resolved: Json, selection: Selection, context: ProposalContext) -> list[Item]:
    """Return a preview in which existing names are errors."""
    existing = set(Group.objects.values_list("name", flat=True))
    return [
        Item(label=name, verb="add", state="error" if name in existing else "ok")
        for name in resolved["names"]
    ]


def apply(resolved: Json, selection: Selection, context: ProposalContext) -> Outcome:
    """Create the groups; an existing name fails the apply after some were created."""
    groups = []
    for index in selection.items:
        name = selection.edits.get(index, {}).get("name", resolved["names"][index])
        if Group.objects.filter(name=name).exists():
            raise ProposalConflict(f"{name} is taken.")
        groups.append(Group.objects.create(name=name))
    return Outcome(
        message=f"Made {len(groups)} groups.",
        undo_token=",".join(str(group.pk) for group in groups),
        details={"rows": [group.pk for group in groups]},
        moved_to="moved" if context.object_id == "mover" else "",
    )


def undo(token: str, context: ProposalContext) -> None:
    """Delete the groups, unless a user has joined one."""
    groups = Group.objects.filter(pk__in=token.split(","))
    if groups.filter(user__isnull=False).exists():
        raise ProposalConflict("A user has joined a group.")
    groups.delete()


def echo(params: Json, *, user: Any, context: ToolContext) -> str:
    """Return the user, the object and the input."""
    return f"{user.username} {context.object_id} {params.get('say', '')}"


def make_group(params: Json, *, user: Any, context: ToolContext) -> ToolResult:
    """Create a group; a name with "!" fails after the write."""
    group = Group.objects.create(name=params["name"])
    if "!" in params["name"]:
        raise ToolFailure("No exclamation, please.")
    return ToolResult(text=f"made {group.name}", undo={"group": group.pk})


async def count_slowly(params: Json, *, user: Any, context: ToolContext) -> AsyncIterator[Any]:
    """Report two progress steps."""
    yield ToolProgress(stage="one", message="Counting", progress=0.5)
    yield ToolProgress(stage="two", message="Counted", progress=1.0)
    yield ToolResult(text="two", payload={"type": "note_chart", "data": {"bars": [1, 2]}})


def tool(name: str, executor: Any, **more: Any) -> ToolConfig:
    """Return a tool that takes any object."""
    return ToolConfig(name=name, description=f"Does {name}.", input_schema=ANY_OBJECT, executor=executor, **more)


PROPOSAL = PayloadType(
    name="note_proposal",
    description="Groups to make.",
    source="llm",
    schema={"type": "object", "properties": {"names": {"type": "array", "items": {"type": "string"}}}},
    llm_instructions="NOTE_PROPOSAL: {\"names\": […]}",
    parse_marker="NOTE_PROPOSAL:",
    check=check,
    preview=preview,
    apply=apply,
    undo=undo,
    edit_schema={
        "type": "object",
        "properties": {"name": {"type": "string", "minLength": 1}},
        "additionalProperties": False,
    },
)
CHART = PayloadType(
    name="note_chart",
    description="A chart.",
    source="tool",
    schema=ANY_OBJECT,
    summarize=lambda data: f"{len(data['bars'])} bars",
)
TOOLS = (
    tool("echo", echo),
    tool("make_group", make_group, writes="row"),
    tool("count_slowly", count_slowly, payload_type="note_chart"),
    tool("staff_only", echo, permission="auth.delete_user"),
)
NOTES = PageConfig(
    page="notes",
    identity="You help with notes.",
    context_builder=build_context,
    context_schema={"type": "object", "properties": {"mood": {"enum": ["good", "bad"]}}},
    object_key="note_id",
    tools=("echo", "make_group", "count_slowly", "staff_only"),
    payloads=("note_proposal",),
    tabs={"plain": TabConfig(instructions="Be plain.")},
    starters=("Make two groups",),
)


@contextmanager
def note_entries() -> Iterator[None]:
    """Register the entries of this module for the duration of the block."""
    with ExitStack() as stack:
        stack.enter_context(payload_types.registered(PROPOSAL, CHART))
        stack.enter_context(tools.registered(*TOOLS))
        stack.enter_context(pages.registered(NOTES))
        yield
