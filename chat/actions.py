"""Actions: what the assistant may offer as a button, run in the browser (client) or posted to the server."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from chat.registry import Registry

Json = dict[str, Any]

NO_PARAMETERS: Json = {"type": "object", "properties": {}, "additionalProperties": False}


@dataclass(frozen=True)
class ClientAction:
    """One action of the browser; `parameters` are the names of what its `data` may hold.

    `schema` is the JSON Schema of `data`; without one the page's script checks it alone. With `may_run` the model may
    have the action run without a click where it was plainly asked for: for what changes only this person's view, or
    can be undone with one click. `writes`: it changes the page's object, so those who may only read it do not have it.
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
    """What a server action knows of where it is run. `object_id` is the page's object ("" where it has none)."""

    page: str
    object_id: str = ""
    conversation_id: str = ""


@dataclass(frozen=True)
class ActionResult:
    """`message` is one sentence for the person, told to the assistant as well; `data` is for the page's script."""

    message: str
    data: Json = field(default_factory=dict)


@dataclass(frozen=True)
class ServerAction:
    """One action of the server. `parameters` is the JSON Schema of its `data`, an object.

    `executor(data, *, user, context: ActionContext)` is sync, then it runs in one transaction with its record, or
    async; it returns a sentence or an ActionResult and raises an ActionFailure for what the person should hear.
    `permission` is a Django permission. Where somebody may only read the page's object, `only_reads` ones are left.
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
    """Declares a client action."""
    return client_actions.register(entry)


def register_server_action(entry: ServerAction) -> ServerAction:
    """Declares a server action."""
    return server_actions.register(entry)


register_client_action(ClientAction(action="close_chat", description="Close the chat panel.", is_global=True))
