"""Uploads of files: where they are stored while they arrive, their length and a digest of their content."""
from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.files.uploadedfile import TemporaryUploadedFile
from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.http import HttpRequest

DOOR = "/api/imports/"
PAGE = "/tables/import/"


class OnDisk(TemporaryFileUploadHandler):
    """Django's, for files that are too large for memory. On the disk they are called by nothing that their sender
    wrote: Django would take over the ending of the name, of which a file system does not bear any length. Nor by
    anything else: a process that is killed in the middle would leave hundreds of megabytes for ever."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Begins with the next file of the form."""
        super(TemporaryFileUploadHandler, self).new_file(*args, **kwargs)
        self.file = TemporaryUploadedFile("file", self.content_type, 0, self.charset, self.content_type_extra)
        Path(self.file.temporary_file_path()).unlink()
        self.file.name = self.file_name


def is_upload_address(path: str) -> bool:
    """Return whether files can be sent to this path."""
    return path in (DOOR, PAGE)


def is_upload(request: HttpRequest) -> bool:
    """Whether the request brings a file: its body is on the disk, and never all in memory."""
    is_form = request.method == "POST" and request.content_type == "multipart/form-data"
    return is_form and is_upload_address(request.path)


def upload_length(request: HttpRequest) -> int:
    """The length of a body that came without one, as it lies on the disk; 0 where it cannot be asked."""
    stream = getattr(request, "_stream", None)
    if stream is None or not getattr(stream, "seekable", lambda: False)():
        return 0
    length = int(stream.seek(0, os.SEEK_END))
    stream.seek(0)
    return length


def upload_digest(request: HttpRequest, *, asked: Sequence[bytes]) -> str:
    """What this very upload is known by: its fields and its files, whatever stands between them."""
    digest = hashlib.sha256(b"\n".join(asked))
    for name, values in sorted(request.POST.lists()):
        digest.update(repr((name, values)).encode())
    for name in sorted(request.FILES):
        for file in request.FILES.getlist(name):
            digest.update(repr((name, file.name, file.size)).encode())
            for chunk in file.chunks():
                digest.update(chunk)
            file.seek(0)
    return digest.hexdigest()
