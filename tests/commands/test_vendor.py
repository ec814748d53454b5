"""`manage.py vendor --check`: what we serve of others, or test with, is what was fetched, with version and licence."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from chatproject.management.commands.vendor import FOR_TESTS, SERVED, listed, strays

CONTENT = b"export default 1;\n"


def entries(*, digest: str) -> list[dict[str, Any]]:
    files = [{"file": "a.mjs", "from": "dist/a.mjs", "sha256": digest}]
    return [{"name": "a", "version": "1.0.0", "licence": "MIT", "files": files}]


def test_the_scripts_of_others_are_as_listed(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("vendor", "--check")
    assert capsys.readouterr().out.splitlines() == [
        "static/vendor: all files match.",
        "tests/browser/vendor: all files match.",
    ]


@pytest.mark.parametrize("folder", [SERVED, FOR_TESTS])
def test_every_package_names_its_version_and_brings_its_licence(folder: Path) -> None:
    for entry in listed(folder=folder):
        assert entry["version"]
        assert entry["licence"]
        assert any("LICENSE" in file["file"] for file in entry["files"])


def test_a_file_as_listed_is_no_stray(tmp_path: Path) -> None:
    (tmp_path / "a.mjs").write_bytes(CONTENT)
    assert strays(folder=tmp_path, entries=entries(digest=hashlib.sha256(CONTENT).hexdigest())) == []


def test_a_changed_a_missing_and_an_unlisted_file_are_named(tmp_path: Path) -> None:
    wanted = entries(digest=hashlib.sha256(CONTENT).hexdigest())
    assert strays(folder=tmp_path, entries=wanted) == ["a.mjs is missing"]
    (tmp_path / "a.mjs").write_bytes(CONTENT + b"// one more line\n")
    (tmp_path / "b.mjs").write_bytes(CONTENT)
    assert strays(folder=tmp_path, entries=wanted) == ["b.mjs is not listed", "a.mjs has changed"]
