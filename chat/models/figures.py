"""What the admin counts of the chat."""
from __future__ import annotations

from chat.models.conversations import Turn


class Figures(Turn):
    """Turns as numbers, in sum and by the day: with a permission of its own, for they tell of nobody."""

    class Meta:
        proxy = True
        default_permissions = ("view",)
        verbose_name = verbose_name_plural = "assistant figures"
