"""Files of tables: their contents in the storage, the tables they belong to, and the rows that have had them."""
from __future__ import annotations

import secrets

from django.conf import settings
from django.db import models

from tables.models.tables import Table


def new_file_key() -> str:
    """Return 32 random URL-safe characters."""
    return secrets.token_urlsafe(24)


class FileContent(models.Model):
    """The content of a file in the storage, which copies of a table share.

    The row is created before the content is stored, and deleted after it, so that no content is lost track of.
    `thumbnail_type` is the media type of its thumbnail, "" for none. From `deleted_at` on it is being deleted, and no
    table can get it any more.
    """

    key = models.CharField(primary_key=True, max_length=32, default=new_file_key, editable=False)
    size = models.PositiveBigIntegerField()
    type = models.CharField(max_length=127)
    thumbnail_type = models.CharField(max_length=32, blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)
    deleted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"file content {self.pk}"


class TableFile(models.Model):
    """A file of a table. Its id in cells and URLs is the key of its content.

    `check_at` is when to find out next whether anything refers to the file.
    """

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="files")
    content = models.ForeignKey(FileContent, on_delete=models.CASCADE, related_name="files")
    name = models.CharField(max_length=255)
    uploaded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="files_uploaded"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    check_at = models.DateTimeField(db_index=True)

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["table", "content"], name="one_file_per_table")]

    def __str__(self) -> str:
        return self.name


class FileRow(models.Model):
    """A row that has, or has had, a file in one of its cells.

    These rows are never deleted while the file exists, because undo may restore a value; the cells decide.
    """

    file = models.ForeignKey(TableFile, on_delete=models.CASCADE, related_name="file_rows")
    row_id = models.BigIntegerField()

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["file", "row_id"], name="one_entry_per_file_and_row")]

    def __str__(self) -> str:
        return f"file {self.file_id} in row {self.row_id}"
