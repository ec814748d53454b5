"""Models: reports, which are collections of research papers, and their papers."""
from __future__ import annotations

from django.conf import settings
from django.db import models


class Report(models.Model):
    """A user's collection of papers on one question."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="reports")
    title = models.CharField(max_length=200)

    def __str__(self) -> str:
        return self.title


class Paper(models.Model):
    """A paper of a report; `flagged` marks it for close reading."""

    report = models.ForeignKey(Report, on_delete=models.CASCADE, related_name="papers")
    title = models.CharField(max_length=200)
    authors = models.CharField(max_length=200)
    year = models.PositiveIntegerField()
    flagged = models.BooleanField(default=False)

    class Meta:
        ordering = ["-year", "id"]

    def __str__(self) -> str:
        return self.title
