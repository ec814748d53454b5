"""Temporary folders in DATA_DIR for parts of exports, and the deletion of those of killed processes."""
from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from tempfile import TemporaryDirectory

from django.conf import settings
from django.utils import timezone

PREFIX = ".tablechat-export-"
# Longer than any export takes.
ABANDONED_AFTER = timedelta(days=1)


@contextmanager
def temporary_folder() -> Iterator[str]:
    """Yield the path of an empty folder that only this system user can read, and delete it at the end."""
    # A server without a worker on its machine deletes old folders itself.
    for _ in delete_abandoned_folders(now=timezone.now()):
        pass
    with TemporaryDirectory(prefix=PREFIX, dir=settings.DATA_DIR) as folder:
        yield folder


def delete_abandoned_folders(*, now: datetime) -> Iterator[int]:
    """Delete folders of killed processes, and yield 1 for each."""
    for folder in sorted(settings.DATA_DIR.glob(f"{PREFIX}*")):
        # Another process may be deleting it at the same time.
        with suppress(FileNotFoundError):
            if folder.is_dir() and folder.stat().st_mtime <= (now - ABANDONED_AFTER).timestamp():
                shutil.rmtree(folder, ignore_errors=True)
                yield 1
