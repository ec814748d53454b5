"""Serves static files in the ASGI application, without the thread that Django's or WhiteNoise's middleware needs."""
from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import SuspiciousFileOperation
from django.utils._os import safe_join
from whitenoise import WhiteNoise

from chatproject.asgi_types import ASGIApp, Receive, Scope, Send
from chatproject.assets import source_files

HASHED_NAME = re.compile(r"\.[0-9a-f]{12}\.[^./]+$")
CHUNK_BYTES = 256 * 1024
# The types that the operating system knows differ, and browsers refuse modules of another type.
MIME_TYPES = {
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
}


def with_static_files(app: ASGIApp) -> ASGIApp:
    """Serve requests below STATIC_URL from STATIC_ROOT, and pass all others to `app`.

    WhiteNoise finds the files and decides on their headers.
    """
    # Created at the first request: files may be collected after the application has been imported.
    white_noise = cache(_white_noise)

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        file = None
        if scope["type"] == "http" and scope["path"].startswith(settings.STATIC_URL):
            file = _find(white_noise(), scope["path"])
        if file is None:
            await app(scope, receive, send)
            return
        # Files are small and in the cache of the operating system: reading them here is faster than using a thread.
        response = file.get_response(scope["method"], _environ(scope))
        headers = [(name.lower().encode("latin-1"), str(value).encode("latin-1")) for name, value in response.headers]
        await send({"type": "http.response.start", "status": int(response.status), "headers": headers})
        chunk = b""
        if response.file is not None:
            # The last chunk, which for most files is the only one, is sent with the end of the response.
            with response.file as opened:
                chunk = opened.read(CHUNK_BYTES)
                while following := opened.read(CHUNK_BYTES):
                    await send({"type": "http.response.body", "body": chunk, "more_body": True})
                    chunk = following
        await send({"type": "http.response.body", "body": chunk, "more_body": False})

    return serve


def _find(files: WhiteNoise, path: str) -> Any:
    """Return the file at this path, or None.

    Pages of a newer release, served by another process, name files that were collected after this process started.
    """
    if files.autorefresh:
        return files.find_file(path)
    if path not in files.files and HASHED_NAME.search(path) and _is_collected(path):
        files.add_files(str(settings.STATIC_ROOT), prefix=settings.STATIC_URL)
    return files.files.get(path)


def _is_collected(path: str) -> bool:
    try:
        return Path(safe_join(settings.STATIC_ROOT, path.removeprefix(settings.STATIC_URL))).is_file()
    except (SuspiciousFileOperation, ValueError, OSError):
        return False


def _white_noise() -> WhiteNoise:
    files = WhiteNoise(
        None,
        autorefresh=settings.DEBUG,
        max_age=0 if settings.DEBUG else 60,
        allow_all_origins=False,
        mimetypes=MIME_TYPES,
        add_headers_function=_add_security_headers,
        immutable_file_test=lambda path, url: bool(HASHED_NAME.search(url)),
    )
    if settings.DEBUG:
        # In development the source files are served, without collecting them.
        for folder in {_root(name=name, path=path) for name, path in source_files()}:
            files.add_files(str(folder), prefix=settings.STATIC_URL)
    elif Path(settings.STATIC_ROOT).is_dir():
        files.add_files(str(settings.STATIC_ROOT), prefix=settings.STATIC_URL)
    return files


def _root(*, name: str, path: Path) -> Path:
    return path.parents[len(Path(name).parts) - 1]


def _add_security_headers(headers: Any, path: str, url: str) -> None:
    headers["X-Content-Type-Options"] = "nosniff"
    headers["Cross-Origin-Resource-Policy"] = "same-origin"


def _environ(scope: Scope) -> dict[str, str]:
    """Return the request headers under the names of a WSGI environment."""
    return {
        "HTTP_" + name.decode("latin-1").upper().replace("-", "_"): value.decode("latin-1")
        for name, value in scope["headers"]
    }
