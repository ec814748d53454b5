"""Contents of files in Django's storage `files`: on disk, or in an S3-compatible object storage."""
from __future__ import annotations

import logging
import secrets
from collections.abc import Iterator
from typing import IO, Any

from django.core.files import File
from django.core.files.base import ContentFile
from django.core.files.storage import Storage, storages

from shared.user_messages import declare
from tables.exceptions import NotFound, Unavailable
from tables.selectors.files import NO_SUCH_FILE

STORAGE_UNAVAILABLE = declare("storage_unavailable", "The file could not be stored. Try again in a moment.")
STORAGE_UNREADABLE = declare("storage_unreadable", "The file cannot be read at the moment. Try again in a moment.")
RETRY_SECONDS = 10
CHUNK = 256 * 1024

log = logging.getLogger(__name__)


def file_storage() -> Storage:
    """Return the storage of files."""
    return storages["files"]


def content_path(key: str) -> str:
    """Return the path of a content in the storage; folders stay small."""
    return f"contents/{key[:2]}/{key}"


def thumbnail_path(key: str) -> str:
    """Return the path of a thumbnail in the storage."""
    return f"thumbnails/{key[:2]}/{key}"


def store(path: str, content: File[Any]) -> None:
    """Store a content in chunks. Raises Unavailable."""
    try:
        file_storage().save(path, content)
    except OSError as error:
        raise Unavailable(STORAGE_UNAVAILABLE(), extra={"retry_after": RETRY_SECONDS}) from error


def open_stored(path: str) -> IO[bytes]:
    """Open a content for reading in chunks, from any position. Raises NotFound and Unavailable."""
    try:
        return file_storage().open(path)
    except FileNotFoundError as error:
        raise NotFound(NO_SUCH_FILE()) from error
    except OSError as error:
        raise Unavailable(STORAGE_UNREADABLE(), extra={"retry_after": RETRY_SECONDS}) from error


def read_content(key: str) -> Iterator[bytes]:
    """Yield a content in pieces; none if it is not stored. Raises Unavailable."""
    try:
        content = open_stored(content_path(key))
    except NotFound:
        log.warning("the content of file %s is not stored", key)
        return
    with content:
        while piece := content.read(CHUNK):
            yield piece


def delete_stored(key: str) -> None:
    """Delete a content and its thumbnail, if they exist."""
    file_storage().delete(content_path(key))
    delete_thumbnail(key)


def delete_thumbnail(key: str) -> None:
    """Delete a thumbnail, if it exists."""
    file_storage().delete(thumbnail_path(key))


def storage_fault() -> OSError | None:
    """Store, read and delete a small content; return why one of these failed, None if all succeeded."""
    storage, path = file_storage(), f"checks/{secrets.token_hex(16)}"
    try:
        stored = storage.save(path, ContentFile(b"check"))
        try:
            with storage.open(stored) as content:
                content.read()
        finally:
            storage.delete(stored)
    except OSError as error:
        return error
    return None
