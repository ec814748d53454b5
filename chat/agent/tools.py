"""Tools of the model: their declaration, arguments and results."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from chat.registry import Registry

Json = dict[str, Any]


@dataclass
class ToolContext:
    """The turn in which a tool runs. `object_id` is the page's object, which tools never take as a parameter.

    `view` is the UI state sent by the client (filter, sort, search, selected rows), which must be checked. `used` is
    the number of writes within the turn by type. `catalogue` is the turn's `chat.catalogue.Catalogue`.
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
    """The result of a tool: `text` for the model, `payload` (`{"type","data"}`) for the page, `undo` to undo it."""

    text: str
    payload: Json | None = None
    undo: Json | None = None


@dataclass(frozen=True)
class ToolEffect:
    """The result of an async tool that writes: `work()`, a sync function, does the write and returns the result.

    It runs in one transaction with its record, which an async tool cannot hold open itself.
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
    """One tool.

    `executor(params, *, user, context)` is a function, a coroutine function, or an async generator of ToolProgress with
    the result at the end. The result is a string or a ToolResult. It raises ToolFailure for failures that the model
    should know.

    `label` is its name for users and `icon` the icon beside it, of the icon set. Without a label, users see `name`.
    `category` is shown to administrators in the list of tools.

    `writes` is "none" or "row": tools that only read may run concurrently, in separate threads; tools that write run
    alone, in one transaction with their record. An async tool that writes therefore returns a ToolEffect.

    `examples` are sentences of users with the input that they mean, for the demo model. A placeholder in a sentence,
    such as `{words}`, can be used in its input.
    """

    name: str
    description: str
    input_schema: Json
    executor: Callable[..., Any]
    label: str = ""
    icon: str = ""
    category: str = ""
    payload_type: str = ""
    is_global: bool = False
    permission: str = ""
    writes: str = "none"
    examples: Mapping[str, Json] = field(default_factory=dict)

    def as_api(self) -> Json:
        """Return the tool's declaration for the Messages API."""
        return {"name": self.name, "description": self.description, "input_schema": self.input_schema}


tools: Registry[ToolConfig] = Registry("tool")


def register_tool(entry: ToolConfig) -> ToolConfig:
    """Register a tool."""
    return tools.register(entry)
