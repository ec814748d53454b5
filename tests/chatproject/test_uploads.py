"""Files that come in are called whatever their sender likes: no name breaks anything, and none is one on our disk."""
from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from chatproject.uploads import UnlinkedFileUploadHandler
from tests.conftest import Api

FORM = "multipart/form-data; boundary=x"
NAMES = {
    "an ending of any length": "a." + "x" * 300,
    "a name of any length": "x" * 700 + ".csv",
    "a way out": "../../../etc/passwd.csv",
    "a formula": "=cmd|' /C calc'!A0.csv",
    "nothing to be seen": "\u202e\u200b.csv",
    "markup": "<img src=x onerror=alert(1)>.csv",
}


def sent(api: Api, path: str, *, name: str) -> Any:
    """The form with a file of this name, as no browser would send it."""
    head = f'--x\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    return api.client.generic("POST", path, f"{head}A,B\n1,2\n\r\n--x--\r\n".encode(), FORM)


@pytest.mark.parametrize("in_memory", [0, 10_000_000], ids=["on the disk", "in memory"])
@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_file_may_be_called_anything(api: Api, settings: Any, tmp_path: Path, name: str, in_memory: int) -> None:
    settings.FILE_UPLOAD_MAX_MEMORY_SIZE, settings.FILE_UPLOAD_TEMP_DIR = in_memory, str(tmp_path)
    made = sent(api, "/api/imports/", name=name)
    assert (made.status_code, 0 < len(made.json()["name"]) <= 255) == (201, True)
    page = api.get(f"/tables/import/{made.json()['id']}/").content.decode()
    assert ("<img" in page, "\u202e" in page, "etc/passwd" in page) == (False, False, False)


def test_a_file_that_is_on_its_way_in_has_no_name_on_the_disk(settings: Any, tmp_path: Path) -> None:
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path)
    handler = UnlinkedFileUploadHandler()
    handler.new_file("file", "a.csv", "text/csv", None, None)
    handler.receive_data_chunk(b"A,B\n1,2\n", 0)
    # Whatever has a name here would stay if the process were killed now.
    assert list(tmp_path.iterdir()) == []
    file = handler.file_complete(8)
    assert (file.name, file.read()) == ("a.csv", b"A,B\n1,2\n")
    file.close()
    handler.new_file("file", "b.csv", "text/csv", None, None)
    handler.upload_interrupted()
    assert handler.file.closed


@pytest.mark.parametrize("path", ["/sign-in/", "/tables/import/", "/profile/"])
def test_it_breaks_no_other_form_either(api: Api, settings: Any, path: str) -> None:
    settings.FILE_UPLOAD_MAX_MEMORY_SIZE = 0
    assert sent(api, path, name=NAMES["an ending of any length"]).status_code in (302, 404)


PARTS = {
    "files": b'--x\r\nContent-Disposition: form-data; name="f%d"; filename="a"\r\n\r\nb\r\n',
    "fields": b'--x\r\nContent-Disposition: form-data; name="f%d"\r\n\r\nb\r\n',
}


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
@pytest.mark.parametrize("path", ["/api/imports/", "/tables/import/", "/sign-in/"])
def test_more_parts_than_anybody_sends_are_refused(api: Api, path: str, part: bytes) -> None:
    body = b"".join(part % number for number in range(6_000)) + b"--x--\r\n"
    answer = api.client.generic("POST", path, body, FORM)
    assert answer.status_code == 400
    assert "This request is not valid" in answer.content.decode()
