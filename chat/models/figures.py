"""Proxy model for the statistics in the admin."""
from __future__ import annotations

from chat.models.conversations import Turn


class Figures(Turn):
    """Totals of turns, overall and by day. They name no user, so they have a separate permission."""

    class Meta:
        proxy = True
        default_permissions = ()
        permissions = [("view_figures", "View statistics of the assistant")]
        verbose_name = verbose_name_plural = "assistant statistics"
