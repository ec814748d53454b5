"""Media types of files by their content, never by their name alone."""
from __future__ import annotations

import codecs
import re
from pathlib import PurePath

import puremagic

# Bytes at the beginning of a file that decide about its type.
HEAD_SIZE = 64 * 1024
UNKNOWN = "application/octet-stream"
PLAIN_TEXT = "text/plain"
# Types that browsers can show beside the app without running anything in it.
IMAGES = {"image/png": b"\x89PNG\r\n\x1a\n", "image/jpeg": b"\xff\xd8\xff", "image/gif": b"GIF8", "image/webp": b"RIFF"}
PDF, PDF_SIGNATURE = "application/pdf", b"%PDF-"
INLINE = {*IMAGES, PDF, PLAIN_TEXT}
TEXT_CONTROLS = frozenset(b"\t\n\f\r\x1b")
MEDIA_TYPE = re.compile(r"[a-z0-9.+-]+/[a-z0-9.+-]+")
MARKUP = {"image/svg+xml": r"<svg[\s>]", "text/html": r"<(!doctype html|html|head|body|script)"}
ZIP_SIGNATURE, ZIP = b"PK\x03\x04", "application/zip"


def media_type(head: bytes, *, name: str) -> str:
    """Return the media type of a file with this beginning.

    The name only chooses between types that the content may have, such as those of office documents, which are all ZIP
    archives.
    """
    for type_name, signature in IMAGES.items():
        if head.startswith(signature) and (type_name != "image/webp" or head[8:12] == b"WEBP"):
            return type_name
    if head.startswith(PDF_SIGNATURE):
        return PDF
    text = _as_text(head)
    if text is None:
        return _binary_type(head, extension=PurePath(name).suffix.lower())
    if not text.lstrip("\ufeff \t\r\n").startswith("<"):
        return PLAIN_TEXT
    return next((name for name, pattern in MARKUP.items() if re.search(pattern, text, re.IGNORECASE)), "text/xml")


def served_type(type_name: str) -> str:
    """Return the type that a download has: only safe types have their own."""
    if type_name == PLAIN_TEXT:
        return "text/plain; charset=utf-8"
    return type_name if type_name in INLINE else UNKNOWN


def _as_text(head: bytes) -> str | None:
    """Return the beginning of a UTF-8 text without control characters; None for anything else."""
    if not head or any(byte < 32 and byte not in TEXT_CONTROLS for byte in set(head)):
        return None
    try:
        # The last character may be cut.
        return codecs.getincrementaldecoder("utf-8")().decode(head, final=len(head) < HEAD_SIZE)
    except UnicodeDecodeError:
        return None


def _binary_type(head: bytes, *, extension: str) -> str:
    try:
        matches = puremagic.magic_string(head)
    except (puremagic.PureError, ValueError):
        return UNKNOWN
    possible = [match for match in matches if MEDIA_TYPE.fullmatch(match.mime_type)]
    named = [match.mime_type for match in possible if match.extension == extension]
    if named:
        found = named[0]
    elif head.startswith(ZIP_SIGNATURE):
        found = ZIP
    else:
        found = possible[0].mime_type if possible else UNKNOWN
    # Types that browsers may show on their own are decided above.
    return UNKNOWN if found in INLINE or found.endswith(("/html", "xml", "javascript")) else str(found)
