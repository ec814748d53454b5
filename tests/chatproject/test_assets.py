"""Static files get a name that changes with their content, and are served by it."""

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
ADDRESS = re.compile(r"""(?:\burl\(|@import\s)\s*["']?([^"')\s;]+)""")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
HASHED = re.compile(r"\.[0-9a-f]{12}\.\w+$")


@pytest.fixture(scope="module")
def collected(daphne_server: str) -> dict[str, str]:
    """Plain name → hashed name of everything that was collected: once, before the server began to serve it."""
    manifest = json.loads((settings.STATIC_ROOT / "staticfiles.json").read_text())
    return dict(manifest["paths"])


def fetch(url: str, *, method: str = "GET", headers: dict[str, str] | None = None) -> tuple[int, Message, bytes]:
    request = urllib.request.Request(url, method=method, headers=headers or {})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as answer:
        return answer.code, answer.headers, answer.read()


def own(name: str) -> bool:
    return not name.startswith(("admin/", "rest_framework/"))


def test_every_import_of_our_scripts_names_a_hashed_file(collected: dict[str, str]) -> None:
    plain = [
        f"{name}: {target}"
        for name, hashed in collected.items()
        if own(name) and name.endswith((".js", ".mjs"))
        for target in IMPORT.findall(COMMENT.sub("", Path(settings.STATIC_ROOT / hashed).read_text()))
        if target.startswith((".", "/")) and not HASHED.search(target)
    ]
    assert plain == []


def test_every_address_in_our_styles_names_a_hashed_file(collected: dict[str, str]) -> None:
    plain = [
        f"{name}: {target}"
        for name, hashed in collected.items()
        if own(name) and name.endswith(".css")
        for target in ADDRESS.findall(Path(settings.STATIC_ROOT / hashed).read_text())
        if not target.startswith(("data:", "#")) and not HASHED.search(target.split("#")[0])
    ]
    assert plain == []


def test_a_hashed_file_may_be_kept_for_ever(collected: dict[str, str], daphne_address: str) -> None:
    status, headers, body = fetch(f"{daphne_address}/static/{collected['admin/css/base.css']}")
    assert (status, headers["Cache-Control"]) == (200, "max-age=315360000, public, immutable")
    assert body == (settings.STATIC_ROOT / collected["admin/css/base.css"]).read_bytes()


def test_a_plain_name_is_asked_for_again(collected: dict[str, str], daphne_address: str) -> None:
    _, headers, _ = fetch(f"{daphne_address}/static/admin/css/base.css")
    assert headers["Cache-Control"] == "max-age=60, public"
    assert fetch(f"{daphne_address}/static/admin/css/base.css", headers={"If-None-Match": headers["ETag"]})[0] == 304


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        pytest.param("admin/js/core.js", 'text/javascript; charset="utf-8"', id="script"),
        pytest.param("admin/css/base.css", 'text/css; charset="utf-8"', id="style"),
        pytest.param("admin/img/search.svg", "image/svg+xml", id="image"),
        pytest.param("rest_framework/fonts/fontawesome-webfont.woff2", "font/woff2", id="font"),
    ],
)
def test_a_file_comes_with_its_type_and_no_guessing(
    collected: dict[str, str], daphne_address: str, name: str, kind: str
) -> None:
    if name not in collected:
        name = next(other for other in collected if other.endswith(Path(name).suffix))
    _, headers, _ = fetch(f"{daphne_address}/static/{name}")
    assert (headers["Content-Type"], headers["X-Content-Type-Options"]) == (kind, "nosniff")


def test_a_head_request_gets_no_body(collected: dict[str, str], daphne_address: str) -> None:
    status, headers, body = fetch(f"{daphne_address}/static/admin/css/base.css", method="HEAD")
    assert (status, body) == (200, b"")
    assert int(headers["Content-Length"]) > 0


def test_a_compressed_copy_goes_to_who_takes_one(collected: dict[str, str], daphne_address: str) -> None:
    _, headers, _ = fetch(f"{daphne_address}/static/admin/css/base.css", headers={"Accept-Encoding": "gzip"})
    assert (headers["Content-Encoding"], headers["Vary"]) == ("gzip", "Accept-Encoding")


def test_a_compressed_copy_that_is_being_read_stays_whole_when_it_is_made_again(tmp_path: Path) -> None:
    style = tmp_path / "style.css"
    compressor = HashedStorage().create_compressor(quiet=True)
    style.write_text("a { color: red }\n" * 100)
    compressor.compress(str(style))
    with (tmp_path / "style.css.gz").open("rb") as read_by_a_server:
        style.write_text("b { color: blue }\n" * 100)
        compressor.compress(str(style))
        assert gzip.decompress(read_by_a_server.read()).startswith(b"a {")
    assert gzip.decompress((tmp_path / "style.css.gz").read_bytes()).startswith(b"b {")
    assert {path.name for path in tmp_path.iterdir()} <= {"style.css", "style.css.gz", "style.css.br"}


def test_nothing_can_be_written_to_a_static_file(collected: dict[str, str], daphne_address: str) -> None:
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
