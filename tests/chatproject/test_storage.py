"""The check for folders that cannot be written."""

from __future__ import annotations

from pathlib import Path

from chatproject.observability.readiness import StorageCheck


def test_a_writable_folder_is_unchanged(tmp_path: Path) -> None:
    assert StorageCheck().fault([tmp_path], now=0) is None
    assert list(tmp_path.iterdir()) == []


def test_an_unwritable_folder_is_a_fault(tmp_path: Path) -> None:
    # Even root cannot create files there.
    assert StorageCheck().fault([tmp_path, Path("/proc")], now=0) is not None


def test_a_disk_without_space_is_a_fault(tmp_path: Path) -> None:
    assert StorageCheck(min_free_bytes=2**60).fault([tmp_path], now=0) is not None


def test_a_result_is_reused_for_five_seconds(tmp_path: Path) -> None:
    check, folder = StorageCheck(), tmp_path / "data"
    folder.mkdir()
    assert check.fault([folder], now=10) is None
    folder.rmdir()
    assert check.fault([folder], now=14.9) is None
    assert check.fault([folder], now=15) is not None
