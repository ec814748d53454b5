"""Estimates of the tokens of files."""
from __future__ import annotations

import io
import zlib

import pytest
from PIL import Image

from chat.file_tokens import MAX_IMAGE_TOKENS, TOKENS_PER_PAGE, count_pages, estimate_file_tokens

PAGES = b"<< /Type/Pages /Count 2 >> << /Type /Page >> << /Type\n/Page/Parent 1 0 R >>"


def image(width: int, height: int) -> bytes:
    content = io.BytesIO()
    Image.new("1", (width, height)).save(content, "PNG")
    return content.getvalue()


def stream(content: bytes) -> bytes:
    return b"<< /Type /ObjStm /Filter /FlateDecode >>\nstream\r\n" + content + b"\nendstream"


@pytest.mark.parametrize(
    ("content", "tokens"),
    [
        pytest.param(image(750, 100), 101, id="small"),
        pytest.param(image(5152, 10), 18, id="scaled down to the longest side"),
        pytest.param(image(4000, 4000), MAX_IMAGE_TOKENS, id="large"),
        pytest.param(b"\x89PNG", MAX_IMAGE_TOKENS, id="damaged"),
    ],
)
def test_images_count_by_their_pixels(content: bytes, tokens: int) -> None:
    assert estimate_file_tokens(content, media_type="image/png") == tokens


@pytest.mark.parametrize(
    ("content", "pages"),
    [
        pytest.param(PAGES, 2, id="plain"),
        pytest.param(stream(zlib.compress(PAGES)) + stream(zlib.compress(PAGES)), 4, id="compressed"),
        pytest.param(stream(b"damaged") + stream(zlib.compress(PAGES)), 2, id="damaged stream"),
        pytest.param(b"<< /Type /ObjStm >> stream", 1, id="cut off"),
        pytest.param(bytes(200_000), 4, id="unreadable"),
        pytest.param(stream(zlib.compress(bytes(10**8))) * 10, 19, id="bomb"),
    ],
)
def test_documents_count_by_their_pages(content: bytes, pages: int) -> None:
    assert count_pages(b"%PDF-1.7 " + content) == pages
    assert estimate_file_tokens(content, media_type="application/pdf") == pages * TOKENS_PER_PAGE
