"""Sockets at real servers: who is let in from where, and that a change made here is heard there."""
from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from websockets.exceptions import InvalidStatus

from tables.models import Table
from tables.operations import Origin
from tables.services import add_rows, create_table
from tests.chat.stream_client import Browser
from tests.tables.consumers.sockets import real_page, session_of

API = Origin("api")
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(params=["Daphne", "uvicorn"])
def address(request: pytest.FixtureRequest, live_server_url: str, uvicorn_address: str) -> str:
    return live_server_url if request.param == "Daphne" else uvicorn_address


@pytest.fixture
def jobs(address: str, user: User) -> Table:
    columns = [{"name": "Company", "type": "text"}]
    return create_table(user=user, name="Jobs", columns=columns, rows=[{"Company": "Acme"}], origin=API)


def test_what_is_written_over_http_is_heard_by_the_open_page(address: str, user: User, jobs: Table) -> None:
    browser = Browser(address, user)
    with real_page(address, jobs.pk, session=session_of(user)) as page:
        told = page.hear("presence")
        _, row, _ = browser.request("POST", f"/api/tables/{jobs.pk}/rows/", {"Company": "Bolt"})
        heard = page.hear("change")

    assert told["users"] == [{"name": "ada", "initials": "A", "you": True}]
    assert (heard["version"], heard["rows"], heard["change_id"]) == (told["version"] + 1, [row["id"]], row["change"])


def test_a_page_hears_how_it_called_what_it_asked_for(address: str, user: User, jobs: Table) -> None:
    name = "8f7d1c52-2c55-4b0e-9d7c-3a8f0f9f4b11"
    with real_page(address, jobs.pk, session=session_of(user)) as page:
        page.hear("presence")
        told = []
        for called in ({"X-From-Page": name}, {}, {"X-From-Page": "yes"}, {"X-From-Page": f"{name}<b>"}):
            Browser(address, user).request("POST", f"/api/tables/{jobs.pk}/rows/", {"Company": "Bolt"}, **called)
            told.append(page.hear("change").get("asked_as"))

    assert told == [name, None, None, None]


def test_what_one_server_writes_is_heard_by_the_pages_of_the_other(
    live_server_url: str, uvicorn_address: str, address: str, user: User, jobs: Table
) -> None:
    other = uvicorn_address if address == live_server_url else live_server_url
    with real_page(address, jobs.pk, session=session_of(user)) as page:
        page.hear("presence")
        Browser(other, user).request("POST", f"/api/tables/{jobs.pk}/rows/", {"Company": "Bolt"})

        assert len(page.hear("change")["rows"]) == 1


def test_a_thread_without_an_event_loop_is_heard_too(address: str, user: User, jobs: Table) -> None:
    with real_page(address, jobs.pk, session=session_of(user)) as page:
        page.hear("presence")
        applied = add_rows(user=user, table_id=jobs.pk, rows=[{"Company": "Bolt"}], origin=API)

        assert page.hear("change")["change_id"] == applied.change


def test_a_foreign_page_is_refused_whoever_is_signed_in(address: str, user: User, jobs: Table) -> None:
    with (
        pytest.raises(InvalidStatus) as refused,
        real_page(address, jobs.pk, session=session_of(user), origin="http://elsewhere.example"),
    ):
        pass

    assert refused.value.response.status_code == 403


@pytest.mark.parametrize(
    ("who", "which", "code"),
    [
        ("other", lambda jobs: jobs.pk, 4404),
        ("other", lambda jobs: 10**6, 4404),
        ("other", lambda jobs: 10**30, 4404),
        ("other", lambda jobs: "all", 4404),
        ("nobody", lambda jobs: jobs.pk, 4403),
    ],
    ids=["not mine", "missing", "beyond any id", "no id at all", "signed out"],
)
def test_who_may_not_look_is_told_so_by_the_code(
    address: str, other_user: User, jobs: Table, who: str, which: Callable[[Table], int | str], code: int
) -> None:
    person = other_user if who == "other" else None
    with real_page(address, which(jobs), session=session_of(person)) as page:
        assert page.hear_close() == code
