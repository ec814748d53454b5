"""Collecting static files: finders, and a storage that adds content hashes to their names."""

from __future__ import annotations

import json
import os
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles import finders
from whitenoise.compress import Compressor
from whitenoise.storage import CompressedManifestStaticFilesStorage

# `import("./grid.js").TableGrid` in a comment is a type, not a dependency: replacing it would create cycles of files
# whose hashed names depend on each other. Therefore comments are matched as a whole. They and indentation are removed
# from the collected files (no string spans several lines).
COMMENT = r"""(?m:^[ \t]*/\*\*(?:[^*]|\*(?!/))*\*/[ \t]*$|^[ \t]*//.*$|^[ \t]+)|/\*\* @(?:[^*]|\*(?!/))*\*/ ?"""
COMMENT_OR_DYNAMIC_IMPORT = (
    rf"""(?P<comment>{COMMENT})|(?P<matched>(?s:/\*.*?\*/)|import\(\s*["'](?P<url>[./].*?)["']\s*\))""",
    """import("%(url)s")""",
)


# Of drf-spectacular-sidecar, the page uses only the bundle of Swagger UI and its styles with their source map.
UNUSED_FILES = ("redoc", "oauth2-redirect.*", "swagger-ui-standalone-preset.*", "*.js.map")


class AppFilesFinder(finders.AppDirectoriesFinder):
    """Leaves out files of other packages that no page uses."""

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterable[Any]:
        return super().list([*(ignore_patterns or ()), *UNUSED_FILES])


class AtomicCompressor(Compressor):
    """Replaces compressed copies atomically.

    A server that reads a partly written file would send fewer bytes than announced, and the browser waits for the rest.
    """

    def write_data(self, path: str, data: bytes, suffix: str, stat_result: os.stat_result) -> str:
        target = Path(path + suffix)
        temporary = target.with_name(f".{os.getpid()}.{target.stem}")
        written = super().write_data(str(temporary), data, suffix, stat_result)
        Path(written).replace(target)
        return str(target)


class HashedStorage(CompressedManifestStaticFilesStorage):
    """Hashes the content of each file into its name, also in style sheets and in the imports of ES modules."""

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
    # Each pass resolves one level of imports.
    max_post_process_passes = 20
    _references: dict[str, set[str]]
    """By the name of a file, the names of the files that it refers to, found in the first pass."""
    _hashed: dict[str, str]
    """The hashed names before the current pass."""
    _source: str
    """The name of the file whose references are being replaced."""

    def post_process(self, *args: Any, **kwargs: Any) -> Iterator[Any]:
        self._references, self._hashed = {}, {}
        yield from super().post_process(*args, **kwargs)

    def _post_process(
        self, paths: dict[str, Any], adjustable_paths: list[str], hashed_files: dict[str, str]
    ) -> Iterator[Any]:
        """Process all files in the first pass, later those that refer to a file whose hashed name has changed since."""
        if hashed_files:
            changed = {name for name, hashed_name in hashed_files.items() if self._hashed.get(name) != hashed_name}
            paths = {name: path for name, path in paths.items() if self._references.get(name, set()) & changed}
        self._hashed = dict(hashed_files)
        yield from super()._post_process(paths, adjustable_paths, hashed_files)

    def url_converter(
        self, name: str, hashed_files: dict[str, str], template: str | None = None
    ) -> Callable[[re.Match[str]], str]:
        convert = super().url_converter(name, hashed_files, template)
        is_ours = (settings.BASE_DIR / "static" / name).is_file()

        def converted(match: re.Match[str]) -> str:
            if match["url"]:
                self._source = name
                return str(convert(match))
            # Line numbers must not change, because browsers report errors by them.
            return "\n" * match[0].count("\n") if is_ours and match.groupdict().get("comment") else match[0]

        return converted

    def _stored_name(self, name: str, hashed_files: dict[str, str]) -> str:
        """Return the hashed name of a file that another one refers to."""
        self._references.setdefault(self._source, set()).add(posixpath.normpath(name))
        return str(super()._stored_name(name, hashed_files))

    def create_compressor(self, **options: Any) -> Compressor:
        return AtomicCompressor(**options)

    def stored_name(self, name: str) -> str:
        """Return the hashed name, or `name` itself if nothing has been collected, as in unit tests."""
        return str(super().stored_name(name)) if self.hashed_files else name


def source_files() -> Iterator[tuple[str, Path]]:
    """Return each static file of the project and its apps: its name below STATIC_URL and its path."""
    for finder in finders.get_finders():
        for name, storage in finder.list([]):
            yield name, Path(storage.path(name))


def uncollected() -> list[str]:
    """Return the names of source files that have not been collected: all of them, or those new in this release."""
    try:
        manifest = (Path(settings.STATIC_ROOT) / "staticfiles.json").read_text(encoding="utf-8")
        collected = json.loads(manifest)["paths"]
    except (OSError, ValueError, KeyError):
        collected = {}
    # `collectstatic` ignores hidden files and backup files of editors.
    names = (name for name, _ in source_files() if not (Path(name).name.startswith(".") or name.endswith("~")))
    return [name for name in names if name not in collected]
