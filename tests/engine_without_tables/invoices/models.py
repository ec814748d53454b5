"""Models: invoices."""
from __future__ import annotations

from django.conf import settings
from django.db import models


class Invoice(models.Model):
    """An invoice of a user to a customer."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="invoices")
    customer = models.CharField(max_length=200)
    paid = models.BooleanField(default=False)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.customer
