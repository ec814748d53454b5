"""Programs open WebSockets with their API token, without an Origin and with the rights of the REST API."""
from __future__ import annotations

import json
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from accounts.models import ApiToken
from accounts.tokens import create_token
from tables.models import Table
from tables.operations import Origin
from tables.services import create_table
from tests.tables.consumers.sockets import SECONDS


def table_of(user: User) -> Table:
    return create_table(user=user, name="Jobs", columns=[{"name": "Company", "type": "text"}], origin=Origin("api"))


def first_message(url: str, path: str, *, token: str) -> Any:
    """Return the type of the first message, or the close code of a socket without one."""
    address = f"ws://{urlsplit(url).netloc}{path}"
    with connect(address, additional_headers={"Authorization": f"Bearer {token}"}, open_timeout=SECONDS) as socket:
        try:
            return json.loads(socket.recv(timeout=SECONDS))["type"]
        except ConnectionClosed:
            return socket.close_code


@pytest.mark.parametrize("scope", ["read", "write"])
def test_tokens_of_both_scopes_open_the_sockets_of_their_user(
    live_server_url: str, user: User, other_user: User, scope: str
) -> None:
    own, foreign = table_of(user), table_of(other_user)
    _, token = create_token(user=user, name="script", scope=scope, now=timezone.now())

    paths = (f"/ws/tables/{own.pk}/", "/ws/chat/", f"/ws/tables/{foreign.pk}/", f"/ws/tables/{10**9}/")
    assert [first_message(live_server_url, path, token=token) for path in paths] == ["presence", "here", 4404, 4404]


def test_expired_and_unknown_tokens_are_refused(live_server_url: str, user: User) -> None:
    table = table_of(user)
    _, token = create_token(user=user, name="script", scope="write", now=timezone.now())
    ApiToken.objects.update(expires_at=timezone.now() - timedelta(days=1))

    for each in (token, "tc_unknown"):
        ends = [first_message(live_server_url, path, token=each) for path in (f"/ws/tables/{table.pk}/", "/ws/chat/")]
        assert ends == [4403, 4403]
