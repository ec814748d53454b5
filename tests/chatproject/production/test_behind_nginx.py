"""Production as docs/deploy/ has it: two processes behind nginx, on PostgreSQL and Redis, are one to everybody, also
while they are begun again one by one."""
from __future__ import annotations

import json
import re
from contextlib import ExitStack
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from django.conf import settings
from django.contrib.auth.models import Permission, User
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse

from accounts.models import RequestCount
from chat.models import OpenStreamCount
from tables.models import Row, Table
from tests.background_worker import work
from tests.chat.admin.forms import filled
from tests.chat.stream_client import STREAM, TOKEN, turn_body
from tests.chatproject.production.cluster import HOST, HTTP, ORIGIN, Cluster, Server, Visitor, comes_true
from tests.chatproject.production.conftest import Answers
from tests.chatproject.production.page_load import LIST
from tests.scripted_model import ScriptedModel

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres_only]

Json = dict[str, Any]
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
JSON = "application/json"
PERSONA = reverse("admin:chat_configuration_entry", args=["page", "tables_list"])
LIBRARIAN = "You are a careful librarian."
MB = 1024 * 1024


def asked(words: str = "Hello", **fields: Any) -> Json:
    return turn_body(words, context=LIST, **fields)


def test_an_answer_passes_piece_by_piece_and_is_followed_stopped_and_counted_everywhere(
    cluster: Cluster, here: Server, there: Server, answers: Answers, user: User
) -> None:
    gate = answers.held("Tell me")
    proxy, other = Visitor(cluster, user), Visitor(cluster, user, at=there)
    with ExitStack() as open_ones:
        stream = open_ones.enter_context(Visitor(cluster, user, at=here).open("POST", STREAM, asked("Tell me")))
        begun = stream.until("text_delta")
        turn = f"/api/chat/turns/{begun[0]['turn_id']}"
        followers = [open_ones.enter_context(each.open("GET", f"{turn}/stream/")) for each in (proxy, proxy, other)]
        seen = [follower.until("text_delta") for follower in followers]
        kinds = {follower.response.headers["Content-Type"] for follower in followers}
        # A fifth stream of one person is open nowhere, and one conversation has one answer at a time.
        refused = {each.request("POST", STREAM, asked())[0] for each in (proxy, proxy, other)}
        gate.open()
        whole = begun + list(stream)
        assert [before + list(follower) for before, follower in zip(seen, followers, strict=True)] == [whole] * 3
    assert (whole[-1]["payload"]["message"], seen[0]) == ("One two three", begun)
    assert (refused, kinds) == ({429}, {"text/event-stream; charset=utf-8"})
    assert not OpenStreamCount.objects.exists()

    answers.held("Never end")
    with Visitor(cluster, user, at=here).open("POST", STREAM, asked("Never end")) as stream:
        turn = f"/api/chat/turns/{stream.until('text_delta')[0]['turn_id']}"
        other.request("POST", f"{turn}/cancel/", {})
        assert list(stream)[-1]["type"] == "cancelled"


def test_pages_hear_through_the_proxy_what_any_process_writes(cluster: Cluster, user: User, jobs: Table) -> None:
    path, rows = f"/ws/tables/{jobs.pk}/", f"/api/tables/{jobs.pk}/rows/"
    with ExitStack() as open_ones:
        pages = [open_ones.enter_context(cluster.socket(path, user=user)) for _ in cluster.servers]
        pages += [open_ones.enter_context(cluster.socket(path, user=user, at=server)) for server in cluster.servers]
        for page in pages:
            page.hear("presence")
        for server in (*cluster.servers, None):
            _, row, _ = Visitor(cluster, user, at=server).request("POST", rows, {"Company": "Bolt"})
            assert [page.hear("change")["change_id"] for page in pages] == [row["change"]] * len(pages)


