"""Files in cells: what a type knows of the files of a table, cleaning of their names, and values of cells."""
from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Protocol

MAX_NAME_BYTES = 255
# An extension that is kept when a name is shortened, with its point.
MAX_EXTENSION_LENGTH = 20
UNNAMED = "file"


class FileInfo(NamedTuple):
    """An uploaded file: its id, name, size in bytes, and media type."""

    id: str
    name: str
    size: int
    type: str

    def as_json(self, *, name: str = "") -> dict[str, Any]:
        """Return the form in cells, with another name if one is given."""
        return {"id": self.id, "name": name or self.name, "size": self.size, "type": self.type}


class FileDirectory(Protocol):
    """The files that can be written to the cells of one table."""

    def find(self, file_id: str) -> FileInfo | None:
        """Return the file of the table with this id."""

    def url(self, file_id: str) -> str:
        """Return the path of the content of a file, "" if it has none."""

    def references(self, value: Any) -> Any:
        """Return the value of a cell that is imported with the ids of the files that it means."""


class NoFiles:
    """The directory of a table without files."""

    def find(self, file_id: str) -> FileInfo | None:
        return None

    def url(self, file_id: str) -> str:
        return ""

    def references(self, value: Any) -> Any:
        return value


NO_FILES = NoFiles()


def clean_file_name(name: str) -> str:
    """Return a name without path, control and format characters, of at most 255 bytes; "file" if nothing is left.

    Format characters include those that reverse text, which could hide an extension.
    """
    text = unicodedata.normalize("NFC", name.encode(errors="ignore").decode())
    last = text.replace("\\", "/").rstrip("/ ").rpartition("/")[2]
    shown = "".join(" " if each.isspace() else each for each in last if each.isspace() or not _is_hidden(each))
    cleaned = " ".join(shown.split()).strip()
    return _shortened(cleaned) if cleaned.strip(". ") else UNNAMED


def file_ids(value: Any) -> Iterator[str]:
    """Yield the ids of the files in a stored value of any type."""
    for each in value if isinstance(value, list) else ():
        if isinstance(each, Mapping) and isinstance(each.get("id"), str):
            yield each["id"]


def file_names(value: Iterable[Any]) -> list[str]:
    """Return the names of the files in a stored value."""
    return [each["name"] for each in value if isinstance(each, Mapping) and isinstance(each.get("name"), str)]


def _is_hidden(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cf", "Cs", "Cn", "Zl", "Zp")


def _shortened(name: str) -> str:
    if len(name.encode()) <= MAX_NAME_BYTES:
        return name
    stem, point, extension = name.rpartition(".")
    end = point + extension if stem and len(extension.encode()) < MAX_EXTENSION_LENGTH else ""
    beginning = (stem if end else name).encode()[: MAX_NAME_BYTES - len(end.encode())]
    return beginning.decode(errors="ignore").rstrip() + end
