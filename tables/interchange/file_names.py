"""File names from table names, valid on every operating system."""
from __future__ import annotations

import re
import unicodedata
from urllib.parse import quote

# Characters with a meaning in file systems, shells or headers.
FORBIDDEN = re.compile(r'[<>:"/\\|?*%;$`]')
# Device names, which Windows reserves with any extension.
DEVICES = re.compile(r"(?i)(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|$)")
MAX_CHARACTERS = 80
MAX_BYTES = 200
EXTENSION = re.compile(r"[A-Za-z0-9]{1,20}")
UNNAMED, UNNAMED_FILE = "table", "file"


def file_name(title: str, *, ending: str) -> str:
    """Return the title as a file name with this extension (`csv`): one line, no path, no invisible characters."""
    return f"{_cleaned(title) or UNNAMED}.{ending}"


def archived_name(name: str) -> str:
    """Return the name of a file in a cell as one that is valid everywhere, with its extension."""
    stem, _, ending = name.rpartition(".")
    if stem and EXTENSION.fullmatch(ending):
        return f"{_cleaned(stem) or UNNAMED_FILE}.{ending}"
    return _cleaned(name) or UNNAMED_FILE


def _cleaned(title: str) -> str:
    visible = (_visible(each) for each in unicodedata.normalize("NFC", title))
    name = " ".join(FORBIDDEN.sub("_", "".join(visible)).split()).strip(" .-~")[:MAX_CHARACTERS]
    name = name.encode()[:MAX_BYTES].decode(errors="ignore").strip(" .")
    return DEVICES.sub(r"\1_", name) if DEVICES.match(name) else name


def disposition(name: str) -> str:
    """Return the Content-Disposition header of a download (RFC 6266), with an ASCII name for old clients."""
    if name.isascii():
        return f'attachment; filename="{name}"'
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    stem, _, ending = plain.rpartition(".")
    plain = f"{stem if stem.strip(' ._') else UNNAMED}.{ending}"
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"


def _visible(character: str) -> str:
    """Return "" for format characters (reversed text could fake an extension), a space for invisible ones."""
    kind = unicodedata.category(character)
    return "" if kind == "Cf" else " " if kind[0] in "CZ" else character