def test_what_an_administrator_changes_is_what_all_processes_go_by(
    cluster: Cluster, script: ScriptedModel, user: User
) -> None:
    editor = User.objects.create(username="edda", is_staff=True)
    editor.user_permissions.add(Permission.objects.get(codename="tune_assistant"))
    pages = Client()
    pages.force_login(editor)
    form = urlencode(filled(pages, PERSONA, **{"field-identity": LIBRARIAN}), doseq=True).encode()

    def told() -> list[bool]:
        found = []
        for server in (*cluster.servers, None):
            with Visitor(cluster, user, at=server).open("POST", STREAM, asked()) as stream:
                list(stream)
            found.append(LIBRARIAN in str(script.requests[-1]["system"]))
        return found

    assert told() == [False] * 3
    with Visitor(cluster, editor).open("POST", PERSONA, form, **FORM) as saved:
        assert saved.response.status == 302
    assert told() == [True] * 3


def multipart(content: str, *, table: Table) -> tuple[bytes, dict[str, str]]:
    """A form with a file, and its header."""
    parts = [
        f'Content-Disposition: form-data; name="table"\r\n\r\n{table.pk}',
        f'Content-Disposition: form-data; name="file"; filename="jobs.csv"\r\nContent-Type: text/csv\r\n\r\n{content}',
    ]
    body = "".join(f"--part\r\n{part}\r\n" for part in parts) + "--part--\r\n"
    return body.encode(), {"Content-Type": "multipart/form-data; boundary=part"}


def waits_for_a_lock() -> bool:
    with connection.cursor() as cursor:
        # Within a transaction who is at work is looked up once, and remembered.
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(
            "SELECT EXISTS (SELECT FROM pg_locks JOIN pg_stat_activity USING (pid)"
            " WHERE NOT granted AND datname = current_database())"
        )
        return bool(cursor.fetchone()[0])


def test_a_worker_that_is_told_to_end_finishes_its_file_and_leaves_the_next_to_another(
    cluster: Cluster, user: User, jobs: Table
) -> None:
    proxy, worker = Visitor(cluster, user), cluster.worker()
    # More than a proxy takes that nobody told otherwise.
    body, kind = multipart("Company\n" + "".join(f"Firm {n} {'x' * 500}\n" for n in range(2_200)), table=jobs)
    assert len(body) > MB
    doors = []
    for _ in range(2):
        with proxy.open("POST", "/api/imports/", body, **kind) as answer:
            doors.append(f"/api/imports/{json.loads(answer.response.read())['id']}/")

    def states() -> list[str]:
        everywhere = [[proxy.request("GET", door)[1]["state"] for door in doors] for _ in cluster.servers]
        assert everywhere[0] == everywhere[1]
        return everywhere[0]

    assert states() == ["ready", "ready"]
    with cluster.socket(f"/ws/tables/{jobs.pk}/", user=user) as page:
        page.hear("presence")
        try:
            with transaction.atomic():
                Table.objects.select_for_update().get(pk=jobs.pk)
                assert {proxy.request("POST", f"{door}run/")[0] for door in doors} == {202}
                worker.begin()
                comes_true(waits_for_a_lock, of="the worker has read the file, and would write its rows")
                worker.told_to_end()
            assert (worker.ended(), states()) == (0, ["done", "queued"]), worker.said()
        finally:
            worker.kill()
        assert page.hear("change")["rows"] == "many"
    work()
    assert (states(), Row.objects.filter(table=jobs).count()) == (["done", "done"], 4_400)


