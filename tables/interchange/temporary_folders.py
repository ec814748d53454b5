"""Folders in DATA_DIR for the parts of a file that is being made, and the end of those whose process was killed."""
from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from tempfile import TemporaryDirectory

from django.conf import settings

PREFIX = "export-"
# No file takes longer to make.
ABANDONED_AFTER = timedelta(days=1)


@contextmanager
def temporary_folder() -> Iterator[str]:
    """Give the path of an empty folder that nobody else can read; it is deleted at the end, however that comes."""
    with TemporaryDirectory(prefix=PREFIX, dir=settings.DATA_DIR) as folder:
        yield folder


def delete_abandoned_folders(*, now: datetime) -> Iterator[int]:
    """Delete folders whose process was killed; one a step, which says 1."""
    for folder in sorted(settings.DATA_DIR.glob(f"{PREFIX}*")):
        if folder.stat().st_mtime <= (now - ABANDONED_AFTER).timestamp():
            shutil.rmtree(folder, ignore_errors=True)
            yield 1
