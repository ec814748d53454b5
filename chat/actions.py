"""Actions that the assistant can suggest as buttons; client actions run in the browser."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from chat.registry import Registry

Json = dict[str, Any]

NO_PARAMETERS: Json = {"type": "object", "properties": {}, "additionalProperties": False}


@dataclass(frozen=True)
class ClientAction:
    """An action of the browser; `parameters` are the keys of its `data`.

    `schema` is the JSON Schema of `data`; without it only the page's script checks the data. With `may_run` the model
    may run the action without a click when the user asked for exactly this: only for actions that change the user's own
    view, or can be undone with one click. `writes`: the action changes the page's object.
    """

    action: str
    description: str
    parameters: tuple[str, ...] = ()
    is_global: bool = False
    schema: Json = field(default_factory=dict)
    may_run: bool = False
    writes: bool = False

    @property
    def name(self) -> str:
        """Its name in the registry."""
        return self.action


@dataclass(frozen=True)
class ActionContext:
    """The context of a server action. `object_id` is the page's object, or ""."""

    page: str
    object_id: str = ""
    conversation_id: str = ""


@dataclass(frozen=True)
class ActionResult:
    """`message` is a sentence for the user and the model; `data` is for the page's script."""

    message: str
    data: Json = field(default_factory=dict)


@dataclass(frozen=True)
class ServerAction:
    """An action of the server. `parameters` is the JSON Schema of its `data`, an object.

    `executor(data, *, user, context: ActionContext)` is sync, and then runs in one transaction with its record, or
    async. It returns a sentence or an ActionResult, and raises ActionFailure with a text for the user. `permission` is
    a Django permission. Users who may only read the page's object have actions with `only_reads`.
    """

    action: str
    description: str
    executor: Callable[..., Any]
    parameters: Json = field(default_factory=lambda: dict(NO_PARAMETERS))
    permission: str = ""
    only_reads: bool = False
    is_global: bool = False

    @property
    def name(self) -> str:
        """Its name in the registry."""
        return self.action


client_actions: Registry[ClientAction] = Registry("client action")
server_actions: Registry[ServerAction] = Registry("server action")


def register_client_action(entry: ClientAction) -> ClientAction:
    """Register a client action."""
    return client_actions.register(entry)


def register_server_action(entry: ServerAction) -> ServerAction:
    """Register a server action."""
    return server_actions.register(entry)


register_client_action(ClientAction(action="close_chat", description="Close the chat panel.", is_global=True))
