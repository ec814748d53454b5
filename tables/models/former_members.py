"""Users who have left a table."""
from __future__ import annotations

from django.conf import settings
from django.db import models

from tables.models.tables import Table


class FormerMember(models.Model):
    """A user who has left a table, whose name its cells with people still show. Deleted with the account."""

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="former_members")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["table", "user"], name="one_entry_per_former_member")]

    def __str__(self) -> str:
        return str(self.user)
