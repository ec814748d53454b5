"""Sockets at real servers: access, origins, and changes made over HTTP or at another server."""
from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

import pytest
from django.contrib.auth.models import User
from websockets.exceptions import InvalidStatus

from tables.models import Table
from tables.operations import Origin
from tables.services import add_rows, create_table
from tests.chat.stream_client import Browser
from tests.chat.test_stream_view import connections_in_use
from tests.tables.consumers.sockets import real_page, session_of

API = Origin("api")
# More than the pool has.
STREAMS = 24
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(params=["Daphne", "uvicorn"])
def server_url(request: pytest.FixtureRequest, live_server_url: str, uvicorn_address: str) -> str:
    return live_server_url if request.param == "Daphne" else uvicorn_address


@pytest.fixture
def jobs(server_url: str, user: User) -> Table:
    columns = [{"name": "Company", "type": "text"}]
    return create_table(user=user, name="Jobs", columns=columns, rows=[{"Company": "Acme"}], origin=API)


def test_an_open_page_receives_changes_made_over_http(server_url: str, user: User, jobs: Table) -> None:
    browser = Browser(server_url, user)
    with real_page(server_url, jobs.pk, session=session_of(user)) as page:
        presence = page.receive("presence")
        _, row, _ = browser.request("POST", f"/api/tables/{jobs.pk}/rows/", {"Company": "Bolt"})
        change = page.receive("change")

    assert presence["users"] == [{"name": "ada", "initials": "A", "you": True}]
    expected = (presence["version"] + 1, [row["id"]], row["change"])
    assert (change["version"], change["rows"], change["change_id"]) == expected


def test_changes_have_the_name_that_the_page_sent(server_url: str, user: User, jobs: Table) -> None:
    name = "8f7d1c52-2c55-4b0e-9d7c-3a8f0f9f4b11"
    with real_page(server_url, jobs.pk, session=session_of(user)) as page:
        page.receive("presence")
        names = []
        for header in ({"X-From-Page": name}, {}, {"X-From-Page": "yes"}, {"X-From-Page": f"{name}<b>"}):
            Browser(server_url, user).request("POST", f"/api/tables/{jobs.pk}/rows/", {"Company": "Bolt"}, **header)
            names.append(page.receive("change").get("asked_as"))

    assert names == [name, None, None, None]


def test_pages_receive_changes_of_the_other_server(
    live_server_url: str, uvicorn_address: str, server_url: str, user: User, jobs: Table
) -> None:
    other = uvicorn_address if server_url == live_server_url else live_server_url
    with real_page(server_url, jobs.pk, session=session_of(user)) as page:
        page.receive("presence")
        Browser(other, user).request("POST", f"/api/tables/{jobs.pk}/rows/", {"Company": "Bolt"})

        assert len(page.receive("change")["rows"]) == 1


def test_pages_receive_changes_of_threads_without_an_event_loop(server_url: str, user: User, jobs: Table) -> None:
    with real_page(server_url, jobs.pk, session=session_of(user)) as page:
        page.receive("presence")
        applied = add_rows(user=user, table_id=jobs.pk, rows=[{"Company": "Bolt"}], origin=API)

        assert page.receive("change")["change_id"] == applied.change


def test_pages_of_other_origins_are_refused(server_url: str, user: User, jobs: Table) -> None:
    with (
        pytest.raises(InvalidStatus) as error,
        real_page(server_url, jobs.pk, session=session_of(user), origin="http://elsewhere.example"),
    ):
        pass

    assert error.value.response.status_code == 403


@pytest.mark.parametrize(
    ("account", "table_id", "code"),
    [
        ("other", lambda jobs: jobs.pk, 4404),
        ("other", lambda jobs: 10**6, 4404),
        ("other", lambda jobs: 10**30, 4404),
        ("other", lambda jobs: "all", 4404),
        ("nobody", lambda jobs: jobs.pk, 4403),
    ],
    ids=["not mine", "missing", "beyond any id", "no id at all", "signed out"],
)
def test_sockets_without_access_are_closed_with_a_code(
    server_url: str, other_user: User, jobs: Table, account: str, table_id: Callable[[Table], int | str], code: int
) -> None:
    user = other_user if account == "other" else None
    with real_page(server_url, table_id(jobs), session=session_of(user)) as page:
        assert page.receive_close_code() == code


@pytest.mark.postgres_only
def test_idle_event_streams_hold_no_database_connection(live_server_url: str, user: User) -> None:
    tables = [
        create_table(user=user, name=f"Jobs {number}", columns=[{"name": "Company", "type": "text"}], origin=API)
        for number in range(3)
    ]
    for table in tables:
        # The client takes an event with the id 1 for the first of a turn.
        add_rows(user=user, table_id=table.pk, rows=[{"Company": "Acme"}], origin=API)
    browser = Browser(live_server_url, user)
    with ExitStack() as stack:
        paths = [f"/api/tables/{table.pk}/events/" for table in tables for _ in range(STREAMS // len(tables))]
        streams = [iter(stack.enter_context(browser.open("GET", path))) for path in paths]
        assert [next(stream)["type"] for stream in streams] == ["ready"] * STREAMS
        in_use = connections_in_use()
        add_rows(user=user, table_id=tables[0].pk, rows=[{"Company": "Bolt"}], origin=API)
        assert next(streams[0])["type"] == "change"

    assert in_use < STREAMS