def test_pages_and_static_files_come_over_tls_with_their_names_for_ever(cluster: Cluster, user: User) -> None:
    visitor = Visitor(cluster, user)
    with visitor.open("GET", "/tables/") as answer:
        page, headers = answer.response.read().decode(), answer.response.headers
        assert (answer.response.status, headers["Strict-Transport-Security"][:7]) == (200, "max-age")
    for file in re.findall(r'"(/static/[^"]+\.[0-9a-f]{12}\.(?:css|js))"', page)[:3]:
        with visitor.open("GET", file, **{"Accept-Encoding": "gzip"}) as answer:
            said = answer.response.headers
            assert (answer.response.status, said["Content-Encoding"]) == (200, "gzip")
            assert said["Cache-Control"] == "max-age=315360000, public, immutable"
    with Visitor(cluster).open("GET", "/sign-in/") as answer:
        assert "Secure" in str(answer.response.headers["Set-Cookie"])

    unsecured = HTTPConnection(cluster.address, HTTP)
    unsecured.request("GET", "/tables/?q=1", headers={"Host": HOST})
    sent_on = unsecured.getresponse()
    assert (sent_on.status, sent_on.headers["Location"]) == (301, f"{ORIGIN}/tables/?q=1")


def test_a_process_serves_files_that_a_later_release_has_collected(cluster: Cluster) -> None:
    assert cluster.asked("/static/later.0123456789ab.css") == 404
    later = Path(settings.STATIC_ROOT) / "later.0123456789ab.css"
    later.write_text("body {}")
    try:
        # More often than there are processes.
        assert {cluster.asked("/static/later.0123456789ab.css") for _ in range(4)} == {200}
        assert cluster.asked("/static/../later.0123456789ab.css") == 404
    finally:
        later.unlink()


def test_the_proxy_says_how_large_a_body_may_be_before_it_is_sent(cluster: Cluster, user: User) -> None:
    visitor = Visitor(cluster, user)

    def refused(path: str, *, size: int) -> tuple[int, Json]:
        door = visitor.connection()
        door.putrequest("POST", path, skip_host=True)
        for name, value in {**visitor.headers, "Content-Type": JSON, "Content-Length": str(size)}.items():
            door.putheader(name, value)
        door.endheaders()
        answer = door.getresponse()
        return answer.status, json.loads(answer.read())

    call, file = "The body is larger than 20 MB.", "The file is larger than 200 MB."
    assert refused("/api/tables/", size=20 * MB + 1) == (413, {"error": "too_large", "detail": call})
    assert refused("/api/imports/", size=201 * MB + 1) == (413, {"error": "too_large", "detail": file})


def test_who_tries_passwords_is_known_by_the_address_that_the_proxy_saw(cluster: Cluster) -> None:
    def tries(name: str, *, here: str, says: str) -> None:
        fields = {"login": name, "password": "wrong", "csrfmiddlewaretoken": TOKEN}
        with Visitor(cluster, here=here).open(
            "POST", "/sign-in/", urlencode(fields).encode(), **FORM, **{"X-Forwarded-For": says}
        ) as answer:
            assert answer.response.status == 422

    tries("ann", here="127.0.0.2", says="203.0.113.7")
    tries("ben", here="127.0.0.2", says="203.0.113.8")
    tries("cem", here="127.0.0.3", says="203.0.113.7, 127.0.0.1")
    # Three names, each of them from one address, and two addresses.
    assert RequestCount.objects.filter(key__startswith="guess:").count() == 3 + 3 + 2


def test_each_process_tells_its_own_numbers_and_the_proxy_none(cluster: Cluster, user: User, answers: Answers) -> None:
    gate, ended = answers.held("Count me"), 'tablechat_turns_total{outcome="complete"}'
    before = [server.numbers() for server in cluster.servers]
    with Visitor(cluster, user, at=cluster.servers[0]).open("POST", STREAM, asked("Count me")) as stream:
        stream.until("text_delta")
        # What stands in the database is said by each, and not a part by each.
        assert [server.numbers()["tablechat_turns_running"] for server in cluster.servers] == [1, 1]
        gate.open()
        list(stream)
    after = [server.numbers() for server in cluster.servers]
    assert [now.get(ended, 0) - then.get(ended, 0) for then, now in zip(before, after, strict=True)] == [1, 0]
    assert cluster.asked("/metrics", user=user) == 404
