"""The locale of the user of the current request, set by a middleware."""
from __future__ import annotations

from asgiref.local import Local
from django.utils.translation import get_language

from shared.locales.tags import DEFAULT, known_tag

_active = Local()


def activate(tag: str) -> None:
    """Set the locale of the current request."""
    _active.tag = tag


def deactivate() -> None:
    """Use the locale of the current language again."""
    _active.tag = ""


def current_tag() -> str:
    """Return the locale of the current request, else that of the current language."""
    return getattr(_active, "tag", "") or known_tag(get_language() or DEFAULT) or DEFAULT
