"""App config of fills."""
from __future__ import annotations

from django.apps import AppConfig


class FillsConfig(AppConfig):
    """App config of fills, which needs the apps `tables` and `chat`."""

    name = "fills"
    verbose_name = "Fills"
