"""Tools: what one is, what it is told, what it may answer."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from chat.registry import Registry

Json = dict[str, Any]


@dataclass
class ToolContext:
    """What a tool knows of the turn it runs in. `object_id` is the page's object; tools never take it as a parameter.

    `view` is the UI state the client sent (filter, sort, search, selected rows): hints, to be checked. `used` counts
    per kind of write within the turn. `catalogue` is what the turn goes by (chat.catalogue.Catalogue).
    """

    page: str
    object_id: str = ""
    conversation_id: str = ""
    turn_id: str = ""
    view: Json = field(default_factory=dict)
    used: dict[str, int] = field(default_factory=dict)
    catalogue: Any = None


@dataclass(frozen=True)
class ToolResult:
    """`text` goes to the model; `payload` (`{"type","data"}`) to the page; `undo` says how the effect is taken back."""

    text: str
    payload: Json | None = None
    undo: Json | None = None


@dataclass(frozen=True)
class ToolEffect:
    """What an async tool that writes ends with: `work()`, sync, does the write and gives the result.

    It runs in one transaction with its record, which an async tool cannot hold open by itself.
    """

    work: Callable[[], str | ToolResult]


@dataclass(frozen=True)
class ToolProgress:
    """A step of a long-running tool; `progress` is 0–1 or None."""

    stage: str
    message: str
    progress: float | None = None
    data: Json | None = None


@dataclass(frozen=True)
class ToolConfig:
    """One tool. `executor(params, *, user, context)` is sync, async, or an async generator of ToolProgress that ends
    with a result; it returns a string or a ToolResult and raises ToolFailure for what the model should hear.

    `label` is what the person reads while it runs. `writes` is "none" or "row": what only reads may run at the same
    time as other tools, in a thread of its own; what writes runs alone, and its effect and its record are one
    transaction. An async tool that writes therefore ends with a ToolEffect.
    """

    name: str
    description: str
    input_schema: Json
    executor: Callable[..., Any]
    label: str = ""
    category: str = ""
    payload_type: str = ""
    is_global: bool = False
    permission: str = ""
    writes: str = "none"

    def as_api(self) -> Json:
        """The form the Messages API takes."""
        return {"name": self.name, "description": self.description, "input_schema": self.input_schema}


tools: Registry[ToolConfig] = Registry("tool")


def register_tool(entry: ToolConfig) -> ToolConfig:
    """Declares a tool."""
    return tools.register(entry)
