"""Registry entries for tests: a "notes" page whose proposals create groups, and tools of every kind."""
from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from django.contrib.auth.models import Group

from chat.agent.tools import ToolConfig, ToolContext, ToolProgress, ToolResult, tools
from chat.exceptions import NotFound, ToolFailure
from chat.page_config import ContextBlock, PageConfig, PageContext, TabConfig, pages
from chat.payload_types import (
    AppliedProposal,
    CheckedProposal,
    PayloadType,
    ProposalContext,
    StructuralFault,
    payload_types,
)
from tables.exceptions import Conflict

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
    operations = [{"index": index, "action": "add", "name": name} for index, name in enumerate(names)]
    return CheckedProposal(
        resolved={"operations": operations},
        summary=f"Make {len(names)} groups",
        content_hash="hash of " + ",".join(names),
        counts={"add": len(names)},
        subject_id=context.object_id,
    )


def preview(resolved: Json, choice: Json, context: ProposalContext) -> Json:
    """Return a preview in which existing names are errors."""
    existing = set(Group.objects.values_list("name", flat=True))
    operations = [
        {"index": op["index"], "state": "error" if op["name"] in existing else "ok"} for op in resolved["operations"]
    ]
    return {"operations": operations}


def apply(resolved: Json, choice: Json, context: ProposalContext) -> AppliedProposal:
    """Create the groups; an existing name fails the apply after some were created."""
    applied, skipped = [], []
    for operation in resolved["operations"]:
        if choice["operations"] != "all" and operation["index"] not in choice["operations"]:
            skipped.append({"index": operation["index"], "reason": "not_chosen"})
            continue
        if Group.objects.filter(name=operation["name"]).exists():
            raise Conflict(f"{operation['name']} is taken.")
        group = Group.objects.create(name=operation["name"])
        applied.append({"index": operation["index"], "row_id": group.pk, "name": group.name})
    return AppliedProposal(
        status="partially_applied" if skipped else "applied",
        outcome={"change": 1, "applied": applied, "skipped": skipped},
        moved_to="moved" if context.object_id == "mover" else "",
    )


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
        stack.enter_context(payload_types.lent(PROPOSAL, CHART))
        stack.enter_context(tools.lent(*TOOLS))
        stack.enter_context(pages.lent(NOTES))
        yield
