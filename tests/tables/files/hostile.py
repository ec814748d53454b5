"""Small hostile files, and the media types that are detected from their content."""
from __future__ import annotations

import io
import struct
import zlib

SCRIPT = b"<script>alert(document.domain)</script>"


def png(*, width: int = 2, height: int = 1) -> bytes:
    """Return a PNG of black pixels; 100 megapixels need 12 kB."""
    rows = zlib.compressobj(9)
    row = b"\0" * (1 + (width + 7) // 8)
    data = b"".join(rows.compress(row) for _ in range(height)) + rows.flush()
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", data), (b"IEND", b""))
    lengths = [struct.pack(">I", len(part)) for _, part in parts]
    sums = [struct.pack(">I", zlib.crc32(name + part)) for name, part in parts]
    chunks = [length + name + part + check for length, (name, part), check in zip(lengths, parts, sums, strict=True)]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


# Name, content, detected type, and whether a browser may show it.
FILES: dict[str, tuple[str, bytes, str, bool]] = {
    "picture": ("a.png", png(), "image/png", True),
    "text": ("notes.txt", "Grüße\n".encode(), "text/plain", True),
    "document": ("a.pdf", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "application/pdf", True),
    "SVG with a script": ("a.svg", b"<svg xmlns='x'>" + SCRIPT + b"</svg>", "image/svg+xml", False),
    "HTML named PNG": ("a.png", b"<!DOCTYPE html>" + SCRIPT, "text/html", False),
    "HTML after spaces": ("a.txt", b"\xef\xbb\xbf \r\n" + SCRIPT, "text/html", False),
    "HTML in UTF-16": ("a.txt", ("\ufeff" + SCRIPT.decode()).encode("utf-16-le"), "application/octet-stream", False),
    "XML": ("a.pdf", b'<?xml version="1.0"?><a/>', "text/xml", False),
    "GIF and script": ("a.js", b"GIF89a/*\0\0*/=1;alert(1)", "image/gif", True),
    "unknown": ("a.png", b"\0\x01\x02" * 20, "application/octet-stream", False),
    "empty": ("a.png", b"", "application/octet-stream", False),
    "archive": ("a.png", b"PK\x03\x04" + b"\0" * 40, "application/zip", False),
}
NAMES = {
    "../../etc/passwd": "passwd",
    "C:\\Users\\me\\a.txt": "a.txt",
    "invoice\u202efdp.exe": "invoicefdp.exe",
    "a\x00\x1b\x7f\u200b.txt": "a.txt",
    "a\r\nSet-Cookie: b": "a Set-Cookie: b",
    "..": "file",
    " .": "file",
    "\ud800.txt": ".txt",
    "é" * 200 + ".pdf": "é" * 125 + ".pdf",
    "x" * 300: "x" * 255,
}


def named(name: str, content: bytes) -> io.BytesIO:
    """Return a file as Django's test client uploads it."""
    file = io.BytesIO(content)
    file.name = name
    return file
