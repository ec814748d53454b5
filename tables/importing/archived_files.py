"""The files of an archive as the files that imported cells can have."""
from __future__ import annotations

import posixpath
import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from typing import Any

from shared import strictjson
from shared.user_messages import declare
from tables.column_types import ValueFault
from tables.column_types.faults import shown
from tables.column_types.files import FileInfo
from tables.importing.file_formats.archives import Archive

NOT_IN_ARCHIVE = declare("not_in_archive", "There is no file {value:quoted} in the ZIP archive.")
# Between the paths in a cell, if it is not the path of one file.
SEPARATORS = (re.compile(r"\r\n|\r|\n"), re.compile(";"), re.compile(","))


class ArchivedFiles:
    """A directory of the files in an archive. Cells refer to them by path, or by a name that one of them has.

    Paths begin at the top of the archive, or in the folder with the rows. A cell has a text with one or more paths,
    separated by line ends, semicolons or commas, or a JSON list of objects with `path` and `name`, as in exports.
    `stored(path)` returns the file that cells get, when it is first needed; by default, one with its path as id.
    """

    def __init__(self, archive: Archive, *, stored: Callable[[str], FileInfo] | None = None) -> None:
        self._entries = archive.entries
        self._folder = posixpath.dirname(archive.rows)
        self._stored = stored or self._described
        self._known: dict[str, FileInfo] = {}
        names = Counter(map(posixpath.basename, archive.entries))
        self._by_name = {name: path for path in archive.entries if names[name := posixpath.basename(path)] == 1}

    def find(self, file_id: str) -> FileInfo:
        """Return the file with this path or name. Raises ValueFault."""
        path = self._path(file_id)
        if path is None:
            raise ValueFault("unknown_file", NOT_IN_ARCHIVE(value=shown(file_id)))
        if path not in self._known:
            self._known[path] = self._stored(path)
        return self._known[path]

    def url(self, file_id: str) -> str:
        return ""

    def references(self, value: Any) -> Any:
        """Return the files in a cell of the rows, with paths as ids; other values unchanged."""
        if not isinstance(value, str):
            return value
        text = value.strip()
        if not text.startswith("[") or self._path(text):
            return [{"id": path} for path in self._split(text)]
        try:
            listed = strictjson.loads(text)
        except strictjson.StrictJsonError:
            return value
        return [_reference(each) for each in listed]

    def _split(self, text: str) -> list[str]:
        """Return the paths in a text, separated so that all of them exist, if there is such a way."""
        ways = [[text], *([part.strip() for part in each.split(text) if part.strip()] for each in SEPARATORS)]
        return next((way for way in ways if all(map(self._path, way))), max(ways, key=len))

    def _path(self, text: str) -> str | None:
        """Return the path in the archive that is meant; None if there is none."""
        given = unicodedata.normalize("NFC", text.replace("\\", "/")).removeprefix("./")
        paths = (given, posixpath.join(self._folder, given), self._by_name.get(given))
        return next((path for path in paths if path in self._entries), None)

    def _described(self, path: str) -> FileInfo:
        return FileInfo(path, posixpath.basename(path), self._entries[path].file_size, "")


def _reference(listed: Any) -> Any:
    if not isinstance(listed, dict):
        return {"id": listed}
    name = {"name": listed["name"]} if listed.get("name") else {}
    return {"id": listed.get("path") or listed.get("name"), **name}
