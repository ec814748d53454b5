"""Uploaded files: any file name is safe, and files have no name on disk."""
from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from chatproject.uploads import UnnamedFileUploadHandler
from tests.conftest import Api

FORM = "multipart/form-data; boundary=x"
NAMES = {
    "long extension": "a." + "x" * 300,
    "long name": "x" * 700 + ".csv",
    "parent folders": "../../../etc/passwd.csv",
    "formula": "=cmd|' /C calc'!A0.csv",
    "invisible characters": "\u202e\u200b.csv",
    "markup": "<img src=x onerror=alert(1)>.csv",
}


def post_form(api: Api, path: str, *, name: str) -> Any:
    """Post a form with a file of this unescaped name."""
    head = f'--x\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    return api.client.generic("POST", path, f"{head}A,B\n1,2\n\r\n--x--\r\n".encode(), FORM)


@pytest.mark.parametrize("in_memory", [0, 10_000_000], ids=["on disk", "in memory"])
@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_file_may_be_called_anything(api: Api, settings: Any, tmp_path: Path, name: str, in_memory: int) -> None:
    settings.FILE_UPLOAD_MAX_MEMORY_SIZE, settings.FILE_UPLOAD_TEMP_DIR = in_memory, str(tmp_path)
    response = post_form(api, "/api/imports/", name=name)
    assert (response.status_code, 0 < len(response.json()["name"]) <= 255) == (201, True)
    page = api.get(f"/tables/import/{response.json()['id']}/").content.decode()
    assert ("<img" in page, "\u202e" in page, "etc/passwd" in page) == (False, False, False)


def test_uploads_in_progress_have_no_name_on_disk(settings: Any, tmp_path: Path) -> None:
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path)
    handler = UnnamedFileUploadHandler()
    handler.new_file("file", "a.csv", "text/csv", None, None)
    handler.receive_data_chunk(b"A,B\n1,2\n", 0)
    # A file with a name would remain if the process were killed now.
    assert list(tmp_path.iterdir()) == []
    file = handler.file_complete(8)
    assert (file.name, file.read()) == ("a.csv", b"A,B\n1,2\n")
    file.close()
    handler.new_file("file", "b.csv", "text/csv", None, None)
    handler.upload_interrupted()
    assert handler.file.closed


@pytest.mark.parametrize("path", ["/sign-in/", "/tables/import/", "/profile/"])
def test_file_names_do_not_break_other_forms(api: Api, settings: Any, path: str) -> None:
    settings.FILE_UPLOAD_MAX_MEMORY_SIZE = 0
    assert post_form(api, path, name=NAMES["long extension"]).status_code in (302, 404)


PARTS = {
    "files": b'--x\r\nContent-Disposition: form-data; name="f%d"; filename="a"\r\n\r\nb\r\n',
    "fields": b'--x\r\nContent-Disposition: form-data; name="f%d"\r\n\r\nb\r\n',
}


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
@pytest.mark.parametrize("path", ["/api/imports/", "/tables/import/", "/sign-in/"])
def test_too_many_form_parts_are_refused(api: Api, path: str, part: bytes) -> None:
    body = b"".join(part % number for number in range(6_000)) + b"--x--\r\n"
    response = api.client.generic("POST", path, body, FORM)
    assert response.status_code == 400
    assert "This request is not valid" in response.content.decode()
