"""The cache of mypy, which a new clone copies."""

from __future__ import annotations

from pathlib import Path

from chatproject.testing.mypy_cache import NAME, shared_mypy_cache


def test_a_new_clone_starts_with_the_cache_of_the_last_new_clone(tmp_path: Path) -> None:
    found = []
    for number in range(3):
        file = tmp_path / f"clone {number}" / NAME / "file"
        with shared_mypy_cache(root=file.parent.parent, shared=tmp_path / "shared"):
            found.append(file.read_text() if file.exists() else "")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"of clone {number}")
    assert found == ["", "of clone 0", "of clone 1"]


def test_an_existing_cache_is_used(tmp_path: Path) -> None:
    own = tmp_path / NAME
    own.mkdir()
    with shared_mypy_cache(root=tmp_path, shared=tmp_path / "shared"):
        assert list(own.iterdir()) == []
    assert not (tmp_path / "shared").exists()
