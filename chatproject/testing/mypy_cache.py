"""The cache of mypy in a new clone: a copy of the one of an earlier clone. mypy compares files by their content."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NAME = ".mypy_cache"


def user_cache() -> Path:
    """Return the folder for what all clones of a user share."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "table-chat-tests"


@contextmanager
def shared_mypy_cache(*, root: Path, shared: Path | None = None) -> Iterator[None]:
    """Start with a copy of the cache in `shared` if `root` has none, and copy the new cache there afterwards.

    Each clone has its own cache, because mypy does not wait for another one that writes to it.
    """
    own, stored = root / NAME, (shared or user_cache()) / "mypy"
    if own.exists():
        yield
        return
    stored.parent.mkdir(parents=True, exist_ok=True)
    with _lock(stored):
        if stored.exists():
            shutil.copytree(stored, own)
    yield
    with _lock(stored), tempfile.TemporaryDirectory(dir=stored.parent) as folder:
        if own.exists():
            shutil.copytree(own, Path(folder) / "new")
            if stored.exists():
                stored.rename(Path(folder) / "old")
            (Path(folder) / "new").rename(stored)


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    with path.with_suffix(".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
