"""Detect the encoding of a text from all of its bytes, and decode it."""
from __future__ import annotations

import codecs
import io
from collections.abc import Iterator

from shared.user_messages import declare
from tables.importing.file_formats.source import Pieces, Unreadable

NEITHER_TEXT_NOR_SPREADSHEET = declare(
    "neither_text_nor_spreadsheet", "This file is neither text nor a spreadsheet."
)
LINE_TOO_LONG = declare("line_too_long", "Line {number:,} has more than {count:,} characters.")
WRONG_ENCODING = declare(
    "wrong_encoding", "The file is not encoded in {encoding}: byte {number:,} is not valid. Choose another encoding."
)

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# The encodings that users can choose; the first one that fits is the guess.
ENCODINGS = {
    "utf-8": "Unicode (UTF-8)",
    "utf-16-le": "Unicode (UTF-16, little-endian)",
    "utf-16-be": "Unicode (UTF-16, big-endian)",
    "utf-32-le": "Unicode (UTF-32, little-endian)",
    "utf-32-be": "Unicode (UTF-32, big-endian)",
    "cp1252": "Western European (Windows-1252)",
    "iso8859-1": "Western European (ISO 8859-1)",
    "iso8859-15": "Western European (ISO 8859-15)",
    "cp1250": "Central European (Windows-1250)",
    "cp1251": "Cyrillic (Windows-1251)",
    "cp1253": "Greek (Windows-1253)",
    "cp1254": "Turkish (Windows-1254)",
    "mac-roman": "Western European (Mac)",
    "cp932": "Japanese (Shift JIS)",
    "gb18030": "Chinese (GB 18030)",
    "big5": "Chinese (Big5)",
    "cp949": "Korean (Windows-949)",
}
HEAD_BYTES = 65_536
# The first bytes of files that can consist mostly of text: PDF, PNG, JPEG, GIF, gzip, 7z, RAR, ELF.
BINARY_STARTS = (
    b"%PDF-", b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"\x1f\x8b\x08", b"7z\xbc\xaf\x27", b"Rar!\x1a",
    b"\x7fELF",
)  # fmt: skip
# Control characters that are not in texts. Some files have separators (0x1c to 0x1f), or 0x1a at the end.
CONTROL_CHARACTERS = bytes((*range(0x09), *range(0x0E, 0x1A), 0x7F))
MAX_CONTROL_SHARE = 0.02
# Bytes that are undefined in Windows-1252.
UNDEFINED_IN_CP1252 = bytes((0x81, 0x8D, 0x8F, 0x90, 0x9D))
MAX_LINE_LENGTH = 4_000_000


class EncodingGuess:
    """Detects an encoding incrementally; `name` is the encoding that fits all bytes so far."""

    def __init__(self) -> None:
        self._head = b""
        self._certain = ""
        self._decoder: codecs.IncrementalDecoder | None = codecs.getincrementaldecoder("utf-8")()
        self._undefined = False

    def feed(self, piece: bytes) -> None:
        """Add the next bytes."""
        if len(self._head) < HEAD_BYTES:
            self._head += piece[: HEAD_BYTES - len(self._head)]
            self._certain = _encoding_of_mark(self._head) or _unmarked_utf16(self._head)
        self._undefined = self._undefined or any(byte in piece for byte in UNDEFINED_IN_CP1252)
        if self._decoder is not None:
            try:
                self._decoder.decode(piece)
            except UnicodeDecodeError:
                self._decoder = None

    @property
    def name(self) -> str:
        """The encoding. Raises Unreadable if the bytes are not text."""
        if self._certain:
            return self._certain
        controls = len(self._head) - len(self._head.translate(None, CONTROL_CHARACTERS))
        if self._head.startswith(BINARY_STARTS) or controls > len(self._head) * MAX_CONTROL_SHARE:
            raise Unreadable(NEITHER_TEXT_NOR_SPREADSHEET(), code="not_a_table")
        if self._decoder is not None and self._ends_whole(self._decoder):
            return "utf-8"
        return "iso8859-1" if self._undefined else "cp1252"

    def _ends_whole(self, decoder: codecs.IncrementalDecoder) -> bool:
        return not decoder.getstate()[0]


def decode_lines(pieces: Pieces, *, encoding: str) -> Iterator[str]:
    """Yield the lines of a text with their ends (LF, CR LF or CR), without a byte order mark.

    Raises Unreadable for bytes that are invalid in this encoding, and for lines of over 4,000,000 characters.
    """
    rest, number = "", 0
    for text in decode_chunks(pieces, encoding=encoding):
        lines = io.StringIO(rest + text, newline="").readlines()
        # The last line, or a CR LF line end, may continue in the next chunk.
        rest = lines.pop()
        if len(rest) > MAX_LINE_LENGTH:
            message = LINE_TOO_LONG(number=number + len(lines) + 1, count=MAX_LINE_LENGTH)
            raise Unreadable(message, code="line_too_long")
        yield from lines
        number += len(lines)
    if rest:
        yield from io.StringIO(rest, newline="").readlines()


def decode_chunks(pieces: Pieces, *, encoding: str) -> Iterator[str]:
    """Yield the decoded text in chunks, without a byte order mark. Raises Unreadable."""
    decoder = codecs.getincrementaldecoder(encoding)()
    passed, first = 0, True
    for piece in pieces:
        text = _decoded(decoder, piece=piece, passed=passed, encoding=encoding)
        passed += len(piece)
        if text and first:
            text, first = text.removeprefix("\ufeff"), False
        if text:
            yield text
    if last := _decoded(decoder, piece=None, passed=passed, encoding=encoding):
        yield last


def _decoded(decoder: codecs.IncrementalDecoder, *, piece: bytes | None, passed: int, encoding: str) -> str:
    try:
        return decoder.decode(b"", final=True) if piece is None else decoder.decode(piece)
    except UnicodeDecodeError as fault:
        message = WRONG_ENCODING(encoding=ENCODINGS.get(encoding, encoding), number=passed + fault.start)
        raise Unreadable(message, code="wrong_encoding") from None


def _encoding_of_mark(head: bytes) -> str:
    return next((name for mark, name in BYTE_ORDER_MARKS if head.startswith(mark)), "")


def _unmarked_utf16(head: bytes) -> str:
    """Return the UTF-16 encoding of a text without byte order mark: every other byte of most such texts is 0."""
    even, odd = head[0::2], head[1::2]
    if len(odd) < 2:
        return ""
    if odd.count(0) * 2 > len(odd) and even.count(0) * 20 < len(even):
        return "utf-16-le"
    if even.count(0) * 2 > len(even) and odd.count(0) * 20 < len(odd):
        return "utf-16-be"
    return ""
