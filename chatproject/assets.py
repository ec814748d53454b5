"""Static files: hashed names when they are collected, an ASGI application that serves them before Django is asked."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles import finders
from django.core.exceptions import SuspiciousFileOperation
from django.utils._os import safe_join
from whitenoise import WhiteNoise
from whitenoise.compress import Compressor
from whitenoise.storage import CompressedManifestStaticFilesStorage

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]

HASHED = re.compile(r"\.[0-9a-f]{12}\.[^./]+$")
BLOCK = 256 * 1024
# What an operating system says of these differs; browsers refuse modules of another type.
TYPES = {
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
}


# `import("./grid.js").TableGrid` in a comment is a type, not a dependency; taken for one, it closes circles of names
# that wait for each other. So a comment is matched whole: a word to its readers, which browsers need not fetch; nor
# what stands before a line (no text goes over more than one).
COMMENT = r"""(?m:^[ \t]*/\*\*(?:[^*]|\*(?!/))*\*/[ \t]*$|^[ \t]*//.*$|^[ \t]+)|/\*\* @(?:[^*]|\*(?!/))*\*/ ?"""
COMMENT_OR_DYNAMIC_IMPORT = (
    rf"""(?P<comment>{COMMENT})|(?P<matched>(?s:/\*.*?\*/)|import\(\s*["'](?P<url>[./].*?)["']\s*\))""",
    """import("%(url)s")""",
)


# Of drf-spectacular-sidecar, the page uses the bundle of Swagger UI and its styles, which name their source map.
UNUSED_FILES = ("redoc", "oauth2-redirect.*", "swagger-ui-standalone-preset.*", "*.js.map")


class AppFilesFinder(finders.AppDirectoriesFinder):
    """Leaves out the files of other packages that no page uses."""

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterable[Any]:
        return super().list([*(ignore_patterns or ()), *UNUSED_FILES])


class AtomicCompressor(Compressor):
    """Replaces a compressed copy as a whole.

    Written in place, it would be short for a moment: a server that reads it then sends less than it has announced, and
    the browser waits for the rest.
    """

    def write_data(self, path: str, data: bytes, suffix: str, stat_result: os.stat_result) -> str:
        target = Path(path + suffix)
        beside = target.with_name(f".{os.getpid()}.{target.stem}")
        unfinished = super().write_data(str(beside), data, suffix, stat_result)
        Path(unfinished).replace(target)
        return str(target)


class HashedStorage(CompressedManifestStaticFilesStorage):
    """A name that changes with its content, for styles and for the imports inside ES modules."""

    support_js_module_import_aggregation = True
    _js_module_import_aggregation_patterns = (
        "*.js",
        (
            *CompressedManifestStaticFilesStorage._js_module_import_aggregation_patterns[1][:-1],
            COMMENT_OR_DYNAMIC_IMPORT,
        ),
    )
    # The Markdown library, whose template literals do not span lines either.
    patterns = (*CompressedManifestStaticFilesStorage.patterns, ("*.mjs", (COMMENT_OR_DYNAMIC_IMPORT,)))
    # Each pass renames one floor of imports; a chain of modules deeper than this many is a house to be rebuilt.
    max_post_process_passes = 20

    def url_converter(
        self, name: str, hashed_files: dict[str, str], template: str | None = None
    ) -> Callable[[re.Match[str]], str]:
        convert = super().url_converter(name, hashed_files, template)
        is_ours = (settings.BASE_DIR / "static" / name).is_file()

        def converted(match: re.Match[str]) -> str:
            if match["url"]:
                return str(convert(match))
            # Lines keep their numbers, by which browsers tell of faults.
            return "\n" * match[0].count("\n") if is_ours and match.groupdict().get("comment") else match[0]

        return converted

    def create_compressor(self, **options: Any) -> Compressor:
        return AtomicCompressor(**options)

    def stored_name(self, name: str) -> str:
        """The hashed name; before anything was collected (unit tests) the plain one."""
        return str(super().stored_name(name)) if self.hashed_files else name


def with_static(app: ASGIApp) -> ASGIApp:
    """Answer requests below STATIC_URL from STATIC_ROOT and give everything else to `app`.

    WhiteNoise finds the files and decides on headers; its middleware is not used because it costs a thread a request.
    """
    # Looked for with the first request: whoever imports the application may collect the files after that.
    finder = cache(_finder)

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        found = None
        if scope["type"] == "http" and scope["path"].startswith(settings.STATIC_URL):
            found = _found(finder(), scope["path"])
        if found is None:
            await app(scope, receive, send)
            return
        # Files are small and in the operating system's cache: reading one here is quicker than asking a thread to.
        answer = found.get_response(scope["method"], _environ(scope))
        headers = [(name.lower().encode("latin-1"), str(value).encode("latin-1")) for name, value in answer.headers]
        await send({"type": "http.response.start", "status": int(answer.status), "headers": headers})
        block = b""
        if answer.file is not None:
            # The last block, which is the only one of almost every file, ends the answer in the same message.
            with answer.file as file:
                block = file.read(BLOCK)
                while following := file.read(BLOCK):
                    await send({"type": "http.response.body", "body": block, "more_body": True})
                    block = following
        await send({"type": "http.response.body", "body": block, "more_body": False})

    return serve


def _found(files: WhiteNoise, path: str) -> Any:
    """The file below this address; None where there is none.

    Pages of a later release, served by another process, name files that were collected after this one began.
    """
    if files.autorefresh:
        return files.find_file(path)
    if path not in files.files and HASHED.search(path) and _is_collected(path):
        files.add_files(str(settings.STATIC_ROOT), prefix=settings.STATIC_URL)
    return files.files.get(path)


def _is_collected(path: str) -> bool:
    try:
        return Path(safe_join(settings.STATIC_ROOT, path.removeprefix(settings.STATIC_URL))).is_file()
    except (SuspiciousFileOperation, ValueError, OSError):
        return False


def source_files() -> Iterator[tuple[str, Path]]:
    """Every static file of the project and its apps: its name below STATIC_URL and where it lies."""
    for finder in finders.get_finders():
        for name, storage in finder.list([]):
            yield name, Path(storage.path(name))


def uncollected() -> list[str]:
    """The source files that pages may name and that were not collected: all of them, or those of a newer release."""
    try:
        manifest = (Path(settings.STATIC_ROOT) / "staticfiles.json").read_text(encoding="utf-8")
        there = json.loads(manifest)["paths"]
    except (OSError, ValueError, KeyError):
        there = {}
    # What an editor or a desktop left is collected nowhere.
    names = (name for name, _ in source_files() if not (Path(name).name.startswith(".") or name.endswith("~")))
    return [name for name in names if name not in there]


def _finder() -> WhiteNoise:
    files = WhiteNoise(
        None,
        autorefresh=settings.DEBUG,
        max_age=0 if settings.DEBUG else 60,
        allow_all_origins=False,
        mimetypes=TYPES,
        add_headers_function=_harden,
        immutable_file_test=lambda path, url: bool(HASHED.search(url)),
    )
    if settings.DEBUG:
        # While developing, the sources themselves are served, as they are at that moment.
        for folder in {_root(name=name, path=path) for name, path in source_files()}:
            files.add_files(str(folder), prefix=settings.STATIC_URL)
    elif Path(settings.STATIC_ROOT).is_dir():
        files.add_files(str(settings.STATIC_ROOT), prefix=settings.STATIC_URL)
    return files


def _root(*, name: str, path: Path) -> Path:
    return path.parents[len(Path(name).parts) - 1]


def _harden(headers: Any, path: str, url: str) -> None:
    headers["X-Content-Type-Options"] = "nosniff"
    headers["Cross-Origin-Resource-Policy"] = "same-origin"


def _environ(scope: Scope) -> dict[str, str]:
    """The request headers under the names WhiteNoise looks for."""
    return {
        "HTTP_" + name.decode("latin-1").upper().replace("-", "_"): value.decode("latin-1")
        for name, value in scope["headers"]
    }
