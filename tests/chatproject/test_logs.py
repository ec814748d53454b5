"""What is logged is one JSON object a line, which says of whom and of what it speaks."""
from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from contextvars import Context
from io import StringIO
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.db import OperationalError, connection
from django.test import Client
from django.utils.functional import SimpleLazyObject
from hypothesis import given
from hypothesis import strategies as st
from psycopg.errors import DiskFull, TooManyConnections
from psycopg_pool import PoolTimeout

from accounts.mails import reset_link
from chat.turns.current_turn import CURRENT_TURN_ID
from chatproject.config.environment import channel_layers
from chatproject.observability.logs import CURRENT_REQUEST, JsonFormatter
from tests.conftest import Api
from tests.tables.shared_table import invite_by_link, make_table


def line(message: str = "said %s", *args: Any, **more: Any) -> str:
    """What the formatter makes of a record."""
    record = logging.LogRecord("chat", logging.INFO, __file__, 1, message, args, more.pop("exc_info", None))
    vars(record).update(more)
    return JsonFormatter().format(record)


def said(*args: Any, request: Any = None, turn: str = "", **more: Any) -> dict[str, Any]:
    def inside() -> str:
        CURRENT_REQUEST.set(request)
        CURRENT_TURN_ID.set(turn)
        return line(*args, **more)

    return dict(json.loads(Context().run(inside)))


@given(st.text())
def test_an_event_is_one_line_whatever_it_says(text: str) -> None:
    written = line("%s", text)

    assert len(written.splitlines()) == 1
    assert json.loads(written.encode())["event"] == text


def test_it_says_when_how_grave_and_from_where() -> None:
    event = said("left out %d", 3)

    assert event.pop("time").endswith("+00:00")
    assert event == {"level": "INFO", "logger": "chat", "event": "left out 3"}


def test_it_names_the_request_the_person_and_the_turn() -> None:
    request = SimpleNamespace(id="abc", user=User(pk=5))

    event = said("x", request=request, turn="7f")

    assert (event["request"], event["user"], event["turn"]) == ("abc", 5, "7f")


def test_nobody_is_looked_up_for_a_log() -> None:
    asked: list[str] = []
    later = SimpleLazyObject(lambda: asked.append("asked"))

    for user in (AnonymousUser(), later):
        assert "user" not in said("x", request=SimpleNamespace(id="abc", user=user))
    assert asked == []


def test_a_failure_is_part_of_its_event() -> None:
    try:
        raise ValueError("no\nway")
    except ValueError:
        event = said("failed", exc_info=sys.exc_info())

    assert event["exception"].endswith("ValueError: no\nway")


def test_every_request_is_an_event_with_its_route_and_no_address(
    api: Api, user: User, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="chatproject.requests"):
        answer = api.get("/api/tables/999/", search="secret")

    facts = next(record.facts for record in caplog.records if record.name == "chatproject.requests")
    assert facts.pop("ms") >= 0
    assert facts == {
        "method": "GET", "route": "api_table", "status": 400, "request": answer.headers["X-Request-Id"],
        "user": user.pk,
    }  # fmt: skip
    assert CURRENT_REQUEST.get() is None


@pytest.fixture
def written() -> Iterator[StringIO]:
    """What the server writes out, as its settings say."""
    console = next(each for each in logging.getLogger().handlers if type(each) is logging.StreamHandler)
    out = StringIO()
    before = console.setStream(out)
    yield out
    if before is not None:
        console.setStream(before)


def test_the_key_that_an_address_is_stands_in_no_line(api: Api, user: User, written: StringIO) -> None:
    table = make_table(api)
    made = [api.post(f"{table}link/").json()["url"], f"http://testserver{invite_by_link(api, table)}"]
    for address in (*made, reset_link(user, origin="")):
        assert api.client.put(address).status_code == 405
    # Whoever owns the table does not use the invitation up.
    assert api.post(f"/api/tables/invitations/{made[1].split('/')[-2]}/").status_code == 422
    assert api.client.get(address).status_code == 302
    told = written.getvalue()
    assert [each for each in (*made, address) if each.split("/")[-2].rpartition("-")[2] in told] == []
    for path in ("/shared/…/", "/tables/invitations/…/", "/api/tables/invitations/…/", "-…/"):
        assert path in told


def test_what_strangers_send_is_refused_without_alarm(api: Api, written: StringIO) -> None:
    assert api.client.get("/sign-in/", headers={"Host": "elsewhere.example.org"}).status_code == 400
    (told,) = (each for each in written.getvalue().splitlines() if "DisallowedHost" in each)
    assert ("WARNING" in told, "ERROR" in told) == (True, False)
    assert "Traceback" not in written.getvalue()


def told_of(failure: Exception, *, by: User, at: str, out: StringIO) -> list[str]:
    """The lines that are written when the database fails like this; the answer is a 503."""

    def fail(*_: object) -> None:
        raise OperationalError(str(failure)) from failure

    client = Client(raise_request_exception=False)
    client.force_login(by)
    with connection.execute_wrapper(fail):
        assert client.get(at).status_code == 503
    return out.getvalue().splitlines()


@pytest.mark.parametrize("address", ["/api/tables/", "/api/chat/stream/", "/tables/"])
@pytest.mark.parametrize(
    "failure",
    [PoolTimeout("couldn't get a connection after 10.00 sec"), TooManyConnections("sorry, too many clients\nalready")],
    ids=["all are taken", "the server gives no more"],
)
def test_a_wait_for_the_database_in_vain_is_one_line_with_its_reason(
    user: User, written: StringIO, failure: Exception, address: str
) -> None:
    (told,) = told_of(failure, by=user, at=address, out=written)
    assert ("WARNING" in told, " ".join(str(failure).split()) in told) == (True, True)


@pytest.mark.parametrize("address", ["/api/tables/", "/tables/"])
def test_any_other_failure_of_the_database_keeps_its_way_through_the_code(
    user: User, written: StringIO, address: str
) -> None:
    told = told_of(DiskFull("could not extend file"), by=user, at=address, out=written)
    assert ("ERROR" in told[0], "Traceback (most recent call last):" in told) == (True, True)


def test_that_redis_is_away_is_one_line_each_time_it_is_asked(
    anonymous_api: Api, written: StringIO, settings: Any
) -> None:
    # Nobody listens at the first port.
    settings.CHANNEL_LAYERS = channel_layers("redis://127.0.0.1:1/0")
    assert anonymous_api.get("/readyz").status_code == 503
    (told,) = [each for each in written.getvalue().splitlines() if "not ready" in each]
    assert ("WARNING" in told, "Connect call failed" in told) == (True, True)
    assert "Traceback" not in written.getvalue()
