"""Production as described in docs/deploy/: two servers behind nginx with PostgreSQL and Redis act as one."""
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
from django.db import transaction
from django.test import Client
from django.urls import reverse

from accounts.models import RequestCount
from chat.models import OpenStreamCount
from tables.models import Row, Table
from tests.background_worker import work
from tests.chat.admin.forms import filled
from tests.chat.stream_client import STREAM, TOKEN, turn_body
from tests.chatproject.production.cluster import HOST, HTTP, ORIGIN, Cluster, Server, Visitor, wait_until
from tests.chatproject.production.conftest import Replies
from tests.chatproject.production.page_load import LIST
from tests.scripted_model import ScriptedModel
from tests.tables.concurrency.threads import is_waiting_for_lock

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres_only]

Json = dict[str, Any]
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
JSON = "application/json"
PERSONA = reverse("admin:chat_configuration_entry", args=["page", "tables_list"])
LIBRARIAN = "You are a careful librarian."
MB = 1024 * 1024


def list_request(message: str = "Hello", **fields: Any) -> Json:
    return turn_body(message, context=LIST, **fields)


def test_answers_are_streamed_followed_and_cancelled_on_all_servers(
    cluster: Cluster, server: Server, other_server: Server, replies: Replies, user: User
) -> None:
    gate = replies.pause("Tell me")
    proxy, other = Visitor(cluster, user), Visitor(cluster, user, server=other_server)
    with ExitStack() as stack:
        visitor = Visitor(cluster, user, server=server)
        stream = stack.enter_context(visitor.open("POST", STREAM, list_request("Tell me")))
        first_events = stream.until("text_delta")
        turn = f"/api/chat/turns/{first_events[0]['turn_id']}"
        followers = [stack.enter_context(each.open("GET", f"{turn}/stream/")) for each in (proxy, proxy, other)]
        seen = [follower.until("text_delta") for follower in followers]
        content_types = {follower.response.headers["Content-Type"] for follower in followers}
        # A user can open at most four streams on all servers, and a conversation has one answer at a time.
        refused = {each.request("POST", STREAM, list_request())[0] for each in (proxy, proxy, other)}
        gate.open()
        all_events = first_events + list(stream)
        assert [before + list(follower) for before, follower in zip(seen, followers, strict=True)] == [all_events] * 3
    assert (all_events[-1]["payload"]["message"], seen[0]) == ("One two three", first_events)
    assert (refused, content_types) == ({429}, {"text/event-stream; charset=utf-8"})
    assert not OpenStreamCount.objects.exists()

    replies.pause("Never end")
    with Visitor(cluster, user, server=server).open("POST", STREAM, list_request("Never end")) as stream:
        turn = f"/api/chat/turns/{stream.until('text_delta')[0]['turn_id']}"
        other.request("POST", f"{turn}/cancel/", {})
        assert list(stream)[-1]["type"] == "cancelled"


def test_sockets_receive_changes_of_all_servers(cluster: Cluster, user: User, jobs: Table) -> None:
    path, rows = f"/ws/tables/{jobs.pk}/", f"/api/tables/{jobs.pk}/rows/"
    with ExitStack() as stack:
        pages = [stack.enter_context(cluster.socket(path, user=user)) for _ in cluster.servers]
        pages += [stack.enter_context(cluster.socket(path, user=user, server=server)) for server in cluster.servers]
        for page in pages:
            page.receive("presence")
        for server in (*cluster.servers, None):
            _, row, _ = Visitor(cluster, user, server=server).request("POST", rows, {"Company": "Bolt"})
            assert [page.receive("change")["change_id"] for page in pages] == [row["change"]] * len(pages)


