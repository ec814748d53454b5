"""Snapshots: texts in files, whose changes are reviewed with the commit."""
from __future__ import annotations

import os
from pathlib import Path

UPDATE_HINT = "UPDATE_SNAPSHOTS=1 writes the files again; read the difference before you commit it"


def snapshot(text: str, *, file: Path) -> str:
    """Return the content of the file, "" if there is none. UPDATE_SNAPSHOTS=1 writes the text into it first."""
    if os.environ.get("UPDATE_SNAPSHOTS"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return file.read_text(encoding="utf-8") if file.exists() else ""
