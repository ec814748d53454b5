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
        reach=permitted(reach, user=user),
        context=context,
        block=builder(context) if builder else NO_CONTEXT,
    )


def permitted(reach: Reach, *, user: Any) -> Reach:
    """The reach without the tools this person may not use."""
    tools = tuple(tool for tool in reach.tools if not tool.permission or user.has_perm(tool.permission))
    return replace(reach, tools=tools)
