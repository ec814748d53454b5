"""Names of files made of what people called a table: safe on every system, and to be read in every list of files."""
from __future__ import annotations

import re
import unicodedata
from urllib.parse import quote

# What no file system, shell or header takes as it is.
FORBIDDEN = re.compile(r'[<>:"/\\|?*%;$`]')
# What Windows keeps for devices, whatever comes after the dot.
DEVICES = re.compile(r"(?i)(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|$)")
MOST_CHARACTERS = 80
MOST_BYTES = 200
UNNAMED = "table"


def file_name(title: str, *, ending: str) -> str:
    """The title as a file name with this ending (`csv`): one line, no paths, nothing that cannot be seen."""
    seen = (_seen(each) for each in unicodedata.normalize("NFC", title))
    name = " ".join(FORBIDDEN.sub("_", "".join(seen)).split()).strip(" .-~")[:MOST_CHARACTERS]
    name = name.encode()[:MOST_BYTES].decode(errors="ignore").strip(" .")
    name = DEVICES.sub(r"\1_", name) if DEVICES.match(name) else name
    return f"{name or UNNAMED}.{ending}"


def disposition(name: str) -> str:
    """The header by which a browser saves an answer under this name (RFC 6266); for old readers without accents."""
    if name.isascii():
        return f'attachment; filename="{name}"'
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    stem, _, ending = plain.rpartition(".")
    plain = f"{stem if stem.strip(' ._') else UNNAMED}.{ending}"
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"


def _seen(character: str) -> str:
    """Nothing for what only directs others ("fdp" would read as "pdf"), a space for what cannot be seen."""
    kind = unicodedata.category(character)
    return "" if kind == "Cf" else " " if kind[0] in "CZ" else character
