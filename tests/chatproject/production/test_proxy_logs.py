"""Addresses that are keys, to a table, to an account, to an invitation, stand in no log of the proxy."""
from __future__ import annotations

from http.client import HTTPConnection

import pytest
from django.urls import get_resolver

from tests.chatproject.production.cluster import HOST, HTTP, ORIGIN, Cluster, Visitor, comes_true

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres_only]

KEY = "Qk3y-that_opens"


def keyed() -> list[str]:
    """Every address with a key in it."""
    known = get_resolver().reverse_dict
    forms = [form for name in known for variants, *_ in known.getlist(name) for form in variants]
    return sorted({"/" + written % dict.fromkeys(parts, KEY) for written, parts in forms if "token" in parts})


def ask(cluster: Cluster, path: str, *, came_from: str = "") -> int:
    with Visitor(cluster).open("GET", path, **({"Referer": came_from} if came_from else {})) as answer:
        return answer.response.status


def ask_in_plain_text(cluster: Cluster, path: str) -> int:
    connection = HTTPConnection(cluster.address, HTTP)
    connection.request("GET", path, headers={"Host": HOST, "Referer": f"http://{HOST}{path}"})
    return connection.getresponse().status


def shown(path: str) -> str:
    return path.replace(KEY, "...")


def test_no_key_stands_in_the_log_however_it_was_written(cluster: Cluster) -> None:
    assert {"/shared/", "/sign-in/link/"} <= {path.partition(KEY)[0] for path in keyed()}
    for path in keyed():
        odd = (path.rstrip("/"), f"//{path[1:]}".replace("/", "//"), f"/%{ord(path[1]):x}{path[2:]}", path.upper())
        for written in (path, *odd):
            assert ask(cluster, written) < 500
        assert ask_in_plain_text(cluster, path) == 301
        ask(cluster, f"/sign-in/?next={path}", came_from=ORIGIN + path)
        ask(cluster, "/sign-in/", came_from=f"{ORIGIN}/sign-in/?next={path}")
    ask(cluster, "/the-last-of-them/", came_from="https://elsewhere.example.org/found?by=search")

    # A line is written when its answer is on its way already.
    comes_true(lambda: "/the-last-of-them/" in cluster.served()[-1], of="the last line")
    log = "\n".join(cluster.served())
    assert KEY.lower() not in log.lower()
    for path in keyed():
        assert log.count(f'"GET {shown(path)} HTTP/1.1" ') >= 3
    assert '"GET /sign-in/ HTTP/1.1" 200 ' in log
    assert f'"{ORIGIN}" "' in log
    assert '"https://elsewhere.example.org" "' in cluster.served()[-1]


def test_no_key_stands_in_the_log_of_failures(cluster: Cluster) -> None:
    for server in cluster.servers:
        server.kill()
    for path in (*keyed(), "/tables/"):
        with Visitor(cluster).open("GET", path) as answer:
            assert (answer.response.status, answer.response.headers["Retry-After"]) == (503, "2")
            assert "The server is starting again." in answer.response.read().decode()
    # What fails elsewhere is told.
    comes_true(lambda: '"GET /tables/ HTTP/1.1"' in cluster.failures(), of="the last failure")
    assert KEY not in cluster.failures()
