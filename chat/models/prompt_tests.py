"""Stored messages with which administrators try changes to the configuration."""
from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone


class PromptTest(models.Model):
    """A test of the prompt of a page: the user's messages of a short conversation, which are sent in order.

    `position` orders the tests of a page. Deleted tests can be restored for some months.
    """

    page = models.CharField(max_length=64)
    tab = models.CharField(max_length=64, blank=True)
    subtab = models.CharField(max_length=64, blank=True)
    title = models.CharField(max_length=120)
    messages: models.JSONField[Any, Any] = models.JSONField(default=list)
    position = models.PositiveIntegerField(default=0)
    updated_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    updated_at = models.DateTimeField(default=timezone.now)
    deleted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [models.Index(fields=["page", "position"], name="prompt_tests_of_a_page")]
        default_permissions = ()

    def __str__(self) -> str:
        return self.title

    @property
    def place(self) -> str:
        """"page/tab/subtab", without those that are empty."""
        return "/".join(filter(None, (self.page, self.tab, self.subtab)))
