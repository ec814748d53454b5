"""Try a draft of the configuration in a sandbox conversation; its tools write nothing."""
from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import AbstractContextManager, aclosing
from dataclasses import dataclass, replace
from functools import partial
from inspect import isasyncgenfunction, iscoroutinefunction
from typing import TYPE_CHECKING, Any
from uuid import UUID

from asgiref.sync import async_to_sync
from django.utils import timezone

from chat.agent.tools import ToolConfig, ToolContext
from chat.exceptions import Invalid, Malformed
from chat.page_config import PageConfig
from chat.payload_types import PayloadType
from chat.proposals import CheckedProposal, ProposalContext
from chat.registry import Registry
from chat.services import StartedTurn, TurnRequest, start_turn
from chat.services.configuration.changes import Edit, validate_edits
from chat.turns.page import Page, model_for
from chat.turns.prompt.preview import PreviewTarget, preview_page, unsaved_catalogue
from chat.turns.runtime import TurnRuntime
from chat.turns.start import start_stored_turn
from shared.websockets.credentials import Credential

if TYPE_CHECKING:
    from chat.models import Turn

NOT_WRITTEN = "Nothing was written: instructions are being tried out here. Go on as if it had been done."

Json = dict[str, Any]
TemporaryExample = Callable[[Any], AbstractContextManager[str]]


@dataclass(frozen=True)
class Trial:
    """A message on a page, answered under the configuration with these unsaved edits.

    `conversation_id`: an earlier trial on this page, which the message continues; "" to start a new one.
    """

    client_turn_id: UUID
    target: PreviewTarget
    message: str
    conversation_id: str = ""
    unsaved: Sequence[Edit] = ()


async def start_trial(runtime: TurnRuntime, *, user: Any, trial: Trial, credential: Credential) -> Turn:
    """Return the started turn, or the one that was started with this `client_turn_id`. Its tokens count as `user`'s.

    Raises Invalid for a draft that cannot be saved, NotFound for a page that cannot be viewed or a trial of another
    user, and the errors of `start_turn`.
    """
    return await start_stored_turn(runtime, partial(_store, user=user, trial=trial), credential=credential)


def _store(*, user: Any, trial: Trial) -> tuple[Page, StartedTurn]:
    # Before calling the model, because a faulty draft would be ignored.
    try:
        validate_edits(trial.unsaved)
    except Malformed as error:
        raise Invalid(error.detail, path=error.path, faults=error.faults) from None
    target = trial.target
    catalogue = unsaved_catalogue(trial.unsaved)
    example = _example_of(target, page=catalogue.pages.get(target.page))
    page = _without_writes(preview_page(target, catalogue=catalogue), example=example)
    request = TurnRequest(
        client_turn_id=trial.client_turn_id,
        page=target.page,
        object_id=target.object_id,
        context={
            "current_page": target.page,
            "active_tab": target.tab,
            "active_subtab": target.subtab,
            "real": target.real,
        },
        message=trial.message,
        conversation_id=trial.conversation_id,
        sandbox=True,
        model=model_for(page),
        tab=target.tab,
        configuration=catalogue.version,
    )
    return page, start_turn(
        user=user, request=request, now=timezone.now(), turns_a_minute=catalogue.engine.turns_a_minute
    )


def _example_of(target: PreviewTarget, *, page: PageConfig | None) -> TemporaryExample | None:
    """Return the context manager that creates the page's example, or None for a real object or no example."""
    if page is None or target.shows(page):
        return None
    return page.temporary_example


def _without_writes(page: Page, *, example: TemporaryExample | None) -> Page:
    """Return the page with tools that write nothing, and that find the example as the page's object."""
    scoped = bool(page.entries.config.object_key)
    tools = tuple(_harmless_tool(tool, example=example, scoped=scoped) for tool in page.entries.tools)
    if example is None:
        return replace(page, entries=replace(page.entries, tools=tools))
    kinds = [_kind_with_example(kind, example=example, scoped=scoped) for kind in page.catalogue.payload_types]
    catalogue = replace(page.catalogue, payload_types=_registry(kinds, like=page.catalogue.payload_types))
    return replace(page, entries=replace(page.entries, tools=tools), catalogue=catalogue)


def _harmless_tool(tool: ToolConfig, *, example: TemporaryExample | None, scoped: bool) -> ToolConfig:
    if tool.writes != "none":
        return replace(tool, executor=_nothing_written, writes="none")
    if example is None:
        return tool
    create, executor = example, tool.executor

    def execute(params: Json, *, user: Any, context: ToolContext) -> Any:
        with create(user) as object_id:
            found = replace(context, object_id=object_id) if scoped else context
            return _run(executor, params, user=user, context=found)

    return replace(tool, executor=execute)


def _run(executor: Callable[..., Any], params: Json, *, user: Any, context: ToolContext) -> Any:
    """Return the result of a tool of any kind. It runs in this thread, whose transaction has the example."""
    if iscoroutinefunction(executor):
        return async_to_sync(executor)(params, user=user, context=context)
    if isasyncgenfunction(executor):
        return async_to_sync(_last_item)(executor(params, user=user, context=context))
    return executor(params, user=user, context=context)


async def _last_item(steps: AsyncGenerator[Any, None]) -> Any:
    last: Any = None
    async with aclosing(steps):
        async for item in steps:
            last = item
    return last


def _nothing_written(params: Json, *, user: Any, context: ToolContext) -> str:
    return NOT_WRITTEN


def _kind_with_example(kind: PayloadType, *, example: TemporaryExample, scoped: bool) -> PayloadType:
    check = kind.check
    if check is None:
        return kind

    def check_with_example(data: Json, context: ProposalContext) -> CheckedProposal:
        with example(context.user) as object_id:
            return check(data, replace(context, object_id=object_id) if scoped else context)

    return replace(kind, check=check_with_example)


def _registry(entries: Iterable[PayloadType], *, like: Registry[PayloadType]) -> Registry[PayloadType]:
    registry: Registry[PayloadType] = Registry(like.kind)
    for entry in entries:
        registry.register(entry)
    return registry
