"""Imported files, their staged rows and the cells that cannot be read. They are deleted after a day."""
from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models

from tables.models.tables import Table


class Import(models.Model):
    """An uploaded file with the choices about it, and the progress of its import.

    `sniffed` is the result of `tables.importing.sniffing`, `choices` the user's choices, `plan` the target columns of
    the current run. `run` is renewed with each start, so that an earlier run cannot write any more. `progress` counts
    to `progress_end`, in a unit that depends on the file format.
    """

    class State(models.TextChoices):
        UPLOADING = "uploading"
        READY = "ready"
        QUEUED = "queued"
        READING = "reading"
        WAITING = "waiting"  # cells cannot be read, and the user has to decide about them
        WRITING = "writing"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="imports")
    table = models.ForeignKey(Table, null=True, on_delete=models.CASCADE, related_name="imports")
    name = models.CharField(max_length=255)
    size = models.PositiveBigIntegerField(default=0)
    state = models.CharField(max_length=16, choices=State.choices, default=State.UPLOADING)
    sniffed: models.JSONField[Any, Any] = models.JSONField(default=dict)
    choices: models.JSONField[Any, Any] = models.JSONField(default=dict)
    plan: models.JSONField[Any, Any] = models.JSONField(default=dict)
    run = models.UUIDField(null=True, blank=True)
    progress = models.PositiveBigIntegerField(default=0)
    progress_end = models.PositiveBigIntegerField(default=0)
    counts: models.JSONField[Any, Any] = models.JSONField(default=dict)
    error: models.JSONField[Any, Any] = models.JSONField(null=True)
    # Not a foreign key, because changes are deleted after their retention time.
    change_id = models.BigIntegerField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    heartbeat_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["user", "-created_at"], name="imports_by_user"),
            models.Index(fields=["created_at"], name="imports_by_age"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def staged_table_id(self) -> int:
        """The `table_id` of rows staged from now on: that of the table, for a new table a negative number."""
        return self.table_id if self.table_id is not None else -self.pk

    @property
    def staged(self) -> models.QuerySet[StagedRows]:
        """The staged rows in order, read from the partitions of the table, also once it has been created."""
        return StagedRows.objects.filter(table_id__in=[self.staged_table_id, -self.pk], imported_id=self.pk)


class ImportPiece(models.Model):
    """A part of an uploaded file."""

    imported = models.ForeignKey(Import, on_delete=models.CASCADE, related_name="pieces")
    index = models.PositiveIntegerField()
    content = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["imported", "index"], name="import_pieces_in_order")]
        ordering = ["index"]

    def __str__(self) -> str:
        return f"piece {self.index} of import {self.imported_id}"


class StagedRows(models.Model):
    """Parsed rows, not yet written, in the form of `tables.services.imports.staged_rows`.

    PostgreSQL partitions them by `table_id` (`Import.staged_table_id`). Who deletes an import deletes them first.
    """

    table_id = models.BigIntegerField(null=True)
    imported = models.ForeignKey(
        Import, on_delete=models.CASCADE, related_name="+", db_constraint=False, db_index=False
    )
    index = models.PositiveIntegerField()
    rows = models.TextField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["table_id", "imported", "index"], name="staged_rows_in_order")]
        ordering = ["index"]

    def __str__(self) -> str:
        return f"rows {self.index} of import {self.imported_id}"


class RefusedCells(models.Model):
    """Cells of a file that cannot be read: a JSON list in the form of `tables.importing.refused_cells`.

    `first` is the number of cells in earlier parts.
    """

    imported = models.ForeignKey(Import, on_delete=models.CASCADE, related_name="refused")
    first = models.PositiveIntegerField()
    cells: models.JSONField[Any, Any] = models.JSONField(default=list)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["imported", "first"], name="refused_cells_in_order")]
        ordering = ["first"]

    def __str__(self) -> str:
        return f"refused cells of import {self.imported_id} from {self.first}"
