"""Which model provider the settings name."""
from __future__ import annotations

from django.conf import settings


def is_demo() -> bool:
    """Return whether the built-in demo model answers: neither a key nor a server is configured."""
    return not (settings.ANTHROPIC_API_KEY or settings.ANTHROPIC_BASE_URL)