def test_configuration_changes_apply_to_all_servers(
    cluster: Cluster, script: ScriptedModel, user: User
) -> None:
    editor = User.objects.create(username="edda", is_staff=True)
    editor.user_permissions.add(Permission.objects.get(codename="tune_assistant"))
    pages = Client()
    pages.force_login(editor)
    form = urlencode(filled(pages, PERSONA, **{"field-identity": LIBRARIAN}), doseq=True).encode()

    def uses_persona() -> list[bool]:
        results = []
        for server in (*cluster.servers, None):
            with Visitor(cluster, user, server=server).open("POST", STREAM, list_request()) as stream:
                list(stream)
            results.append(LIBRARIAN in str(script.requests[-1]["system"]))
        return results

    assert uses_persona() == [False] * 3
    with Visitor(cluster, editor).open("POST", PERSONA, form, **FORM) as saved:
        assert saved.response.status == 302
    assert uses_persona() == [True] * 3


def multipart(content: str, *, table: Table) -> tuple[bytes, dict[str, str]]:
    """Return the body and the header of a form with a file."""
    parts = [
        f'Content-Disposition: form-data; name="table"\r\n\r\n{table.pk}',
        f'Content-Disposition: form-data; name="file"; filename="jobs.csv"\r\nContent-Type: text/csv\r\n\r\n{content}',
    ]
    body = "".join(f"--part\r\n{part}\r\n" for part in parts) + "--part--\r\n"
    return body.encode(), {"Content-Type": "multipart/form-data; boundary=part"}


def test_a_terminated_worker_finishes_its_import_and_starts_no_other(
    cluster: Cluster, user: User, jobs: Table
) -> None:
    proxy, worker = Visitor(cluster, user), cluster.worker()
    # More than the default limit of nginx.
    body, headers = multipart("Company\n" + "".join(f"Firm {n} {'x' * 500}\n" for n in range(2_200)), table=jobs)
    assert len(body) > MB
    urls = []
    for _ in range(2):
        with proxy.open("POST", "/api/imports/", body, **headers) as response:
            urls.append(f"/api/imports/{json.loads(response.response.read())['id']}/")

    def states() -> list[str]:
        results = [[proxy.request("GET", url)[1]["state"] for url in urls] for _ in cluster.servers]
        assert results[0] == results[1]
        return results[0]

    assert states() == ["ready", "ready"]
    with cluster.socket(f"/ws/tables/{jobs.pk}/", user=user) as page:
        page.receive("presence")
        try:
            with transaction.atomic():
                Table.objects.select_for_update().get(pk=jobs.pk)
                assert {proxy.request("POST", f"{url}run/")[0] for url in urls} == {202}
                worker.start()
                wait_until(is_waiting_for_lock, description="the worker is about to write rows")
                worker.terminate()
            assert (worker.wait(), states()) == (0, ["done", "queued"]), worker.output()
        finally:
            worker.kill()
        assert page.receive("change")["rows"] == "many"
    work()
    assert (states(), Row.objects.filter(table=jobs).count()) == (["done", "done"], 4_400)


def test_pages_and_cached_static_files_are_served_over_tls(cluster: Cluster, user: User) -> None:
    visitor = Visitor(cluster, user)
    with visitor.open("GET", "/tables/") as response:
        page, headers = response.response.read().decode(), response.response.headers
        assert (response.response.status, headers["Strict-Transport-Security"][:7]) == (200, "max-age")
    for file in re.findall(r'"(/static/[^"]+\.[0-9a-f]{12}\.(?:css|js))"', page)[:3]:
        with visitor.open("GET", file, **{"Accept-Encoding": "gzip"}) as response:
            file_headers = response.response.headers
            assert (response.response.status, file_headers["Content-Encoding"]) == (200, "gzip")
            assert file_headers["Cache-Control"] == "max-age=315360000, public, immutable"
    with Visitor(cluster).open("GET", "/sign-in/") as response:
        assert "Secure" in str(response.response.headers["Set-Cookie"])

    plain_connection = HTTPConnection(cluster.address, HTTP)
    plain_connection.request("GET", "/tables/?q=1", headers={"Host": HOST})
    redirect = plain_connection.getresponse()
    assert (redirect.status, redirect.headers["Location"]) == (301, f"{ORIGIN}/tables/?q=1")


