"""`manage.py vendor --check`: vendored files match their list of hashes, versions and licences."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from chatproject.management.commands.vendor import FOR_TESTS, SCHEMAS, SERVED, listed, strays

CONTENT = b"export default 1;\n"


def entries(*, digest: str) -> list[dict[str, Any]]:
    files = [{"file": "a.mjs", "from": "dist/a.mjs", "sha256": digest}]
    return [{"name": "a", "version": "1.0.0", "licence": "MIT", "files": files}]


def test_vendored_scripts_match_their_list(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("vendor", "--check")
    assert capsys.readouterr().out.splitlines() == [
        "static/vendor: all files match.",
        "tests/browser/vendor: all files match.",
        "tests/chatproject/openapi/vendor: all files match.",
    ]


@pytest.mark.parametrize("folder", [SERVED, FOR_TESTS, SCHEMAS])
def test_every_package_has_a_version_and_a_licence_file(folder: Path) -> None:
    for entry in listed(folder=folder):
        assert entry["version"]
        assert entry["licence"]
        assert any("LICENSE" in file["file"] for file in entry["files"])


def test_a_listed_file_is_not_reported(tmp_path: Path) -> None:
    (tmp_path / "a.mjs").write_bytes(CONTENT)
    assert strays(folder=tmp_path, entries=entries(digest=hashlib.sha256(CONTENT).hexdigest())) == []


def test_changed_missing_and_unlisted_files_are_reported(tmp_path: Path) -> None:
    expected = entries(digest=hashlib.sha256(CONTENT).hexdigest())
    assert strays(folder=tmp_path, entries=expected) == ["a.mjs is missing"]
    (tmp_path / "a.mjs").write_bytes(CONTENT + b"// one more line\n")
    (tmp_path / "b.mjs").write_bytes(CONTENT)
    assert strays(folder=tmp_path, entries=expected) == ["b.mjs is not listed", "a.mjs has changed"]
