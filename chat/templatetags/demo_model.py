"""Template tag for the notice of the demo model in the chat tray."""

from __future__ import annotations

from django import template

from chat.provider.configured import is_demo

register = template.Library()


@register.simple_tag
def uses_demo_model() -> bool:
    """Return whether the demo model is used, so that its notice is part of the first paint."""
    return is_demo()