def test_static_files_of_a_later_release_are_served(cluster: Cluster) -> None:
    assert cluster.status("/static/later.0123456789ab.css") == 404
    later = Path(settings.STATIC_ROOT) / "later.0123456789ab.css"
    later.write_text("body {}")
    try:
        # More requests than servers.
        assert {cluster.status("/static/later.0123456789ab.css") for _ in range(4)} == {200}
        assert cluster.status("/static/../later.0123456789ab.css") == 404
    finally:
        later.unlink()


def test_the_proxy_refuses_large_bodies_before_they_are_sent(cluster: Cluster, user: User) -> None:
    visitor = Visitor(cluster, user)

    def refused(path: str, *, size: int) -> tuple[int, Json]:
        connection = visitor.connection()
        connection.putrequest("POST", path, skip_host=True)
        for name, value in {**visitor.headers, "Content-Type": JSON, "Content-Length": str(size)}.items():
            connection.putheader(name, value)
        connection.endheaders()
        response = connection.getresponse()
        return response.status, json.loads(response.read())

    body_error, file_error = "The body is larger than 20 MB.", "The file is larger than 200 MB."
    assert refused("/api/tables/", size=20 * MB + 1) == (413, {"error": "too_large", "detail": body_error})
    assert refused("/api/imports/", size=201 * MB + 1) == (413, {"error": "too_large", "detail": file_error})


def test_failed_logins_are_counted_by_the_address_at_the_proxy(cluster: Cluster) -> None:
    def try_password(name: str, *, source: str, forwarded_for: str) -> None:
        fields = {"login": name, "password": "wrong", "csrfmiddlewaretoken": TOKEN}
        with Visitor(cluster, source=source).open(
            "POST", "/sign-in/", urlencode(fields).encode(), **FORM, **{"X-Forwarded-For": forwarded_for}
        ) as response:
            assert response.response.status == 422

    try_password("ann", source="127.0.0.2", forwarded_for="203.0.113.7")
    try_password("ben", source="127.0.0.2", forwarded_for="203.0.113.8")
    try_password("cem", source="127.0.0.3", forwarded_for="203.0.113.7, 127.0.0.1")
    # Three names, three pairs of name and address, and two addresses.
    assert RequestCount.objects.filter(key__startswith="guess:").count() == 3 + 3 + 2


def test_metrics_are_served_by_each_server_but_not_by_the_proxy(
    cluster: Cluster, user: User, replies: Replies
) -> None:
    gate, sample = replies.pause("Count me"), 'tablechat_turns_total{outcome="complete"}'
    before = [server.metrics() for server in cluster.servers]
    with Visitor(cluster, user, server=cluster.servers[0]).open("POST", STREAM, list_request("Count me")) as stream:
        stream.until("text_delta")
        # Each server reports the complete values from the database.
        assert [server.metrics()["tablechat_turns_running"] for server in cluster.servers] == [1, 1]
        gate.open()
        list(stream)
    after = [server.metrics() for server in cluster.servers]
    assert [now.get(sample, 0) - old.get(sample, 0) for old, now in zip(before, after, strict=True)] == [1, 0]
    assert cluster.status("/metrics", user=user) == 404


def test_sockets_survive_an_outage_of_redis(cluster: Cluster, user: User, jobs: Table) -> None:
    first, second = cluster.servers

    def wait_until_down(expected: int) -> None:
        def is_down() -> set[float]:
            return {server.metrics()["tablechat_redis_down"] for server in cluster.servers}

        wait_until(lambda: is_down() == {expected}, description=f"Redis down: {expected}")

    def add_row() -> None:
        assert Visitor(cluster, user, server=second).request("POST", f"/api/tables/{jobs.pk}/rows/", {})[0] == 201

    with cluster.socket(f"/ws/tables/{jobs.pk}/", user=user, server=first) as page:
        page.receive("presence")
        cluster.redis.terminate()
        cluster.redis.wait()
        add_row()
        # Found by the periodic check, which knows only the version.
        assert page.receive("change")["rows"] == "many"
        wait_until_down(1)
        assert [server.is_ready() for server in cluster.servers] == [True, True]
        cluster.redis.start()
        wait_until_down(0)
        add_row()
        assert len(page.receive("change")["rows"]) == 1
    for server in cluster.servers:
        assert server.output().count("Redis is not available") == 1
