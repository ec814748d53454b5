"""Uploaded files: the upload handler, and length and digest of a multipart body."""
from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.http import HttpRequest

API_PATH = "/api/imports/"
PAGE_PATH = "/tables/import/"
FILE_PATH = re.compile(r"/api/tables/\d+/files/")
# The form of a row, with which several files can be uploaded.
FORM_PATH = re.compile(r"/tables/\d+/rows/(new|\d+)/")
MAX_FULL_FILES_IN_FORM = 4


class UnnamedFileUploadHandler(TemporaryFileUploadHandler):
    """Django's handler for files that are too large for memory, with temporary files that have no name.

    Django's own would use the extension that the client sent, which may be too long for the file system. Without a name
    the file is deleted even if the process is killed, and storages copy it, since they cannot move it.
    """

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Begin the next file of the form."""
        super(TemporaryFileUploadHandler, self).new_file(*args, **kwargs)
        content = tempfile.TemporaryFile(dir=settings.FILE_UPLOAD_TEMP_DIR)  # noqa: SIM115  # closed with the request
        self.file: Any = UploadedFile(
            content, self.file_name, self.content_type, 0, self.charset, self.content_type_extra
        )

    def upload_interrupted(self) -> None:
        """Delete the file of a client that has disconnected."""
        if hasattr(self, "file"):
            self.file.close()


def is_upload_path(path: str) -> bool:
    """Return whether files can be sent to this path."""
    return path in (API_PATH, PAGE_PATH) or any(each.fullmatch(path) for each in (FILE_PATH, FORM_PATH))


def max_upload_mb(path: str) -> int:
    """Return the maximum size of the files that are sent to this path together."""
    if path in (API_PATH, PAGE_PATH):
        return int(settings.IMPORT_MAX_MB)
    return int(settings.FILE_MAX_MB * (MAX_FULL_FILES_IN_FORM if FORM_PATH.fullmatch(path) else 1))


def is_upload(request: HttpRequest) -> bool:
    """Return whether the request uploads a file, so that its body is on disk and must not be read into memory."""
    is_form = request.method == "POST" and request.content_type == "multipart/form-data"
    return is_form and is_upload_path(request.path)


def upload_length(request: HttpRequest) -> int:
    """Return the length of a chunked body on disk; 0 if it is unknown."""
    stream = getattr(request, "_stream", None)
    if stream is None or not getattr(stream, "seekable", lambda: False)():
        return 0
    length = int(stream.seek(0, os.SEEK_END))
    stream.seek(0)
    return length


def upload_digest(request: HttpRequest, *, prefix: Sequence[bytes]) -> str:
    """Return a digest of `prefix` and the fields and files of an upload, regardless of the multipart boundary."""
    digest = hashlib.sha256(b"\n".join(prefix))
    for name, values in sorted(request.POST.lists()):
        digest.update(repr((name, values)).encode())
    for name in sorted(request.FILES):
        for file in request.FILES.getlist(name):
            digest.update(repr((name, file.name, file.size)).encode())
            for chunk in file.chunks():
                digest.update(chunk)
            file.seek(0)
    return digest.hexdigest()
