"""ZIP archives with the rows of a table and their files. Everything about an archive is checked before it is used."""
from __future__ import annotations

import struct
import tempfile
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import IO

from shared.user_messages import Message, declare
from tables.importing.file_formats.source import Pieces, Unreadable

FILES_FOLDER = "files"
# The description of the columns, in the folder with the rows. It is no file that cells can have.
DESCRIPTION = "table/columns.json"
ROW_ENDINGS = (".csv", ".tsv", ".json", ".jsonl", ".ndjson")
# One of these entries is in each workbook and office document.
OFFICE_ENTRIES = {"[Content_Types].xml", "mimetype"}
# Folders and files that operating systems add.
SYSTEM_FOLDER, SYSTEM_FILES = "__MACOSX", {".ds_store", "thumbs.db", "desktop.ini"}
MAX_ENTRIES = 20_000
# The directory of an archive is read into memory.
MAX_DIRECTORY_BYTES = 4 * 1024**2
MAX_UNPACKED_BYTES = 3 * 1024**3
# Of files that are not small. Texts are packed to a tenth.
MAX_RATIO, SMALL_BYTES = 250, 1024**2
MAX_PATH_BYTES = 1_000
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
ENCRYPTED = 1
# What zipfile raises for damaged archives.
DAMAGED = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, ValueError)
CHUNK = 256 * 1024
SHOWN = 100

ARCHIVE_BROKEN = declare("archive_broken", "This ZIP archive cannot be opened. It may be damaged or incomplete.")
ARCHIVE_TOO_LARGE = declare("archive_too_large", "This ZIP archive is too large when unpacked, or has too many files.")
ARCHIVE_LOCKED = declare(
    "archive_locked", "This ZIP archive is password-protected. Create one without a password."
)
ARCHIVE_METHOD = declare("archive_method", "“{path}” in the ZIP archive is packed with a method that is not supported.")
ARCHIVE_PATH = declare("archive_path", "“{path}” in the ZIP archive is not a valid path of a file.")
ARCHIVE_REPEATED = declare("archive_repeated", "“{path}” is in the ZIP archive several times.")
ARCHIVE_WITHOUT_ROWS = declare(
    "archive_without_rows", "This ZIP archive has no CSV or JSON file with the rows of the table."
)
ARCHIVE_ROWS_UNCLEAR = declare(
    "archive_rows_unclear",
    "This ZIP archive has several files that could be the rows of the table: {paths}. Put the others into a folder.",
)


class Archive:
    """An open archive. `rows` is the path of the file with the rows, `entries` are the other files by their path.

    `unpacked_size` is the size of all in bytes, `unpacked_bytes` how much has been read of it.
    """

    def __init__(self, archive: zipfile.ZipFile, entries: Mapping[str, zipfile.ZipInfo]) -> None:
        self._archive = archive
        self.rows = _rows_path(entries)
        self._rows_entry = entries[self.rows]
        described = str(PurePosixPath(self.rows).parent / DESCRIPTION)
        self._description = entries.get(described)
        self.entries = {path: entry for path, entry in entries.items() if path not in (self.rows, described)}
        self.unpacked_size, self.unpacked_bytes = sum(entry.file_size for entry in entries.values()), 0
        # Rows are read as a stream, and many of them may be alike.
        if any(entry.file_size > max(SMALL_BYTES, MAX_RATIO * entry.compress_size) for entry in self.entries.values()):
            raise Unreadable(ARCHIVE_TOO_LARGE(), code="too_large")

    def pieces(self) -> Iterator[bytes]:
        """Yield the content of the file with the rows. Raises Unreadable."""
        with _readable(), self._archive.open(self._rows_entry) as content:
            while piece := content.read(CHUNK):
                self.unpacked_bytes += len(piece)
                yield piece

    @contextmanager
    def open_description(self) -> Iterator[IO[bytes] | None]:
        """Open the description of the columns; None if there is none. Raises Unreadable."""
        if self._description is None:
            yield None
            return
        with _readable(), self._archive.open(self._description) as content:
            yield content

    @contextmanager
    def open(self, path: str) -> Iterator[IO[bytes]]:
        """Open another file of the archive. Raises Unreadable, also if it turns out to be damaged while it is read."""
        entry = self.entries[path]
        with _readable(), self._archive.open(entry) as content:
            yield content
        self.unpacked_bytes += entry.file_size


