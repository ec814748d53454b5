"""JSON logs: one object per line, with request, user and turn, and without secrets."""
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
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.utils.functional import SimpleLazyObject
from django.utils.log import log_response
from hypothesis import given
from hypothesis import strategies as st
from psycopg.errors import DiskFull, TooManyConnections
from psycopg_pool import PoolTimeout

from accounts.mail.messages import reset_link
from chat.turns.current_turn import CURRENT_TURN_ID
from chatproject.observability.logs import CURRENT_REQUEST, JsonFormatter, RepeatedMessagesFilter
from tests.conftest import Api
from tests.tables.shared_table import invite_by_link, make_table


def line(message: str = "event %s", *args: Any, **more: Any) -> str:
    """Return a formatted record."""
    record = logging.LogRecord("chat", logging.INFO, __file__, 1, message, args, more.pop("exc_info", None))
    vars(record).update(more)
    return JsonFormatter().format(record)


def logged(*args: Any, request: Any = None, turn: str = "", **more: Any) -> dict[str, Any]:
    def inside() -> str:
        CURRENT_REQUEST.set(request)
        CURRENT_TURN_ID.set(turn)
        return line(*args, **more)

    return dict(json.loads(Context().run(inside)))


@given(st.text())
def test_events_are_one_line_each(text: str) -> None:
    output = line("%s", text)

    assert len(output.splitlines()) == 1
    assert json.loads(output.encode())["event"] == text


def test_events_have_time_level_and_logger() -> None:
    event = logged("left out %d", 3)

    assert event.pop("time").endswith("+00:00")
    assert event == {"level": "INFO", "logger": "chat", "event": "left out 3"}


def test_events_have_request_user_and_turn() -> None:
    request = SimpleNamespace(id="abc", user=User(pk=5))

    event = logged("x", request=request, turn="7f")

    assert (event["request"], event["user"], event["turn"]) == ("abc", 5, "7f")


def test_logging_does_not_load_the_user() -> None:
    loads: list[str] = []
    lazy_user = SimpleLazyObject(lambda: loads.append("load"))

    for user in (AnonymousUser(), lazy_user):
        assert "user" not in logged("x", request=SimpleNamespace(id="abc", user=user))
    assert loads == []


def test_events_contain_the_exception() -> None:
    try:
        raise ValueError("no\nway")
    except ValueError:
        event = logged("failed", exc_info=sys.exc_info())

    assert event["exception"].endswith("ValueError: no\nway")


def test_requests_are_logged_with_their_route_without_the_url(
    api: Api, user: User, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="chatproject.requests"):
        response = api.get("/api/tables/999/", search="secret")

    facts = next(record.facts for record in caplog.records if record.name == "chatproject.requests")
    assert facts.pop("ms") >= 0
    assert facts == {
        "method": "GET", "route": "api_table", "status": 404, "request": response.headers["X-Request-Id"],
        "user": user.pk,
    }  # fmt: skip
    assert CURRENT_REQUEST.get() is None


@pytest.fixture
def output() -> Iterator[StringIO]:
    """Return the output of the server's console handler."""
    console = next(each for each in logging.getLogger().handlers if type(each) is logging.StreamHandler)
    buffer = StringIO()
    before = console.setStream(buffer)
    yield buffer
    if before is not None:
        console.setStream(before)


def test_secrets_in_urls_are_not_logged(api: Api, user: User, output: StringIO) -> None:
    table = make_table(api)
    links = [api.post(f"{table}link/").json()["url"], f"http://testserver{invite_by_link(api, table)}"]
    for url in (*links, reset_link(user, origin="")):
        assert api.client.put(url).status_code == 405
    # The owner of the table does not use up the invitation.
    assert api.post(f"/api/tables/invitations/{links[1].split('/')[-2]}/").status_code == 422
    assert api.client.get(url).status_code == 302
    text = output.getvalue()
    # The secret of a link may have hyphens; in the URL of a reset, it follows one.
    secrets = [*(link.split("/")[-2] for link in links), url.split("/")[-2].rpartition("-")[2]]
    assert [secret for secret in secrets if secret in text] == []
    for path in ("/shared/…/", "/tables/invitations/…/", "/api/tables/invitations/…/", "-…/"):
        assert path in text


def test_secrets_of_requests_that_fail_before_their_view_are_not_logged(rf: RequestFactory, output: StringIO) -> None:
    for path in ("/shared/abc/", "/api/tables/invitations/abc/", "/nowhere/"):
        request = rf.get(path)
        log_response("Failed: %s", path, response=HttpResponse(status=503), request=request)
    assert [line for line in output.getvalue().splitlines() if "/abc/" in line] == []


def test_invalid_hosts_are_logged_as_warnings(api: Api, output: StringIO) -> None:
    assert api.client.get("/sign-in/", headers={"Host": "elsewhere.example.org"}).status_code == 400
    (line,) = (each for each in output.getvalue().splitlines() if "DisallowedHost" in each)
    assert ("WARNING" in line, "ERROR" in line) == (True, False)
    assert "Traceback" not in output.getvalue()


def log_lines(failure: Exception, *, user: User, url: str, buffer: StringIO) -> list[str]:
    """Return the lines written when the database fails with this error; the response is a 503."""

    def fail(*_: object) -> None:
        raise OperationalError(str(failure)) from failure

    client = Client(raise_request_exception=False)
    client.force_login(user)
    with connection.execute_wrapper(fail):
        assert client.get(url).status_code == 503
    return buffer.getvalue().splitlines()


@pytest.mark.parametrize("url", ["/api/tables/", "/api/chat/stream/", "/tables/"])
@pytest.mark.parametrize(
    "failure",
    [PoolTimeout("couldn't get a connection after 10.00 sec"), TooManyConnections("sorry, too many clients\nalready")],
    ids=["pool exhausted", "too many clients"],
)
def test_missing_database_connections_are_one_warning(
    user: User, output: StringIO, failure: Exception, url: str
) -> None:
    (line,) = log_lines(failure, user=user, url=url, buffer=output)
    assert ("WARNING" in line, " ".join(str(failure).split()) in line) == (True, True)


@pytest.mark.parametrize("url", ["/api/tables/", "/tables/"])
def test_other_database_errors_have_a_traceback(
    user: User, output: StringIO, url: str
) -> None:
    lines = log_lines(DiskFull("could not extend file"), user=user, url=url, buffer=output)
    assert ("ERROR" in lines[0], "Traceback (most recent call last):" in lines) == (True, True)


def test_a_repeated_message_is_logged_every_half_minute() -> None:
    repeated = RepeatedMessagesFilter()

    def passes(message: str, *, at: float) -> bool:
        record = logging.LogRecord("psycopg.pool", logging.WARNING, __file__, 1, message, ("refused",), None)
        record.created = at
        return repeated.filter(record)

    first = [passes("error: %s", at=100), passes("error: %s", at=129.9), passes("other: %s", at=129.9)]
    assert (first, passes("error: %s", at=130)) == ([True, False, True], True)
