"""Files of tables over HTTP: upload, types, cells, download, rights and limits."""
from __future__ import annotations

import io
import re
from collections.abc import Callable
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import User
from django.utils import timezone
from PIL import Image

from tables.column_types.files import MAX_NAME_BYTES, clean_file_name
from tables.exceptions import Conflict
from tables.models import FileContent, Row, Table, TableFile
from tables.operations import Origin
from tables.services import change_rows, read_unlocked
from tables.services.files.contents import delete_unused_contents
from tables.services.files.media_types import INLINE, media_type, served_type
from tables.services.files.retention import clear_files
from tables.services.files.storage import content_path, file_storage
from tables.services.rows.direct_changes import MAX_COMPOSED_LOCKED
from tables.tasks import create_thumbnail
from tests.captured_queries import CapturedQueries
from tests.conftest import Api
from tests.tables.files.hostile import FILES, NAMES, named, png

COLUMNS = [{"name": "Name", "type": "text"}, {"name": "Files", "type": "attachment"}]
Json = dict[str, Any]


class FileTable:
    """A table with a column of files."""

    def __init__(self, api: Api) -> None:
        table = api.post("/api/tables/", {"name": "Things", "columns": COLUMNS}).json()
        self.api, self.id, self.url = api, table["id"], f"/api/tables/{table['id']}/"

    def upload(self, name: str = "a.png", content: bytes = b"", status: int = 201) -> Json:
        response = self.api.client.post(f"{self.url}files/", {"file": named(name, content or png())})
        assert response.status_code == status, response.content
        return response.json()

    def write(self, files: Any, *, status: int = 201, **fields: Any) -> Json:
        response = self.api.post(f"{self.url}rows/", {"Files": files, **fields})
        assert response.status_code == status, response.content
        return response.json()

    def names(self, query: str = "") -> list[str]:
        rows = self.api.get(f"{self.url}rows/{query}").json()["rows"]
        return [" ".join(file["name"] for file in row["data"].get("Files", [])) for row in rows]


def content_of(response: Any) -> bytes:
    """Return the bytes of a streamed response."""

    async def read() -> bytes:
        return b"".join([piece async for piece in response])

    return async_to_sync(read)()


@pytest.fixture
def things(api: Api) -> FileTable:
    return FileTable(api)


@pytest.mark.parametrize(("name", "content", "expected", "is_shown"), FILES.values(), ids=FILES)
def test_the_content_decides_about_the_type(name: str, content: bytes, expected: str, is_shown: bool) -> None:
    found = media_type(content, name=name)
    assert (found, found in INLINE) == (expected, is_shown)
    assert served_type(found).partition(";")[0] in (found if is_shown else "application/octet-stream",)


@pytest.mark.parametrize(("given", "cleaned"), NAMES.items(), ids=ascii)
def test_names_of_files_are_cleaned(given: str, cleaned: str) -> None:
    assert clean_file_name(given) == cleaned
    assert len(cleaned.encode()) <= MAX_NAME_BYTES


@pytest.mark.parametrize("in_memory", [0, 10_000_000], ids=["on disk", "in memory"])
def test_files_are_uploaded_written_to_cells_found_and_downloaded(
    things: FileTable, settings: Any, in_memory: int
) -> None:
    settings.FILE_UPLOAD_MAX_MEMORY_SIZE = in_memory
    file = things.upload("../Grüße \u202eA.png", png())
    assert file == {
        "id": file["id"], "name": "Grüße A.png", "size": len(png()), "type": "image/png",
        "url": f"{things.url}files/{file['id']}/", "thumbnail_url": None,
    }  # fmt: skip
    text = things.upload("b.txt", b"plain")
    row = things.write([file, {"id": text["id"], "name": "/x/Notes.txt", "size": 5_000}], Name="1")
    assert row["data"]["Files"] == [
        {"id": file["id"], "name": "Grüße A.png", "size": len(png()), "type": "image/png"},
        {"id": text["id"], "name": "Notes.txt", "size": 5, "type": "text/plain"},
    ]
    things.write([{"id": text["id"]}], Name="2")
    things.write([], Name="3")

    contains = '?filter={"column":"Files","op":"%s","value":"%s"}'
    assert things.names("?sort=Files") == ["Grüße A.png Notes.txt", "Notes.txt", ""]
    assert things.names("?sort=-Files&limit=1") == ["Notes.txt"]
    assert things.names(contains % ("contains", "GRÜßE a.PNG")) == ["Grüße A.png Notes.txt"]
    assert things.names(contains % ("not_contains", "ü")) == ["Notes.txt", ""]
    assert things.names('?filter={"column":"Files","op":"empty"}') == [""]
    assert things.names("?search=grüße+notes") == ["Grüße A.png Notes.txt"]
    groups = things.api.get(f"{things.url}aggregate/", group_by='[{"column":"Files"}]').json()["groups"]
    assert [group["rows"] for group in groups] == [1, 1, 1]

    shown = things.api.get(f"{file['url']}?inline=true")
    assert content_of(shown) == png()
    assert shown.headers["Content-Type"] == "image/png"
    assert shown.headers["Content-Disposition"] == "inline; filename*=utf-8''Gr%C3%BC%C3%9Fe%20A.png"
    assert shown.headers["Content-Security-Policy"].startswith("sandbox;")
    assert (shown.headers["X-Content-Type-Options"], shown.headers["Cache-Control"]) == ("nosniff", "private, no-cache")
    also_html = b"%PDF-1.7 <!DOCTYPE html><script>alert(1)</script>"
    document = things.api.get(f"{things.upload('a.html', also_html)['url']}?inline=true")
    assert content_of(document) == also_html
    assert (document.headers["Content-Type"], document.headers["X-Frame-Options"]) == ("application/pdf", "SAMEORIGIN")
    assert document.headers["Content-Security-Policy"].startswith("sandbox; default-src 'none'; object-src 'self';")
    assert document.headers["X-Content-Type-Options"] == "nosniff"
    page = things.upload("a.png", b"<!DOCTYPE html><script>alert(1)</script>")
    saved = things.api.get(f"{page['url']}?inline=true")
    assert (saved.headers["Content-Type"], saved.headers["Content-Disposition"]) == (
        "application/octet-stream", 'attachment; filename="a.png"',
    )  # fmt: skip
    content_of(saved)


