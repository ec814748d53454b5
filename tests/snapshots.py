"""Texts as they were written down: nobody changes them without reading what has changed."""
from __future__ import annotations

import os
from pathlib import Path

RENEW = "UPDATE_SNAPSHOTS=1 writes the files down anew; read the difference before it is committed"


def written_down(text: str, *, file: Path) -> str:
    """What the file holds, "" without it. With UPDATE_SNAPSHOTS=1 in the environment the text is written there."""
    if os.environ.get("UPDATE_SNAPSHOTS"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return file.read_text(encoding="utf-8") if file.exists() else ""
