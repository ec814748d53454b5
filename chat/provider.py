"""Which models the settings name, and which of them the built-in demo model stands in for."""
from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from django.conf import settings


@dataclass(frozen=True)
class ChatModel:
    """A model that can be chosen: `name` chooses it, `model` is what its server at `base_url` calls it."""

    name: str
    label: str
    model: str
    base_url: str = ""
    api_key: str = field(default="", repr=False)

    @property
    def server(self) -> str:
        """The server's address as it may be shown: without a password or a path."""
        parts = urlsplit(self.base_url or "https://api.anthropic.com")
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or ""
        return f"{parts.scheme}://{host}" + (f":{parts.port}" if parts.port else "")


def is_demo() -> bool:
    """Return whether the built-in demo model answers: neither a key nor a server is configured."""
    return not (settings.ANTHROPIC_API_KEY or settings.ANTHROPIC_BASE_URL)


def model_named(name: str) -> ChatModel:
    """Return the model of this name."""
    return ChatModel(
        name=name,
        label=name,
        model=name,
        base_url=settings.ANTHROPIC_BASE_URL,
        api_key=settings.ANTHROPIC_API_KEY,
    )