REFUSED: dict[str, tuple[Callable[[str], Any], str]] = {
    "unknown": (lambda key: [{"id": "x" * 32}], "unknown_file"),
    "no id": (lambda key: [{"name": "a.png"}], "not_files"),
    "hostile": (lambda key: [{"id": "../\u00e9"}], "unknown_file"),
    "a text": (lambda key: "a.png", "not_files"),
    "ids": (lambda key: [key], "not_files"),
    "a name that is no text": (lambda key: [{"id": key, "name": 5}], "not_files"),
    "too many": (lambda key: [{"id": key}] * 21, "too_many_files"),
}


@pytest.mark.parametrize("typecast", ["", "?typecast=true"], ids=["strict", "typecast"])
def test_only_files_of_the_table_can_be_written(things: FileTable, api: Api, typecast: str) -> None:
    key = things.upload()["id"]
    values = {name: (value(key), code) for name, (value, code) in REFUSED.items()}
    values["of another table"] = ([{"id": FileTable(api).upload()["id"]}], "unknown_file")
    for name, (value, code) in values.items():
        response = api.post(f"{things.url}rows/{typecast}", {"Files": value})
        faults = [(fault["path"], fault["code"]) for fault in response.json().get("errors", [])]
        assert (name, response.status_code, faults) == (name, 422, [("Files", code)])


def test_rights_are_those_of_the_table(things: FileTable, other_user: User) -> None:
    file = things.upload()
    other = Api(other_user)
    for stranger, status in ((other, 404), (Api(None), 401)):
        assert stranger.get(file["url"]).status_code == status
        assert stranger.client.post(f"{things.url}files/", {"file": named("a", b"a")}).status_code == status
    own = FileTable(other)
    assert other.get(f"{own.url}files/{file['id']}/").status_code == 404
    things.api.delete(things.url)
    assert things.api.get(file["url"]).status_code == 404


def test_uploads_are_limited(things: FileTable, settings: Any) -> None:
    settings.FILE_MAX_MB = 1
    assert things.upload(content=b"x" * (2**20 + 1), status=413)["error"] == "too_large"
    settings.FILE_MAX_MB, settings.FILES_MAX_GB = 25, 0
    assert things.upload(status=422)["error"] == "files_full"
    for body in ({}, {"file": [named("a", b"a"), named("b", b"b")]}, {"file": named("a", b"a"), "x": "y"}):
        assert things.api.client.post(f"{things.url}files/", body).status_code == 400


