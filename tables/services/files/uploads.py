"""Uploads of files to a table."""
from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.files import File
from django.db import transaction
from django.utils import timezone

from shared.user_messages import declare
from shared.user_messages.request_messages import UPLOAD_TOO_LARGE
from tables.column_types.files import clean_file_name
from tables.exceptions import Invalid, TooLarge
from tables.models import FileContent, TableFile
from tables.selectors.files import uploaded_bytes
from tables.selectors.tables import get_table
from tables.services.files.media_types import HEAD_SIZE, media_type
from tables.services.files.storage import content_path, store
from tables.services.pipeline.locking import lock_user

MB = 1024 * 1024
# An uploaded file that no cell refers to is deleted after this time.
UNUSED_DAYS = 30
FILES_FULL = declare(
    "files_full", "Your files would be larger than {count} GB together. Delete files you do not need."
)


def upload_file(*, user: Any, table_id: int, name: str, content: File[Any]) -> TableFile:
    """Store a file of a table, in chunks. Write its id to a cell to attach it.

    Raises NotFound, Forbidden, TooLarge, Invalid if the files of the user would be too large together, and Unavailable.
    """
    table = get_table(user, table_id, can="edit")
    size = content.size
    if size > settings.FILE_MAX_MB * MB:
        raise TooLarge(UPLOAD_TOO_LARGE(count=settings.FILE_MAX_MB))
    cleaned = clean_file_name(name)
    head = content.read(HEAD_SIZE)
    content.seek(0)
    with transaction.atomic():
        lock_user(user)
        if uploaded_bytes(user) + size > settings.FILES_MAX_GB * 1024 * MB:
            raise Invalid(FILES_FULL(count=settings.FILES_MAX_GB), code="files_full")
        stored = FileContent.objects.create(size=size, type=media_type(head, name=cleaned))
        file = TableFile.objects.create(
            table=table,
            content=stored,
            name=cleaned,
            uploaded_by=user,
            check_at=timezone.now() + timedelta(days=UNUSED_DAYS),
        )
    try:
        store(content_path(stored.pk), content)
    except BaseException:
        stored.delete()
        raise
    return file
