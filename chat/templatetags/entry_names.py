"""Readable names of entries of the configuration in the admin."""
from __future__ import annotations

from typing import Any

from django.template import Library

from chat.selectors.configuration.names import readable_name

register = Library()
KINDS_BY_REGISTRY = {
    "pages": "page", "tools": "tool", "payload_types": "payload_type", "client_actions": "client_action",
    "server_actions": "server_action",
}  # fmt: skip


@register.filter
def readable(name: Any, kind: str) -> str:
    """Return the readable name of an entry: `{{ "get_rows"|readable:"tool" }}` is "Read rows"."""
    return readable_name(KINDS_BY_REGISTRY.get(kind, kind), str(name))