def test_the_number_of_queries_does_not_depend_on_the_number_of_files(things: FileTable) -> None:
    files = [{"id": things.upload(f"{number}.png")["id"]} for number in range(12)]
    counts = []
    for written in (files[:6], files):
        rows = [{"Files": [file]} for file in written]
        with CapturedQueries() as queries:
            assert things.api.post(f"{things.url}rows/", {"rows": rows}).status_code == 201
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_files_outlive_their_cells_as_long_as_undo_may_need_them(things: FileTable) -> None:
    kept, lost, unused = (things.upload(f"{name}.png") for name in ("kept", "lost", "unused"))
    row = things.write([{"id": kept["id"]}, {"id": lost["id"]}])["id"]
    copy = things.api.post(f"{things.url}duplicate/").json()["id"]
    change = things.api.patch(f"{things.url}rows/{row}/", {"data": {"Files": [{"id": kept["id"]}]}}).json()["change"]

    def stored() -> list[bool]:
        return [things.api.get(file["url"]).status_code == 200 for file in (kept, lost, unused)]

    clear(days=29)
    assert stored() == [True, True, True]
    assert things.api.post(f"{things.url}changes/{change}/undo/").status_code == 200
    assert things.names() == ["kept.png lost.png"]
    clear(days=32)
    assert stored() == [True, True, False]
    things.api.delete(f"{things.url}rows/{row}/")
    clear(days=32)
    assert stored() == [True, True, False]
    Row.objects.filter(table_id=things.id).delete()
    clear(days=64)
    assert stored() == [False, False, False]
    # The copy has the same contents.
    for file in (kept, lost):
        assert content_of(things.api.get(f"/api/tables/{copy}/files/{file['id']}/")) == png()
    Table.objects.filter(pk=copy).delete()
    clear(days=64)
    assert FileContent.objects.count() == 0
    assert not file_storage().exists(content_path(kept["id"]))


def fields_of(form: str) -> Json:
    """Return the hidden fields of a form, as lists."""
    found: Json = {}
    for name, value in re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', form):
        found.setdefault(name, []).append(unescape(value))
    return found


def test_the_form_without_scripts_adds_and_removes_files(things: FileTable, settings: Any) -> None:
    old, lost = things.upload("old <b>.png"), things.upload("lost.png")
    row = things.write([{"id": old["id"]}, {"id": lost["id"]}], Name="1")["id"]
    address = f"/tables/{things.id}/rows/{row}/"
    form = things.api.get(address).content.decode()
    assert 'enctype="multipart/form-data"' in form
    assert f'href="{old["url"]}?inline=true"' in form
    assert "old &lt;b&gt;.png" in form
    sent, column = fields_of(form), re.findall(r'name="file-([^"]+)"', form)[0]
    sent |= {f"remove-{column}": [lost["id"]], f"upload-{column}": [named("a.txt", b"a"), named("b.txt", b"b")]}

    # A refused upload leaves nothing to choose again.
    settings.FILE_MAX_MB = 0
    refused = things.api.client.post(address, sent)
    assert (refused.status_code, "at most 0 MB" in refused.content.decode()) == (422, True)
    settings.FILE_MAX_MB = 1
    sent[f"upload-{column}"] = [named("a.txt", b"a"), named("large.txt", b"x" * (2**20 + 1))]
    refused = things.api.client.post(address, sent)
    text = refused.content.decode()
    assert (refused.status_code, "at most 1 MB" in text, things.names()) == (422, True, ["old <b>.png lost.png"])
    again = fields_of(text)
    assert len(again[f"file-{column}"]) == 2
    assert things.api.client.post(address, again).status_code == 302
    assert things.names() == ["old <b>.png a.txt"]
    change = things.api.get(f"{things.url}changes/").json()["changes"][0]["id"]
    assert things.api.post(f"{things.url}changes/{change}/undo/").status_code == 200
    assert things.names() == ["old <b>.png lost.png"]
    history = things.api.get(f"/tables/{things.id}/history/").content.decode()
    assert "1: Files old &lt;b&gt;.png, lost.png → old &lt;b&gt;.png, a.txt" in history
    # A new row.
    new = fields_of(things.api.get(f"/tables/{things.id}/rows/new/").content.decode())
    added = things.api.client.post(f"/tables/{things.id}/rows/new/", {**new, f"upload-{column}": named("n.txt", b"n")})
    assert (added.status_code, things.names()) == (302, ["old <b>.png lost.png", "n.txt"])
    # A file of another table is not added.
    other = FileTable(things.api).upload()["id"]
    things.api.client.post(address, {**again, f"file-{column}": [old["id"], other], "was": sent["was"]})
    assert things.names()[0] == "old <b>.png"


