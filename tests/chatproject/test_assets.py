"""Static files: hashed names, caching, compression and which files are served."""

from __future__ import annotations

import gzip
import json
import re
import urllib.error
import urllib.request
from email.message import Message
from pathlib import Path

import pytest
from django.conf import settings

from chatproject.assets import HashedStorage

IMPORT = re.compile(r"""(?:\bfrom|\bimport)\s*\(?\s*["']([^"']+)["']""")
CSS_URL = re.compile(r"""(?:\burl\(|@import\s)\s*["']?([^"')\s;]+)""")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
HASHED = re.compile(r"\.[0-9a-f]{12}\.\w+$")


@pytest.fixture(scope="module")
def collected(daphne_server: str) -> dict[str, str]:
    """Return the hashed name of each collected file by its plain name."""
    manifest = json.loads((settings.STATIC_ROOT / "staticfiles.json").read_text())
    return dict(manifest["paths"])


def fetch(url: str, *, method: str = "GET", headers: dict[str, str] | None = None) -> tuple[int, Message, bytes]:
    request = urllib.request.Request(url, method=method, headers=headers or {})
    try:
        with urllib.request.urlopen(request) as response:
            return response.status, response.headers, response.read()
    except urllib.error.HTTPError as response:
        return response.code, response.headers, response.read()


def is_own(name: str) -> bool:
    return not name.startswith(("admin/", "rest_framework/"))


def test_script_imports_have_hashed_names(collected: dict[str, str]) -> None:
    plain = [
        f"{name}: {target}"
        for name, hashed in collected.items()
        if is_own(name) and name.endswith((".js", ".mjs"))
        for target in IMPORT.findall(COMMENT.sub("", Path(settings.STATIC_ROOT / hashed).read_text()))
        if target.startswith((".", "/")) and not HASHED.search(target)
    ]
    assert plain == []


def test_stylesheet_urls_have_hashed_names(collected: dict[str, str]) -> None:
    plain = [
        f"{name}: {target}"
        for name, hashed in collected.items()
        if is_own(name) and name.endswith(".css")
        for target in CSS_URL.findall(Path(settings.STATIC_ROOT / hashed).read_text())
        if not target.startswith(("data:", "#")) and not HASHED.search(target.split("#")[0])
    ]
    assert plain == []


def test_hashed_files_are_cached_forever(collected: dict[str, str], daphne_address: str) -> None:
    status, headers, body = fetch(f"{daphne_address}/static/{collected['admin/css/base.css']}")
    assert (status, headers["Cache-Control"]) == (200, "max-age=315360000, public, immutable")
    assert body == (settings.STATIC_ROOT / collected["admin/css/base.css"]).read_bytes()


def test_plain_names_are_revalidated(collected: dict[str, str], daphne_address: str) -> None:
    _, headers, _ = fetch(f"{daphne_address}/static/admin/css/base.css")
    assert headers["Cache-Control"] == "max-age=60, public"
    assert fetch(f"{daphne_address}/static/admin/css/base.css", headers={"If-None-Match": headers["ETag"]})[0] == 304


@pytest.mark.parametrize(
    ("name", "content_type"),
    [
        pytest.param("admin/js/core.js", 'text/javascript; charset="utf-8"', id="script"),
        pytest.param("admin/css/base.css", 'text/css; charset="utf-8"', id="style"),
        pytest.param("admin/img/search.svg", "image/svg+xml", id="image"),
        pytest.param("rest_framework/fonts/fontawesome-webfont.woff2", "font/woff2", id="font"),
    ],
)
def test_files_have_their_content_type_and_no_sniffing(
    collected: dict[str, str], daphne_address: str, name: str, content_type: str
) -> None:
    if name not in collected:
        name = next(other for other in collected if other.endswith(Path(name).suffix))
    _, headers, _ = fetch(f"{daphne_address}/static/{name}")
    assert (headers["Content-Type"], headers["X-Content-Type-Options"]) == (content_type, "nosniff")


def test_a_head_request_returns_no_body(collected: dict[str, str], daphne_address: str) -> None:
    status, headers, body = fetch(f"{daphne_address}/static/admin/css/base.css", method="HEAD")
    assert (status, body) == (200, b"")
    assert int(headers["Content-Length"]) > 0


def test_compressed_files_are_served_to_accepting_clients(collected: dict[str, str], daphne_address: str) -> None:
    _, headers, _ = fetch(f"{daphne_address}/static/admin/css/base.css", headers={"Accept-Encoding": "gzip"})
    assert (headers["Content-Encoding"], headers["Vary"]) == ("gzip", "Accept-Encoding")


def test_replacing_a_compressed_file_does_not_disturb_its_readers(tmp_path: Path) -> None:
    style = tmp_path / "style.css"
    compressor = HashedStorage().create_compressor(quiet=True)
    style.write_text("a { color: red }\n" * 100)
    compressor.compress(str(style))
    with (tmp_path / "style.css.gz").open("rb") as open_copy:
        style.write_text("b { color: blue }\n" * 100)
        compressor.compress(str(style))
        assert gzip.decompress(open_copy.read()).startswith(b"a {")
    assert gzip.decompress((tmp_path / "style.css.gz").read_bytes()).startswith(b"b {")
    assert {path.name for path in tmp_path.iterdir()} <= {"style.css", "style.css.gz", "style.css.br"}


def test_static_files_cannot_be_written(collected: dict[str, str], daphne_address: str) -> None:
    assert fetch(f"{daphne_address}/static/admin/css/base.css", method="POST")[0] == 405


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("../db.sqlite3", id="dots"),
        pytest.param("%2e%2e/secret_key", id="encoded dots"),
        pytest.param("/etc/passwd", id="absolute"),
        pytest.param("admin/css/", id="folder"),
    ],
)
def test_only_collected_files_are_served(
    transactional_db: None, collected: dict[str, str], daphne_address: str, path: str
) -> None:
    assert fetch(f"{daphne_address}/static/{path}")[0] == 404
