"""The files of the project itself: what was written here, without what a run or another project made."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOT_OURS = {".git", ".venv", ".hypothesis", "var", "node_modules", "__pycache__", "vendor", "migrations", "languages"}


def own_files(*suffixes: str) -> Iterator[Path]:
    """Files whose name ends with one of `suffixes` (every file without any), as paths from the project's root."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(name for name in folders if name not in NOT_OURS and not name.endswith("_cache"))
        for name in sorted(names):
            if not suffixes or name.endswith(suffixes):
                yield (Path(folder) / name).relative_to(ROOT)


@cache
def text_of(path: Path) -> str:
    return (ROOT / path).read_text(encoding="utf-8", errors="replace")
