"""Folders in DATA_DIR for the parts of a file that is being made, and the end of those whose process was killed."""
from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from tempfile import TemporaryDirectory

from django.conf import settings
from django.utils import timezone

PREFIX = ".tablechat-export-"
# No file takes longer to make.
ABANDONED_AFTER = timedelta(days=1)


@contextmanager
def temporary_folder() -> Iterator[str]:
    """Give the path of an empty folder that only this user of the system can read, and delete it at the end."""
    # A server that has no worker on its machine cleans up itself.
    for _ in delete_abandoned_folders(now=timezone.now()):
        pass
    with TemporaryDirectory(prefix=PREFIX, dir=settings.DATA_DIR) as folder:
        yield folder


def delete_abandoned_folders(*, now: datetime) -> Iterator[int]:
    """Delete folders whose process was killed, one a step, and give 1 for each."""
    for folder in sorted(settings.DATA_DIR.glob(f"{PREFIX}*")):
        # Another process may delete it, or end its export, in this moment.
        with suppress(FileNotFoundError):
            if folder.is_dir() and folder.stat().st_mtime <= (now - ABANDONED_AFTER).timestamp():
                shutil.rmtree(folder, ignore_errors=True)
                yield 1
