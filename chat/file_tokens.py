"""Estimates of the tokens that files take up in requests, by the rules that the API documents.

https://platform.claude.com/docs/en/build-with-claude/vision and …/pdf-support
"""
from __future__ import annotations

import io
import re
import warnings
import zlib
from collections.abc import Iterator

from PIL import Image

PDF_TYPE = "application/pdf"
PIXELS_PER_TOKEN = 750
# Pictures are scaled down to these limits. They are those of the models with the highest resolution.
MAX_SIDE = 2576
MAX_IMAGE_TOKENS = 4784
# Each page is sent as its text and as a picture.
TOKENS_PER_PAGE = 3_000
# Of documents whose pages cannot be counted, such as encrypted ones.
BYTES_PER_PAGE = 50_000
# Newer documents describe their pages in compressed streams of objects.
PAGE = re.compile(rb"/Type\s*/Page(?![A-Za-z])")
OBJECT_STREAM = re.compile(rb"/Type\s*/ObjStm(?![A-Za-z])")
MAX_INFLATED_BYTES = 32 * 1024 * 1024


def estimate_file_tokens(content: bytes, *, media_type: str) -> int:
    """Return the estimated tokens of a picture or PDF document."""
    return count_pages(content) * TOKENS_PER_PAGE if media_type == PDF_TYPE else _image_tokens(content)


def count_pages(content: bytes) -> int:
    """Return the number of pages of a PDF document, at least 1, in time and memory that are linear in its size.

    Earlier versions of pages, which a changed document keeps, count too.
    """
    pages = sum(len(PAGE.findall(part)) for part in _descriptions(content))
    return pages or max(1, len(content) // BYTES_PER_PAGE)


def _descriptions(content: bytes) -> Iterator[bytes]:
    """Yield the document and its decompressed streams of objects, up to a total size."""
    yield content
    left, position, view = MAX_INFLATED_BYTES, 0, memoryview(content)
    while left > 0 and (found := OBJECT_STREAM.search(content, position)):
        start = content.find(b"stream", found.end())
        position = content.find(b"endstream", start + 1)
        if start < 0 or position < 0:
            return
        # A line break follows the keyword.
        start += len(b"stream\r\n") if content[start + 6 : start + 8] == b"\r\n" else len(b"stream\n")
        try:
            inflated = zlib.decompressobj().decompress(view[start:position], left)
        except zlib.error:
            continue
        left -= len(inflated)
        yield inflated


def _image_tokens(content: bytes) -> int:
    try:
        with warnings.catch_warnings():
            # Of large pictures; no pixel is decoded here.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(content), formats=("PNG", "JPEG", "GIF", "WEBP")) as picture:
                width, height = picture.size
    except (OSError, ValueError, SyntaxError, EOFError, IndexError, OverflowError, Image.DecompressionBombError):
        return MAX_IMAGE_TOKENS
    scale = min(1, MAX_SIDE / max(width, height, 1))
    return min(MAX_IMAGE_TOKENS, int(width * height * scale**2 / PIXELS_PER_TOKEN) + 1)