def test_of_a_deletion_and_a_write_of_the_same_file_one_is_refused(things: FileTable, user: User) -> None:
    file, kept = things.upload("a.txt", b"a"), things.upload("b.txt", b"b")

    def adding(file_id: str) -> dict[str, Any]:
        # Several operations, which are composed before the table is locked.
        add = {"action": "add", "data": {"Files": [{"id": file_id}]}}
        proposal = {"operations": [add] * (MAX_COMPOSED_LOCKED + 1)}
        arguments = {"user": user, "table_id": things.id, "proposal": proposal}
        return {**arguments, "read": read_unlocked(**arguments), "origin": Origin("api")}

    late, early = adding(file["id"]), adding(kept["id"])
    change_rows(**early)
    clear(days=32)
    with pytest.raises(Conflict) as refused:
        change_rows(**late)
    assert refused.value.code == "file_deleted"
    assert set(things.names()) == {"b.txt"}
    # The content of the deleted file is gone, that of the other is not deleted any more.
    assert delete_unused_contents([file["id"], kept["id"]]) == 0
    assert content_of(things.api.get(kept["url"])) == b"b"

    # A change that is undone late, when its file has been deleted already.
    row = things.api.get(f"{things.url}rows/").json()["rows"][0]["id"]
    change = things.api.patch(f"{things.url}rows/{row}/", {"data": {"Files": []}}).json()["change"]
    TableFile.objects.filter(content_id=kept["id"]).delete()
    answer = things.api.post(f"{things.url}changes/{change}/undo/")
    assert (answer.status_code, answer.json()["error"]) == (409, "file_deleted")


RANGES: dict[str, tuple[int, str, bytes]] = {
    "bytes=0-3": (206, "bytes 0-3/10", b"0123"),
    "bytes=8-": (206, "bytes 8-9/10", b"89"),
    "bytes=8-99": (206, "bytes 8-9/10", b"89"),
    "bytes=-3": (206, "bytes 7-9/10", b"789"),
    "bytes=-99": (206, "bytes 0-9/10", b"0123456789"),
    "bytes=10-": (416, "bytes */10", b""),
    "bytes=-0": (416, "bytes */10", b""),
    "bytes=5-3": (200, "", b"0123456789"),
    "bytes=0-1,4-5": (200, "", b"0123456789"),
    "bytes=-": (200, "", b"0123456789"),
    "lines=0-1": (200, "", b"0123456789"),
}


def test_a_part_of_a_file_is_downloaded(things: FileTable) -> None:
    url = things.upload("a.txt", b"0123456789")["url"]
    get, head = things.api.client.get, things.api.client.head
    whole = head(url)
    etag = whole.headers["ETag"]
    assert (whole.status_code, whole.headers["Content-Length"], whole.headers["Accept-Ranges"]) == (200, "10", "bytes")
    for wanted, (status, content_range, content) in RANGES.items():
        answer = get(url, headers={"Range": wanted, "If-Range": etag})
        assert (answer.status_code, answer.headers.get("Content-Range", "")) == (status, content_range), wanted
        if status == 416:
            assert answer.json()["error"] == "not_in_range"
            continue
        assert (content_of(answer), answer.headers["Content-Length"]) == (content, str(len(content))), wanted
        alike = head(url, headers={"Range": wanted})
        assert (alike.status_code, alike.headers["Content-Length"]) == (status, str(len(content))), wanted
    changed = get(url, headers={"Range": "bytes=0-3", "If-Range": '"other"'})
    assert (changed.status_code, content_of(changed)) == (200, b"0123456789")


def clear(*, days: int) -> None:
    for _ in clear_files(now=timezone.now() + timedelta(days=days)):
        pass


def picture(kind: str, *, size: tuple[int, int] = (640, 320), **options: Any) -> bytes:
    encoded = io.BytesIO()
    Image.new("RGB", size, "red").save(encoded, kind, **options)
    return encoded.getvalue()


def turned() -> bytes:
    exif = Image.Exif()
    exif[0x0112], exif[0x010F] = 6, "Camera"
    return picture("JPEG", exif=exif)


PICTURES = {
    "PNG": (picture("PNG"), (320, 160)),
    "turned JPEG": (turned(), (160, 320)),
    "GIF": (picture("GIF"), (320, 160)),
    "WebP": (picture("WEBP"), (320, 160)),
    "100 megapixels": (png(width=10_000, height=10_000), None),
    "cut": (picture("PNG")[:60], None),
    "GIF and script": (FILES["GIF and script"][1], None),
    "text": (b"text", None),
}


@pytest.mark.sqlite_only
@pytest.mark.parametrize(("content", "size"), PICTURES.values(), ids=PICTURES)
def test_workers_create_thumbnails_of_pictures(things: FileTable, content: bytes, size: Any) -> None:
    file = things.upload("a.png", content)
    assert things.api.get(f"{file['url']}thumbnail/").status_code == 404
    assert create_thumbnail.call(file["id"]) == (size is not None)
    [listed] = things.api.get(f"{things.url}files/?ids={file['id']},unknown").json()["files"]
    assert things.api.get(f"{things.url}files/?ids={','.join([file['id']] * 101)}").status_code == 400
    assert listed == {**file, "thumbnail_url": f"{file['url']}thumbnail/" if size else None}
    response = things.api.get(f"{file['url']}thumbnail/")
    assert response.status_code == (200 if size else 404)
    if size:
        small = Image.open(io.BytesIO(content_of(response)))
        assert (small.format, small.size, dict(small.getexif())) == ("WEBP", size, {})
