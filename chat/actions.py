"""Client actions: what the assistant may offer as a button that runs in the browser."""
from __future__ import annotations

from dataclasses import dataclass

from chat.registry import Registry


@dataclass(frozen=True)
class ClientAction:
    """One action; `parameters` are the names of what its `data` may hold."""

    action: str
    description: str
    parameters: tuple[str, ...] = ()
    is_global: bool = False

    @property
    def name(self) -> str:
        """Its name in the registry."""
        return self.action


client_actions: Registry[ClientAction] = Registry("client action")


def register_client_action(entry: ClientAction) -> ClientAction:
    """Declares a client action."""
    return client_actions.register(entry)


register_client_action(ClientAction(action="close_chat", description="Close the chat panel.", is_global=True))
