"""Tables with files as ZIP archives: export, import, hostile archives, and what is left of imports that fail."""
from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from tables.column_types import ColumnSpec, TableShape
from tables.exceptions import Invalid
from tables.importing.archived_files import ArchivedFiles
from tables.importing.choices import default_choices, read_choices
from tables.importing.file_formats.archives import open_archive
from tables.interchange.zip_files import FilePaths
from tables.models import FileContent, FileRow, Import
from tables.services.files.retention import clear_files
from tests.conftest import Api
from tests.tables.exporting.conftest import content_of
from tests.tables.files.hostile import png
from tests.tables.files.test_files import FileTable
from tests.tables.importing.files import decide, run, send, uploaded

Json = dict[str, Any]
ROWS = '[{"Name":"1","Files":"a.txt"}]'


def archive(*entries: tuple[str, bytes | str], method: int = zipfile.ZIP_STORED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as written:
        for name, content in entries:
            written.writestr(zipfile.ZipInfo(name), content, method)
    return file.getvalue()


def entries_of(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as read:
        return {name: read.read(name) for name in read.namelist()}


@pytest.fixture
def things(transactional_db: None, api: Api) -> FileTable:
    return FileTable(api)


def test_an_exported_archive_is_imported_and_exported_identically(things: FileTable, other_user: User) -> None:
    api = things.api
    names = ["Grüße, A;b.png", "grüße, a;b.png", "con", "x?.tar.gz", "a b"]
    files = [things.upload(name, png() + bytes([number])) for number, name in enumerate(names)]
    things.write(files, Name="=1+1")
    things.write([{"id": files[0]["id"], "name": "Other.png"}], Name="2")
    things.write([], Name="3")
    content = content_of(api.get(f"{things.url}export/", format="zip"))
    assert list(entries_of(content)) == [
        "Things.json", "table/columns.json", "files/Grüße, A_b.png", "files/grüße, a_b 2.png", "files/con_",
        "files/x_.tar.gz", "files/a b",
    ]  # fmt: skip
    rows = json.loads(entries_of(content)["Things.json"])
    assert [file["name"] for file in rows[0]["Files"]] == names
    first = {"path": "files/Grüße, A_b.png", "name": "Other.png", "size": len(png()) + 1, "type": "image/png"}
    assert rows[1:] == [{"Name": "2", "Files": [first]}, {"Name": "3", "Files": None}]

    found = uploaded(api, content, name="Things.zip")
    assert found["source"]["member"] == "Things.json"
    assert [column["type"] for column in found["columns"]][1] == "attachment"
    done = run(api, decide(api, found, columns=[{"index": 0, "type": "text"}]))
    assert (done["state"], done["error"]) == ("done", None)
    copy = f"/api/tables/{done['table']}/"
    assert content_of(api.get(f"{copy}export/", format="zip")) == content
    # They are files of the new table, and its rows keep them.
    file = api.get(f"{copy}rows/").json()["rows"][0]["data"]["Files"][0]
    assert content_of(api.get(f"{copy}files/{file['id']}/")) == png() + b"\0"
    assert content_of(api.get(f"{copy}files/{file['id']}/thumbnail/")).startswith(b"RIFF")
    assert FileRow.objects.filter(file__table_id=done["table"]).count() == 6
    assert api.post(f"{copy}changes/{done['change']}/undo/").status_code == 200

    shown = json.loads(content_of(api.get(f"{things.url}export/", format="json")))
    assert shown[1]["Files"][0]["url"] == files[0]["url"]
    page = api.get(f"/tables/{things.id}/").content.decode()
    assert page.count('data-format="zip"') == 2
    link = api.post(f"{things.url}link/", {}).json()
    assert Api(None).get(f"{link['url']}export/", format="zip").status_code == 404


def test_rows_of_a_table_can_be_merged_with_an_archive(things: FileTable) -> None:
    api = things.api
    things.write([], Name="one")
    rows = "Name,Files\none,pictures/a.png; b.csv\ntwo,\"b.csv\npictures/a.png\"\nthree,lost.png\n"
    content = archive(
        ("x/rows.csv", rows), ("x/pictures/a.png", png()), ("x/pictures/b.csv", "1,2"), ("x/.DS_Store", "x"),
        ("__MACOSX/x/._a", "x"), ("x/pictures/unused.png", png()),
    )  # fmt: skip
    found = uploaded(api, content, name="x.zip", table=things.id)
    # Although a third of the cells have no file of the archive.
    assert (found["columns"][1]["type"], found["columns"][1]["found"]["type"]) == ("attachment", "attachment")
    asked = run(api, decide(api, found, merge_on=["Name"]))
    assert (asked["state"], asked["counts"]["refused_cells"]) == ("waiting", 1)
    unpacked = len(rows) + len(png()) + len("1,2")
    assert asked["progress"] == {"done": unpacked, "of": unpacked + len(png())}
    (cell,) = api.get(f"/api/imports/{found['id']}/report/").json()["cells"]
    assert cell["detail"] == "There is no file “lost.png” in the ZIP archive."
    assert run(api, found, on_refused="empty")["counts"]["updated"] == 1
    assert things.names() == ["a.png b.csv", "b.csv a.png", ""]
    assert FileContent.objects.count() == 2


def test_the_files_of_imports_without_effect_are_deleted(things: FileTable, settings: Any) -> None:
    api = things.api
    content = archive(("rows.json", '[{"Name":"1","Files":"a.txt"},{"Name":"2","Files":"lost"}]'), ("a.txt", "a"))
    found = uploaded(api, content, name="x.zip", table=things.id)
    for on_refused, state, count in (("stop", "failed", 0), ("ask", "waiting", 1), ("ask", "waiting", 1)):
        done = run(api, decide(api, found, on_refused=on_refused))
        assert (done["state"], FileContent.objects.count()) == (state, count)
    assert api.delete(f"/api/imports/{found['id']}/").status_code == 200
    assert FileContent.objects.count() == 0

    waiting = run(api, uploaded(api, content, name="x.zip", table=things.id))
    for _ in clear_files(now=timezone.now() + timedelta(days=2)):
        pass
    gone = run(api, waiting, on_refused="empty")
    assert (gone["state"], gone["error"]["code"], things.names()) == ("failed", "file_gone", [])

    settings.FILES_MAX_GB = 0
    full = run(api, uploaded(api, archive(("r.json", ROWS), ("a.txt", "a")), name="x.zip", table=things.id))
    assert (full["state"], full["error"]["code"]) == ("failed", "files_full")
    settings.FILES_MAX_GB, settings.FILE_MAX_MB = 5, 0
    large = run(api, uploaded(api, archive(("r.json", ROWS), ("a.txt", "a")), name="x.zip", table=things.id))
    assert (large["state"], FileContent.objects.count()) == ("waiting", 0)


def encrypted() -> bytes:
    content = bytearray(archive(("rows.json", ROWS), ("a.txt", "a")))
    at = content.rindex(b"PK\x01\x02")
    content[at + 8] |= 1
    return bytes(content)


def changed(old: bytes, new: bytes) -> bytes:
    """Return an archive with other bytes of a path, which Python would not write."""
    return archive(("rows.json", ROWS), (old.decode(), "a")).replace(old, new)


def many_entries() -> bytes:
    """Return an archive whose directory is said to have more entries than are read."""
    content = bytearray(archive(("rows.json", ROWS)))
    end = content.rindex(b"PK\x05\x06")
    content[end + 8 : end + 12] = struct.pack("<HH", 30_000, 30_000)
    return bytes(content)


def huge() -> bytes:
    """Return an archive with an entry of which only the size says that it is large."""
    content = bytearray(archive(("a.txt", "a"), ("rows.json", ROWS)))
    at = content.rindex(b"PK\x01\x02")
    content[at + 24 : at + 28] = struct.pack("<I", 2**32 - 2)
    return bytes(content)


HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "traversal": (lambda: archive(("rows.json", ROWS), ("../a.txt", "a")), "unsafe_archive"),
    "inner traversal": (lambda: archive(("rows.json", ROWS), ("x/../../a.txt", "a")), "unsafe_archive"),
    "absolute": (lambda: archive(("rows.json", ROWS), ("/etc/a.txt", "a")), "unsafe_archive"),
    "drive": (lambda: archive(("rows.json", ROWS), ("C:/a.txt", "a")), "unsafe_archive"),
    "backslash": (lambda: changed(b"x/a.txt", b"x\\a.txt"), "unsafe_archive"),
    "control character": (lambda: archive(("rows.json", ROWS), ("a\n.txt", "a")), "unsafe_archive"),
    "NUL": (lambda: changed(b"a.txtx.sh", b"a.txt\0.sh"), "unsafe_archive"),
    "repeated": (lambda: changed(b"rows.jsom", b"rows.json"), "unsafe_archive"),
    "repeated in upper case": (lambda: archive(("rows.json", ROWS), ("a.txt", "a"), ("A.TXT", "b")), "unsafe_archive"),
    "other method": (lambda: archive(("rows.json", ROWS), ("a.txt", "a"), method=zipfile.ZIP_BZIP2), "unsafe_archive"),
    "encrypted": (encrypted, "locked"),
    "ratio": (lambda: archive(("r.json", ROWS), ("a", bytes(2 * 2**20)), method=zipfile.ZIP_DEFLATED), "too_large"),
    "size": (huge, "too_large"),
    "count": (many_entries, "too_large"),
    "directory": (lambda: archive(*[(f"{number}{'x' * 60_000}", "") for number in range(80)]), "too_large"),
    "no rows": (lambda: archive(("a.txt", "a")), "no_rows_in_archive"),
    "two tables": (lambda: archive(("a.csv", "a"), ("b.json", ROWS)), "no_rows_in_archive"),
    "cut": (lambda: archive(("rows.json", ROWS))[:-30], "unreadable_file"),
    "damaged": (lambda: archive(("rows.json", ROWS)).replace(b'"Name"', b'"Nam3"', 1), "unreadable_file"),
    "rows that are none": (lambda: archive(("rows.json", "[1]")), "not_records"),
}


@pytest.mark.parametrize(("content", "code"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_archives_are_refused(api: Api, content: Callable[[], bytes], code: str) -> None:
    response = send(api, content(), name="x.zip")
    assert (response.status_code, response.json()["error"]) == (422, code)
    assert Import.objects.count() == FileContent.objects.count() == 0


def test_cells_refer_to_files_by_path_and_by_name() -> None:
    paths = ["files/a, b.png", "files/c.png", "d.png", "x/d.png"]
    content = archive(("rows.csv", "a"), *((path, "") for path in paths))
    with open_archive([content]) as opened:
        assert opened is not None
        files = ArchivedFiles(opened)
        texts = {
            "files/a, b.png": ["files/a, b.png"],
            "a, b.png": ["files/a, b.png"],
            "a, b.png\r\nc.png": ["files/a, b.png", "files/c.png"],
            "./d.png, files\\c.png": ["d.png", "files/c.png"],
            "x/d.png;c.png;": ["x/d.png", "files/c.png"],
            '[{"path":"d.png","name":"D"},"c.png"]': ["d.png", "files/c.png"],
        }
        for text, expected in texts.items():
            assert [files.find(each["id"]).id for each in files.references(text)] == expected, text


def test_paths_in_an_archive_are_safe_and_unique() -> None:
    names = ["a.png", "a 2.png", "A.png", "a.png", "../x", "nul.txt", "\u202e", ".a", "a 2.png"]
    paths = FilePaths()
    files = [{"id": str(number), "name": name, "size": 1} for number, name in enumerate(names)]
    written = [file["path"].removeprefix("files/") for file in paths.written(files)]
    assert written == ["a.png", "a 2.png", "A 3.png", "a 4.png", "_x", "nul_.txt", "file", "a", "a 2 2.png"]
    assert len({path.casefold() for path in written}) == len(names)


def test_columns_of_files_are_targets_of_archives_only() -> None:
    found = [{"index": 0, "given": "A", "name": "A", "type": "text", "form": "", "filled": 1}]
    shape = TableShape(id=1, name="t", description="", version=1, columns=(ColumnSpec("c", "Files", "attachment"),))

    def choose(*, with_files: bool) -> Any:
        stored = default_choices(found, shape=shape, file_name="a.csv", with_files=with_files)
        raw = {"columns": [{"index": 0, "into": "Files"}]}
        return read_choices(raw, stored=stored, found=found, shape=shape, with_files=with_files)

    assert choose(with_files=True)["columns"][0]["into"] == "c"
    with pytest.raises(Invalid) as refused:
        choose(with_files=False)
    assert [(each.path, each.code) for each in refused.value.faults] == [("columns[0].into", "not_of_this_format")]
    # The file may be an export of this table, which has names of files only.
    exported = [{**found[0], "given": "Files", "name": "Files"}]
    [choice] = default_choices(exported, shape=shape, file_name="a.csv")["columns"]
    assert (choice["into"], choice["include"]) == (None, False)
