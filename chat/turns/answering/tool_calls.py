"""Run the tools of a turn as its user; a change and its record are one transaction."""
from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from contextlib import aclosing
from functools import partial
from typing import Any, TypeVar
from uuid import UUID

from django.db import transaction

from chat.agent.tool_runner import Emit
from chat.agent.tools import ToolConfig, ToolContext, ToolEffect, ToolProgress, ToolResult
from chat.exceptions import ToolFailure
from chat.services import record_tool_call
from chat.turns.database import in_tool_thread
from shared import strictjson
from shared.user_messages import CodedError
from shared.websockets.credentials import Credential, is_valid

T = TypeVar("T")
Json = dict[str, Any]

ACCESS_ENDED = "The access of the user has ended. Nothing was done."


class AccessEnded(Exception):
    """The credential that started the turn is no longer valid."""


class ToolCalls:
    """The tools of one turn, run as its user. `written` counts the writing calls that succeeded.

    Each call, and each write in its transaction, first checks the `credential` that started the turn. When it is no
    longer valid, nothing is done and `on_access_ended` is called.
    """

    def __init__(
        self,
        *,
        user: Any,
        turn_id: UUID,
        context: ToolContext,
        credential: Credential,
        on_access_ended: Callable[[], None],
    ) -> None:
        self._user = user
        self._turn_id = turn_id
        self._context = context
        self._credential = credential
        self._on_access_ended = on_access_ended
        self.written = 0
        self._writers: set[str] = set()

    async def run(self, tool: ToolConfig, params: Json, emit: Emit) -> ToolResult:
        """Run a tool and return its result. Raises ToolFailure with a text for the model."""
        try:
            if inspect.isasyncgenfunction(tool.executor):
                await self._in_thread(self._check_access)
                return await self._apply_effect(tool, params, await self._last_item(tool, params, emit))
            if inspect.iscoroutinefunction(tool.executor):
                await self._in_thread(self._check_access)
                given = await tool.executor(params, user=self._user, context=self._context)
                return await self._apply_effect(tool, params, given)
            work = partial(tool.executor, params, user=self._user, context=self._context)
            if tool.writes == "none":
                # No transaction around reads: on SQLite it would take the write lock.
                return await self._in_thread(partial(self._read, work))
            return await self._in_thread(partial(self._write, tool, params, work))
        except ToolFailure:
            raise
        except AccessEnded:
            self._on_access_ended()
            raise ToolFailure(ACCESS_ENDED) from None
        except CodedError as error:
            raise ToolFailure(error.detail) from error

    def count_written(self, history: Iterable[Json]) -> int:
        """Return the number of successful writing calls in a tool history."""
        return sum(1 for entry in history if entry["tool_name"] in self._writers and not entry["is_error"])

    async def _last_item(self, tool: ToolConfig, params: Json, emit: Emit) -> Any:
        last: Any = None
        async with aclosing(tool.executor(params, user=self._user, context=self._context)) as steps:
            async for item in steps:
                if isinstance(item, ToolProgress):
                    emit(item)
                else:
                    last = item
        return last

    async def _apply_effect(self, tool: ToolConfig, params: Json, given: Any) -> ToolResult:
        """Return the result of an async tool, after its ToolEffect."""
        if tool.writes == "none":
            return _as_result(given)
        if not isinstance(given, ToolEffect):
            raise TypeError(f"{tool.name}: an async tool that writes must end with a ToolEffect or a ToolFailure.")
        return await self._in_thread(partial(self._write, tool, params, given.work))

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await in_tool_thread(work, user_id=self._user.pk)

    def _check_access(self) -> None:
        """Raise AccessEnded unless the credential that started the turn is valid."""
        if not is_valid(self._credential):
            raise AccessEnded

    def _read(self, work: Callable[[], Any]) -> ToolResult:
        self._check_access()
        return _as_result(work())

    def _write(self, tool: ToolConfig, params: Json, work: Callable[[], Any]) -> ToolResult:
        """Make the change and its record in one transaction."""
        with transaction.atomic():
            self._check_access()
            result = _as_result(work())
            self._record(tool, params, result)
        self.written += 1
        self._writers.add(tool.name)
        return result

    def _record(self, tool: ToolConfig, params: Json, result: ToolResult) -> None:
        record_tool_call(
            turn_id=self._turn_id,
            index=self.written,
            tool=tool.name,
            params=params,
            output=strictjson.replace_unstorable_text(result.text),
            undo=strictjson.replace_unstorable(result.undo),
        )


def _as_result(given: Any) -> ToolResult:
    if isinstance(given, ToolResult) and isinstance(given.text, str):
        return given
    if isinstance(given, str):
        return ToolResult(text=given)
    raise TypeError(f"A tool must return a string or a ToolResult, not {type(given).__name__}.")