@contextmanager
def open_archive(pieces: Pieces) -> Iterator[Archive | None]:
    """Open an archive; None if it is a workbook. Its bytes are stored in a file without a name. Raises Unreadable."""
    with tempfile.TemporaryFile() as file:
        for piece in pieces:
            file.write(piece)
        with _readable():
            _check_directory(file)
            archive = zipfile.ZipFile(file)
        with archive:
            if OFFICE_ENTRIES & archive.NameToInfo.keys():
                yield None
            else:
                yield Archive(archive, _checked(archive.infolist()))


def _check_directory(file: IO[bytes]) -> None:
    """Raise Unreadable for a directory that would take much memory. It is read as zipfile reads it."""
    end = zipfile._EndRecData(file)  # type: ignore[attr-defined]  # a parser of our own could be deceived
    if end is None:
        raise zipfile.BadZipFile
    # Of zipfile's list, the number of entries and the size of the directory.
    entries, size = end[4], end[5]
    if entries > MAX_ENTRIES or size > MAX_DIRECTORY_BYTES:
        raise Unreadable(ARCHIVE_TOO_LARGE(), code="too_large")


def _checked(entries: list[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
    """Return the files by their path, without those of operating systems. Raises Unreadable."""
    if len(entries) > MAX_ENTRIES or sum(entry.file_size for entry in entries) > MAX_UNPACKED_BYTES:
        raise Unreadable(ARCHIVE_TOO_LARGE(), code="too_large")
    files: dict[str, zipfile.ZipInfo] = {}
    # Some file systems ignore upper case, so that one file would replace the other.
    known: set[str] = set()
    for entry in entries:
        path = unicodedata.normalize("NFC", entry.orig_filename)
        if not _is_safe(path):
            raise _refusal(ARCHIVE_PATH(path=_shown(path)))
        if entry.is_dir() or _is_of_system(path):
            continue
        if entry.flag_bits & ENCRYPTED:
            raise Unreadable(ARCHIVE_LOCKED(), code="locked")
        if entry.compress_type not in METHODS:
            raise _refusal(ARCHIVE_METHOD(path=_shown(path)))
        if path.casefold() in known:
            raise _refusal(ARCHIVE_REPEATED(path=_shown(path)))
        known.add(path.casefold())
        files[path] = entry
    return files


def _is_safe(path: str) -> bool:
    """Return whether a path stays in its folder on every operating system."""
    parts = path.removesuffix("/").split("/")
    return (
        0 < len(path.encode(errors="replace")) <= MAX_PATH_BYTES
        and not any(part in ("", ".", "..") for part in parts)
        and "\\" not in path
        and ":" not in parts[0]
        and not any(unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") for character in path)
    )


def _is_of_system(path: str) -> bool:
    parts = path.split("/")
    return parts[0] == SYSTEM_FOLDER or parts[-1].casefold() in SYSTEM_FILES


def _rows_path(entries: Mapping[str, zipfile.ZipInfo]) -> str:
    """Return the only CSV or JSON file that is in no deeper folder than the others. Raises Unreadable."""
    possible = [path for path in entries if path.lower().endswith(ROW_ENDINGS)]
    depth = min((path.count("/") for path in possible), default=0)
    highest = [path for path in possible if path.count("/") == depth]
    if not highest:
        raise Unreadable(ARCHIVE_WITHOUT_ROWS(), code="no_rows_in_archive")
    if len(highest) > 1:
        paths = ", ".join(_shown(PurePosixPath(path).name) for path in sorted(highest)[:5])
        raise Unreadable(ARCHIVE_ROWS_UNCLEAR(paths=paths), code="no_rows_in_archive")
    return highest[0]


def _refusal(message: Message) -> Unreadable:
    return Unreadable(message, code="unsafe_archive")


def _shown(path: str) -> str:
    text = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in path[:SHOWN])
    return text + "…" if len(path) > SHOWN else text


@contextmanager
def _readable() -> Iterator[None]:
    """Raise the errors of damaged archives as Unreadable."""
    try:
        yield
    except DAMAGED as error:
        raise Unreadable(ARCHIVE_BROKEN(), code="unreadable_file") from error
