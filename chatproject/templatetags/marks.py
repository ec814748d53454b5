"""Template tags every page shares: icons out of the sprite, and a person's initials."""

from __future__ import annotations

from django import template
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag
def icon(name: str, extra: str = "") -> SafeString:
    """An icon of the sprite; decoration only, so hidden from screen readers."""
    classes = f"icon {extra}".strip()
    return format_html(
        '<svg class="{}" aria-hidden="true"><use href="{}#i-{}"/></svg>', classes, static("icons/sprite.svg"), name
    )


@register.filter
def initials(name: str) -> str:
    """Up to two letters that stand for a name."""
    words = [word for word in name.replace(".", " ").replace("_", " ").split() if word]
    letters = words[0][0] + words[-1][0] if len(words) > 1 else name[:1]
    return letters.upper()
