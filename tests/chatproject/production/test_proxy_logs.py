"""Secret URLs of tables, accounts and invitations are not in the access log of the proxy or in redirects."""
from __future__ import annotations

from http.client import HTTPConnection

import pytest
from django.urls import get_resolver

from tests.chatproject.production.cluster import HOST, HTTP, ORIGIN, Cluster, Visitor, wait_until
from tests.conftest import Api

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres_only]

KEY = "Qk3y-that_opens"


def secret_urls() -> list[str]:
    """Return all URLs that contain a key."""
    patterns = get_resolver().reverse_dict
    routes = [route for name in patterns for variants, *_ in patterns.getlist(name) for route in variants]
    return sorted({"/" + url % dict.fromkeys(parts, KEY) for url, parts in routes if "token" in parts})


def request_page(cluster: Cluster, path: str, *, referer: str = "") -> int:
    with Visitor(cluster).open("GET", path, **({"Referer": referer} if referer else {})) as response:
        return response.response.status


def request_without_tls(cluster: Cluster, path: str) -> int:
    connection = HTTPConnection(cluster.address, HTTP)
    connection.request("GET", path, headers={"Host": HOST, "Referer": f"http://{HOST}{path}"})
    return connection.getresponse().status


def masked(path: str) -> str:
    return path.replace(KEY, "...")


def test_keys_are_masked_in_the_access_log(cluster: Cluster) -> None:
    assert {"/shared/", "/sign-in/link/"} <= {path.partition(KEY)[0] for path in secret_urls()}
    for path in secret_urls():
        variants = (path.rstrip("/"), f"//{path[1:]}".replace("/", "//"), f"/%{ord(path[1]):x}{path[2:]}", path.upper())
        for url in (path, *variants):
            assert request_page(cluster, url) < 500
        assert request_without_tls(cluster, path) == 301
        request_page(cluster, f"/sign-in/?next={path}", referer=ORIGIN + path)
        request_page(cluster, "/sign-in/", referer=f"{ORIGIN}/sign-in/?next={path}")
    request_page(cluster, "/the-last-of-them/", referer="https://elsewhere.example.org/found?by=search")

    # nginx writes a line after it has sent the response.
    wait_until(lambda: "/the-last-of-them/" in cluster.access_log()[-1], description="the last line")
    log = "\n".join(cluster.access_log())
    assert KEY.lower() not in log.lower()
    for path in secret_urls():
        assert log.count(f'"GET {masked(path)} HTTP/1.1" ') >= 3
    assert '"GET /sign-in/ HTTP/1.1" 200 ' in log
    assert f'"{ORIGIN}" "' in log
    assert '"https://elsewhere.example.org" "' in cluster.access_log()[-1]


@pytest.mark.parametrize("path", [path for path in secret_urls() if not path.startswith("/api/")])
def test_no_redirect_contains_a_key(anonymous_api: Api, path: str) -> None:
    assert KEY not in anonymous_api.get(path).headers.get("Location", "")
