"""Requests that reach no server: the page of the proxy, and its error log without secret URLs.

This file comes after those that need servers, because each start of a server takes seconds of processor time.
"""
from __future__ import annotations

import pytest

from tests.chatproject.production.cluster import ORIGIN, Cluster, Visitor, wait_until
from tests.chatproject.production.test_proxy_logs import KEY, request_page, secret_urls

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres_only]


def test_addresses_are_not_in_the_error_log(started_cluster: Cluster) -> None:
    cluster = started_cluster
    for server in cluster.servers:
        server.kill()
    for path in (*secret_urls(), f"/tables/?q={KEY}", f"/sign-in/?next=/shared/{KEY}/"):
        with Visitor(cluster).open("GET", path) as response:
            assert (response.response.status, response.response.headers["Retry-After"]) == (503, "2")
            assert "The server is starting again." in response.response.read().decode()
    request_page(cluster, "/tables/", referer=f"{ORIGIN}/shared/{KEY}/")
    # nginx logs errors before requests.
    wait_until(lambda: '"GET /tables/ HTTP/1.1" 503' in cluster.access_log()[-1], description="the last line")
    assert KEY not in cluster.error_log()
