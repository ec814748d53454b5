"""The data export: an archive of readable files with all data of the user and no data of others."""
from __future__ import annotations

import io
import json
import zipfile
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import User
from django.test import AsyncClient, Client
from django.utils import timezone

from accounts.rate_limits import MAX_DOWNLOADS, count_download
from accounts.tokens import create_token
from tests.chat.stored_conversations import finish_turn, running_turn, turn_request
from tests.chat.stream_client import Browser
from tests.conftest import Api
from tests.stored_proposals import rows_proposal
from tests.tables.files.hostile import named
from tests.tables.files.test_files import FileTable
from tests.tables.shared_table import invite_user, make_table, share

PAGE = "/profile/data/"


def read_archive(content: bytes) -> dict[str, Any]:
    """Return the files of an archive by name, JSON files parsed."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        texts = {name: archive.read(name).decode() for name in archive.namelist()}
    return {name: json.loads(text) if name.endswith(".json") else text for name, text in texts.items()}


def export(api: Api) -> dict[str, Any]:
    answer = api.client.post(PAGE)
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/zip")
    assert answer.headers["Content-Disposition"].startswith('attachment; filename="table-chat-')
    content = b"".join(answer.streaming_content)  # type: ignore[attr-defined]  # a stream's alone
    assert len(content) == int(answer.headers["Content-Length"])
    return read_archive(content)


def test_tables_have_columns_and_rows_including_the_trash(api: Api) -> None:
    own_table, trashed = make_table(api, name="Jobs: “all” of/them"), make_table(api, name="../../etc/passwd")
    api.delete(trashed)
    files = {name: file for name, file in export(api).items() if name.startswith("tables/")}
    assert sorted(name.split(" ", 1)[1] for name in files) == ["Jobs_ _all_ of_them.json", "_.._etc_passwd.json"]
    jobs = next(file for file in files.values() if file["name"].startswith("Jobs"))
    assert [row["data"] for row in jobs["rows"]] == [row["data"] for row in api.get(f"{own_table}rows/").json()["rows"]]
    assert [column["name"] for column in jobs["columns"]] == ["Company", "Salary"]
    assert [bool(file["deleted_at"]) for file in files.values()] == [False, True]


def test_files_of_own_tables_and_own_files_in_others_are_exported(api: Api, other_api: Api) -> None:
    own, others = FileTable(api), FileTable(other_api)
    given, hidden = own.upload("a/ü:1.txt", b"given"), others.upload("hidden.txt", b"hidden")
    api.post(f"{own.url}duplicate/")
    share(api, own.url, other_api, role="editor")
    share(other_api, others.url, api, role="editor")
    added = others.api.client.post(f"{own.url}files/", {"file": named("b.txt", b"added")}).json()
    mine = api.client.post(f"{others.url}files/", {"file": named("c.txt", b"mine")}).json()
    files = {name: text for name, text in export(api).items() if name.startswith("files/")}
    assert files == {
        f"files/{given['id']} ü_1.txt": "given", f"files/{added['id']} b.txt": "added",
        f"files/{mine['id']} c.txt": "mine",
    }  # fmt: skip
    assert hidden["id"] not in str(files)


def test_conversations_are_exported_as_written(api: Api, user: User) -> None:
    table = make_table(api)
    payload = rows_proposal(user, {"action": "add", "data": {"Company": "Crux"}}, table_id=int(table.split("/")[3]))
    (exported,) = [each for each in export(api)["conversations.json"] if UUID(each["id"]) == payload.conversation_id]
    stored = api.get(f"/api/chat/conversations/{payload.conversation_id}/messages/").json()["messages"]
    assert [message["id"] for message in exported["messages"]] == [message["id"] for message in stored]
    assert [message["text"] for message in exported["messages"]] == [message["text"] for message in stored]


def test_links_of_answers_are_exported_as_their_names(api: Api, user: User) -> None:
    turn = running_turn(user, turn_request("[Mine](row:3)", page="tables_list"))
    finish_turn(turn, text="[Acme](row:3) has the highest salary.")
    (exported,) = export(api)["conversations.json"]
    assert [message["text"] for message in exported["messages"]] == ["[Mine](row:3)", "Acme has the highest salary."]


def test_profile_is_exported_without_secrets(api: Api, user: User) -> None:
    api.patch("/api/me/", {"name": "Ada Lovelace", "time_zone": "Europe/Paris"})
    _, secret = create_token(user=user, name="Nightly", now=timezone.now())
    user.set_password("correct horse battery")
    user.save()
    files = export(Api(user))
    profile = files["profile.json"]
    assert (profile["user_name"], profile["name"], profile["time_zone"]) == ("ada", "Ada Lovelace", "Europe/Paris")
    assert [token["name"] for token in profile["tokens"]] == ["Nightly"]
    assert secret not in str(files)
    assert user.password not in str(files)


def test_received_and_sent_invitations_are_exported(api: Api, other_api: Api) -> None:
    invite_user(other_api, make_table(other_api, name="Theirs"), "ada", role="editor")
    invite_user(api, make_table(api, name="Mine"), "mistyped")
    profile = export(api)["profile.json"]
    (to,), (by,) = profile["invitations_to_you"], profile["invitations_by_you"]
    assert (to["table"], to["invited_by"], to["role"]) == ("Theirs", "grace", "editor")
    assert (by["table"], by["kind"], by["name"], by["role"]) == ("Mine", "user", "mistyped", "viewer")


def test_data_of_others_is_not_exported(api: Api, other_api: Api) -> None:
    other_table, own_name = make_table(other_api, name="Theirs"), make_table(api, name="Mine")
    share(other_api, other_table, api, role="editor")
    files = export(api)
    (shared,) = files["profile.json"]["shared_with_you"]
    assert (shared["name"], shared["owner"], shared["role"]) == ("Theirs", "grace", "editor")
    assert [name for name in files if name.startswith("tables/")] == [f"tables/{own_name.split('/')[3]} Mine.json"]
    assert "Theirs" not in str({**files, "profile.json": ""})


def test_new_user_gets_an_archive(api: Api) -> None:
    files = export(api)
    assert ({*files}, files["conversations.json"]) == ({"README.txt", "profile.json", "conversations.json"}, [])


def test_exports_are_limited(api: Api, user: User) -> None:
    # All in one minute that does not end during this test.
    later = timezone.now() + timedelta(hours=1)
    for _ in range(MAX_DOWNLOADS):
        count_download(user, now=later)
    answer = api.client.post(PAGE)
    assert (answer.status_code, 0 < int(answer.headers["Retry-After"]) <= 60) == (429, True)
    assert "Back to your profile" in answer.content.decode()


def test_form_requires_a_csrf_token(api: Api, user: User) -> None:
    assert 'action="/profile/data/"' in api.get("/profile/").content.decode()
    assert api.get(PAGE).status_code == 405
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(user)
    assert strict.post(PAGE).status_code == 403
    assert Client().post(PAGE).headers["Location"].startswith("/sign-in/")


def open_unnamed_files() -> int:
    """Return how many files without a name this process has open."""
    links = [link for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
    return sum(str(link.readlink()).endswith("(deleted)") for link in links)


# Committed, so that a thread can check the session if the download takes longer than a second.
@pytest.mark.django_db(transaction=True)
def test_disconnect_during_the_download_closes_the_file(user: User) -> None:
    @async_to_sync
    async def scene() -> tuple[int, int]:
        client = AsyncClient()
        await client.aforce_login(user)
        before = open_unnamed_files()
        answer = await client.post(PAGE)
        await anext(aiter(answer))
        during = open_unnamed_files()
        answer.close()
        return during - before, open_unnamed_files() - before

    assert scene() == (1, 0)


def test_real_server_sends_the_whole_archive(live_server_url: str) -> None:
    user = User.objects.create_user("ada")
    api = Api(user)
    columns = [{"name": "Text", "type": "text"}]
    rows = [{"Text": f"{number:x}" * 40} for number in range(0, 2_000_000, 999)]
    api.post("/api/tables/", {"name": "Long", "columns": columns, "rows": rows})
    with Browser(live_server_url, user).open("POST", PAGE) as stream:
        assert stream.response.status == 200
        files = read_archive(stream.response.read())
    (table,) = [file for name, file in files.items() if name.startswith("tables/")]
    assert [row["data"] for row in table["rows"]] == rows
