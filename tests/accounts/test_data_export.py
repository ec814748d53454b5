"""The archive that a person takes along: all of theirs, in files that can be read, and nothing of anybody else."""
from __future__ import annotations

import io
import json
import zipfile
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from asgiref.sync import async_to_sync
from django.contrib.auth.models import User
from django.test import AsyncClient, Client
from django.utils import timezone

from accounts.login_throttle import DOWNLOADS, count_download
from accounts.tokens import make_token
from tests.chat.stored_conversations import ended, started, wish
from tests.chat.stream_client import Browser
from tests.conftest import Api
from tests.stored_proposals import rows_proposal
from tests.tables.shared_table import invite_user, make_table, share

PAGE = "/profile/data/"


def opened(content: bytes) -> dict[str, Any]:
    """The files of an archive, by name: what is JSON as what it says."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        texts = {name: archive.read(name).decode() for name in archive.namelist()}
    return {name: json.loads(text) if name.endswith(".json") else text for name, text in texts.items()}


def taken(api: Api) -> dict[str, Any]:
    answer = api.client.post(PAGE)
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/zip")
    assert answer.headers["Content-Disposition"].startswith('attachment; filename="table-chat-')
    content = b"".join(answer.streaming_content)  # type: ignore[attr-defined]  # a stream's alone
    assert len(content) == int(answer.headers["Content-Length"])
    return opened(content)


def test_tables_are_in_it_with_columns_and_rows_those_in_the_trash_too(api: Api) -> None:
    kept, trashed = make_table(api, name="Jobs: “all” of/them"), make_table(api, name="../../etc/passwd")
    api.delete(trashed)
    files = {name: file for name, file in taken(api).items() if name.startswith("tables/")}
    assert sorted(name.split(" ", 1)[1] for name in files) == ["Jobs_ _all_ of_them.json", "_.._etc_passwd.json"]
    jobs = next(file for file in files.values() if file["name"].startswith("Jobs"))
    assert [row["data"] for row in jobs["rows"]] == [row["data"] for row in api.get(f"{kept}rows/").json()["rows"]]
    assert [column["name"] for column in jobs["columns"]] == ["Company", "Salary"]
    assert [bool(file["deleted_at"]) for file in files.values()] == [False, True]


def test_conversations_are_in_it_as_they_were_said(api: Api, user: User) -> None:
    table = make_table(api)
    payload = rows_proposal(user, {"action": "add", "data": {"Company": "Crux"}}, table_id=int(table.split("/")[3]))
    (said,) = [each for each in taken(api)["conversations.json"] if UUID(each["id"]) == payload.conversation_id]
    told = api.get(f"/api/chat/conversations/{payload.conversation_id}/messages/").json()["messages"]
    assert [message["id"] for message in said["messages"]] == [message["id"] for message in told]
    assert [message["text"] for message in said["messages"]] == [message["text"] for message in told]


def test_links_of_answers_are_in_it_as_their_names(api: Api, user: User) -> None:
    ended(started(user, wish("[Mine](row:3)", page="tables_list")), text="[Acme](row:3) has the highest salary.")
    (said,) = taken(api)["conversations.json"]
    assert [message["text"] for message in said["messages"]] == ["[Mine](row:3)", "Acme has the highest salary."]


def test_the_person_is_in_it_without_secrets(api: Api, user: User) -> None:
    api.patch("/api/me/", {"name": "Ada Lovelace", "time_zone": "Europe/Paris"})
    _, secret = make_token(user=user, name="Nightly", now=timezone.now())
    user.set_password("correct horse battery")
    user.save()
    files = taken(Api(user))
    profile = files["profile.json"]
    assert (profile["user_name"], profile["name"], profile["time_zone"]) == ("ada", "Ada Lovelace", "Europe/Paris")
    assert [token["name"] for token in profile["tokens"]] == ["Nightly"]
    assert secret not in str(files)
    assert user.password not in str(files)


def test_invitations_are_in_it_those_to_the_person_and_those_by_them(api: Api, other_api: Api) -> None:
    invite_user(other_api, make_table(other_api, name="Theirs"), "ada", role="editor")
    invite_user(api, make_table(api, name="Mine"), "mistyped")
    profile = taken(api)["profile.json"]
    (to,), (by,) = profile["invitations_to_you"], profile["invitations_by_you"]
    assert (to["table"], to["invited_by"], to["role"]) == ("Theirs", "grace", "editor")
    assert (by["table"], by["kind"], by["name"], by["role"]) == ("Mine", "user", "mistyped", "viewer")


def test_there_is_nothing_of_others_in_it(api: Api, other_api: Api) -> None:
    theirs, mine = make_table(other_api, name="Theirs"), make_table(api, name="Mine")
    share(other_api, theirs, api, role="editor")
    files = taken(api)
    (shared,) = files["profile.json"]["shared_with_you"]
    assert (shared["name"], shared["owner"], shared["role"]) == ("Theirs", "grace", "editor")
    assert [name for name in files if name.startswith("tables/")] == [f"tables/{mine.split('/')[3]} Mine.json"]
    assert "Theirs" not in str({**files, "profile.json": ""})


def test_who_has_nothing_gets_an_archive_too(api: Api) -> None:
    files = taken(api)
    assert ({*files}, files["conversations.json"]) == ({"README.txt", "profile.json", "conversations.json"}, [])


def test_it_is_asked_for_only_so_often(api: Api, user: User) -> None:
    # In one minute, which is not over during this test.
    later = timezone.now() + timedelta(hours=1)
    for _ in range(DOWNLOADS):
        count_download(user, now=later)
    answer = api.client.post(PAGE)
    assert (answer.status_code, 0 < int(answer.headers["Retry-After"]) <= 60) == (429, True)
    assert "Back to your profile" in answer.content.decode()


def test_only_a_form_of_ones_own_page_gets_it(api: Api, user: User) -> None:
    assert 'action="/profile/data/"' in api.get("/profile/").content.decode()
    assert api.get(PAGE).status_code == 405
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(user)
    assert strict.post(PAGE).status_code == 403
    assert Client().post(PAGE).headers["Location"].startswith("/sign-in/")


def files_without_a_name() -> int:
    """How many this process has open."""
    links = [link for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
    return sum(str(link.readlink()).endswith("(deleted)") for link in links)


def test_who_leaves_in_the_middle_leaves_no_file_open(user: User) -> None:
    @async_to_sync
    async def scene() -> tuple[int, int]:
        client = AsyncClient()
        await client.aforce_login(user)
        before = files_without_a_name()
        answer = await client.post(PAGE)
        await anext(aiter(answer))
        during = files_without_a_name()
        answer.close()
        return during - before, files_without_a_name() - before

    assert scene() == (1, 0)


def test_a_real_server_sends_it_whole(live_server_url: str) -> None:
    user = User.objects.create_user("ada")
    api = Api(user)
    columns = [{"name": "Text", "type": "text"}]
    rows = [{"Text": f"{number:x}" * 40} for number in range(0, 2_000_000, 999)]
    api.post("/api/tables/", {"name": "Long", "columns": columns, "rows": rows})
    with Browser(live_server_url, user).open("POST", PAGE) as stream:
        assert stream.response.status == 200
        files = opened(stream.response.read())
    (table,) = [file for name, file in files.items() if name.startswith("tables/")]
    assert [row["data"] for row in table["rows"]] == rows
