"""What a turn goes by from its start to its end: who, where, what is in reach, and what the page shows."""
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from chat.page_config import ContextBlock, PageContext, Reach, resolve
from chat.services import TurnRequest
from chat.turns.request import view_of

if TYPE_CHECKING:
    from chat.models import Turn

NO_CONTEXT = ContextBlock(text="", data={})


@dataclass(frozen=True)
class Page:
    """A page as one person has it now."""

    user: Any
    reach: Reach
    context: PageContext
    block: ContextBlock


@dataclass(frozen=True)
class Snapshot:
    """A stored turn on its page."""

    turn: Turn
    page: Page


def look_at_page(*, user: Any, request: TurnRequest) -> Page:
    """The page with what this person may use there.

    Raises what the page's context builder raises for an object that is not this person's.
    """
    reach = resolve(
        request.page,
        tab=str(request.context.get("active_tab") or ""),
        subtab=str(request.context.get("active_subtab") or ""),
    )
    assert reach is not None, "the request was read against the registry"
    context = PageContext(
        user=user,
        page=request.page,
        object_id=request.object_id,
        view=view_of(request.context, config=reach.config),
    )
    builder = reach.config.context_builder
    return Page(
        user=user,
        reach=permitted(reach, context=context),
        context=context,
        block=builder(context) if builder else NO_CONTEXT,
    )


def permitted(reach: Reach, *, context: PageContext) -> Reach:
    """The reach without what this person may not use: tools by permission, writing by their right to the object."""
    tools = tuple(tool for tool in reach.tools if not tool.permission or context.user.has_perm(tool.permission))
    reach = replace(reach, tools=tools)
    return reach if may_change(reach, context=context) else for_reading(reach)


def may_change(reach: Reach, *, context: PageContext) -> bool:
    """Whether the person may change what the page is about. Raises what the page raises for another's object."""
    asked = reach.config.may_write
    return asked is None or asked(context)


def for_reading(reach: Reach) -> Reach:
    """The reach without tools that write, and without proposals."""
    tools = tuple(tool for tool in reach.tools if tool.writes == "none")
    return replace(reach, tools=tools, payload_types=tuple(k for k in reach.payload_types if not k.is_proposal))
