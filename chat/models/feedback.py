"""Ratings of answers."""
from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.text import Truncator

from chat.models.conversations import Message


class Feedback(models.Model):
    """A user's thumbs up or down for one answer, with an optional reason; deleted with the answer."""

    class Rating(models.TextChoices):
        UP = "up"
        DOWN = "down"

    message = models.ForeignKey(Message, on_delete=models.CASCADE, related_name="feedback")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    rating = models.CharField(max_length=8, choices=Rating.choices)
    reason = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        default_permissions = ()
        permissions = [("view_feedback", "View ratings of answers and their reasons")]
        constraints = [models.UniqueConstraint(fields=["message", "user"], name="one_feedback_per_message")]
        indexes = [models.Index(fields=["-updated_at"], name="feedback_latest_first")]
        verbose_name = "rating"
        verbose_name_plural = "ratings"

    def __str__(self) -> str:
        return f"{self.rating}: {Truncator(self.reason).chars(60)}" if self.reason else str(self.rating)
