"""Template tag that tells the chat tray whether the demo model answers."""

from __future__ import annotations

from django import template

from chat.provider import is_demo

register = template.Library()


@register.simple_tag
def uses_demo_model() -> bool:
    """Return whether the demo model answers, so that its notice is part of the first paint."""
    return is_demo()
