"""/metrics: access, and the values of its samples after requests, turns, applies and imports."""
from __future__ import annotations

import json
from datetime import datetime, timedelta
from decimal import Decimal
from threading import Event
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.test.utils import override_settings
from django.utils import timezone
from prometheus_client import generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.parser import text_string_to_metric_families

from chat.services import end_stale_turns
from chat.turns.model_clients import use_transport
from chatproject.observability.metrics.database import READER, Figures, Reader
from tests.background_worker import run_worker_command
from tests.chat.entries import note_entries
from tests.chat.stored_conversations import make_proposal, running_turn
from tests.chat.stream_client import STREAM, Browser, turn_body
from tests.conftest import Api
from tests.scripted_model import Gate, ScriptedModel, refuse, say
from tests.tables.consumers.sockets import real_page, session_of
from tests.tables.importing.files import IMPORTS_URL, decide, uploaded
from tests.tables.shared_table import make_table

SECRET = "a-token-for-the-numbers"
PROXIED = {"X-Forwarded-For": "203.0.113.9"}


def metrics(client: Client | Browser) -> dict[str, float]:
    """Return all samples by name and labels."""
    if isinstance(client, Browser):
        with client.open("GET", "/metrics") as stream:
            text = stream.response.read().decode()
    else:
        response = client.get("/metrics")
        assert response.headers["Content-Type"].startswith("text/plain; version=")
        text = response.content.decode()
    return samples_of(text)


def samples_of(text: str) -> dict[str, float]:
    samples = (sample for family in text_string_to_metric_families(text) for sample in family.samples)
    return {_name(sample.name, sample.labels): sample.value for sample in samples}


def _name(name: str, labels: dict[str, str]) -> str:
    """Return the name of a sample with its labels in alphabetical order."""
    text = ",".join(f'{label}="{value}"' for label, value in sorted(labels.items()))
    return f"{name}{{{text}}}" if text else name


def grown(before: dict[str, float], after: dict[str, float], name: str) -> float:
    return after.get(name, 0) - before.get(name, 0)


@pytest.mark.sqlite_only
@pytest.mark.parametrize(
    ("address", "headers", "allowed"),
    [
        pytest.param("127.0.0.1", {}, True, id="local"),
        pytest.param("127.8.9.1", {}, True, id="other loopback address"),
        pytest.param("::1", {}, True, id="IPv6 loopback"),
        pytest.param("203.0.113.9", {}, False, id="remote"),
        pytest.param("", {}, False, id="no address"),
        pytest.param("127.0.0.1", PROXIED, False, id="remote through a local proxy"),
        pytest.param("127.0.0.1", {"X-Real-IP": "127.0.0.1"}, False, id="local X-Real-IP through a proxy"),
        pytest.param("127.0.0.1", {"Forwarded": "for=127.0.0.1"}, False, id="Forwarded header"),
        pytest.param("203.0.113.9", {"X-Forwarded-For": "127.0.0.1"}, False, id="remote with a forged header"),
        pytest.param("203.0.113.9", {"Authorization": "Bearer "}, False, id="empty token"),
        pytest.param("127.0.0.1", {"Authorization": "Bearer guess"}, False, id="local with a wrong token"),
    ],
)
def test_metrics_without_a_token_are_readable_only_locally(
    anonymous_api: Api, address: str, headers: dict[str, str], allowed: bool
) -> None:
    response = anonymous_api.client.get("/metrics", headers=headers, REMOTE_ADDR=address)

    assert response.status_code == (200 if allowed else 404)


@override_settings(METRICS_TOKEN=SECRET)
def test_metrics_are_readable_with_the_token(anonymous_api: Api) -> None:
    statuses = [
        anonymous_api.client.get("/metrics", headers={"Authorization": header, **PROXIED}).status_code
        for header in (f"Bearer {SECRET}", f"Bearer {SECRET}x", SECRET, "Bearer ", "Bearer é")
    ]

    assert statuses == [200, 404, 404, 404, 404]


@override_settings(METRICS_TOKEN=SECRET)
def test_unreadable_metrics_are_404(api: Api) -> None:
    remote = {"REMOTE_ADDR": "203.0.113.9"}
    responses = [api.client.generic(method, "/metrics", **remote) for method in ("GET", "POST", "OPTIONS")]
    missing = api.client.get("/nothing-here", **remote)

    assert {response.status_code for response in responses} == {404}
    assert responses[0].content == missing.content
    assert api.client.post("/metrics").status_code == 405


def test_requests_are_counted_by_url_name(api: Api) -> None:
    table = make_table(api)
    before = metrics(api.client)

    api.get(table)
    api.get("/api/tables/999999999/")
    api.get("/no/such/page/8472/")
    after = metrics(api.client)

    for route, status in (("api_table", "2xx"), ("api_table", "4xx"), ("none", "4xx")):
        assert grown(before, after, f'tablechat_http_request_seconds_count{{route="{route}",status="{status}"}}') == 1
    assert grown(before, after, 'tablechat_api_errors_total{code="not_found"}') == 1
    assert not any("8472" in name or "999999999" in name for name in after)


def test_requests_are_exemplars_in_open_metrics(api: Api) -> None:
    request_id = api.get("/api/me/").headers["X-Request-ID"]
    response = api.client.get("/metrics", headers={"Accept": "application/openmetrics-text; version=1.0.0"})

    assert response.headers["Content-Type"].startswith("application/openmetrics-text")
    assert f'request_id="{request_id}"' in response.content.decode()


def test_admin_requests_have_one_route(api: Api) -> None:
    before = metrics(api.client)
    api.get("/admin/")
    api.get("/admin/chat/")

    assert grown(before, metrics(api.client), 'tablechat_http_request_seconds_count{route="admin",status="3xx"}') == 2


def test_an_available_database_has_all_its_metrics(anonymous_api: Api) -> None:
    samples = metrics(anonymous_api.client)

    assert {"tablechat_turns_running", "tablechat_dropped_total"} <= samples.keys()
    assert samples["tablechat_database_up"] == 1
    assert not [name for name in samples if name.startswith("tablechat_metric_missing")]


def test_scrapes_during_a_reading_share_it_and_name_what_is_missing() -> None:
    is_reading, gate = Event(), Event()

    def read_one(_now: datetime) -> list[Metric]:
        return [GaugeMetricFamily("one", "One.", value=1)]

    def wait_for_the_database(_now: datetime) -> list[Metric]:
        is_reading.set()
        gate.wait()
        raise OSError("the database is away")

    reader = Reader([Figures(("one",), read_one), Figures(("two", "three"), wait_for_the_database)])
    reading = reader.start()
    is_reading.wait()
    assert reader.start() is reading
    missing = {'tablechat_metric_missing{metric="two"}': 1, 'tablechat_metric_missing{metric="three"}': 1}
    assert samples_of(generate_latest(reading).decode()) == {"tablechat_database_up": 1, "one": 1, **missing}
    gate.set()
    reading.ended.result()
    assert samples_of(generate_latest(reading).decode()) == {"tablechat_database_up": 0, "one": 1, **missing}
    assert reader.start() is not reading


def test_a_scrape_does_not_wait_for_an_unavailable_database(anonymous_api: Api, settings: Any) -> None:
    settings.METRICS_DATABASE_SECONDS = 0
    gate = Event()
    # Occupies the only thread that reads.
    READER.executor.submit(gate.wait)
    try:
        samples = metrics(anonymous_api.client)
    finally:
        gate.set()
        # Wait for the reading that this scrape has started: the scrapes of later tests would share it.
        READER.executor.submit(int).result()
    assert (samples["tablechat_database_up"], "tablechat_dropped_total" in samples) == (0, True)
    assert samples['tablechat_metric_missing{metric="tablechat_turns_running"}'] == 1


def test_turns_and_applies_are_counted(live_server_url: str, user: User) -> None:
    browser, script, gate = Browser(live_server_url, user), ScriptedModel(), Gate()
    with note_entries(), use_transport(script.transport()):
        before = metrics(browser)
        script.add(say("Hello there", sizes=(5, 6), gate=gate, gate_after=1))
        with browser.open("POST", STREAM, turn_body()) as stream:
            stream.until("text_delta")
            during = metrics(browser)
            gate.open()
            final = list(stream)[-1]
        script.add(refuse(401, kind="authentication_error"))
        with browser.open("POST", STREAM, turn_body()) as stream:
            failed = list(stream)[-1]
        now = timezone.now()
        running_turn(user, now=now - timedelta(minutes=1))
        end_stale_turns(now=now)
        payload = make_proposal(user, "north")
        apply = f"/api/chat/payloads/{payload.pk}/apply/"
        statuses = [browser.request("POST", apply, {"operations": "all"})[0] for _ in range(2)]
        after = metrics(browser)

    assert (final["type"], failed["type"], statuses) == ("complete", "error", [200, 409])
    assert (during["tablechat_turns_running"], during["tablechat_streams_open"]) == (1, 1)
    expected = {
        'tablechat_turns_total{outcome="error"}': 2,
        'tablechat_turn_errors_total{code="interrupted"}': 1,
        f'tablechat_turn_errors_total{{code="{failed["code"]}"}}': 1,
        'tablechat_apply_seconds_count{door="chat",outcome="applied",type="note_proposal"}': 1,
        'tablechat_apply_seconds_count{door="chat",outcome="already_applied",type="note_proposal"}': 1,
        'tablechat_http_request_seconds_count{route="chat_stream",status="2xx"}': 2,
        'tablechat_api_errors_total{code="already_applied"}': 1,
    }
    assert {name: grown(before, after, name) for name in expected} == expected
    # `proposed` ends a turn, too.
    assert grown(before, after, 'tablechat_turns_total{outcome="complete"}') == 2
    usage = final["payload"]["usage"]
    for kind, field in (("in", "input_tokens"), ("out", "output_tokens")):
        assert grown(before, after, f'tablechat_tokens_total{{kind="{kind}"}}') >= usage[field] > 0, json.dumps(usage)


def test_open_sockets_event_streams_and_table_changes_are_counted(live_server_url: str, user: User) -> None:
    api = Api(user)
    table = make_table(api)
    browser = Browser(live_server_url, user)
    before = metrics(browser)
    with real_page(live_server_url, table.split("/")[3], session=session_of(user)) as page:
        page.receive("presence")
        with browser.open("GET", f"{table}events/") as stream:
            stream.until("ready")
            during: Any = metrics(browser)
        browser.request("POST", f"{table}rows/", {"Company": "Crux"})
    after = metrics(browser)

    assert grown(before, during, 'tablechat_sockets_open{kind="tables"}') == 1
    assert grown(before, during, "tablechat_table_event_streams_open") == 1
    assert grown(before, after, 'tablechat_table_changes_total{source="server"}') == 1


def test_api_applies_and_exports_are_counted(live_server_url: str, user: User) -> None:
    table = make_table(Api(user))
    browser = Browser(live_server_url, user)
    add = {"operations": [{"action": "add", "data": {"Company": "Crux"}}]}
    column = {"mode": "update", "operations": [{"action": "add", "column": {"name": "Due", "type": "date"}}]}
    before = metrics(browser)

    browser.request("POST", f"{table}proposals/data/", add)
    browser.request("POST", f"{table}proposals/data/", {"operations": [{"action": "delete", "row_id": 10**9}]})
    browser.request("POST", f"{table}proposals/schema/", column)
    browser.request("POST", f"{table}proposals/data/?dry_run=true", add)
    with browser.open("GET", f"{table}export/") as content:
        assert content.response.read().startswith(b"\xef\xbb\xbfCompany")
    after = metrics(browser)

    applies = "tablechat_apply_seconds_count"
    expected = {
        f'{applies}{{door="api",outcome="applied",type="data_proposal"}}': 1,
        f'{applies}{{door="api",outcome="applied",type="schema_proposal"}}': 1,
        'tablechat_export_seconds_count{format="csv",outcome="made"}': 1,
    }
    assert {name: grown(before, after, name) for name in expected} == expected
    api_applies = [name for name in after if name.startswith(applies) and 'door="api"' in name]
    assert sum(grown(before, after, name) for name in api_applies) == 3


@override_settings(CHAT_PRICE_INPUT=Decimal(3), CHAT_PRICE_OUTPUT=Decimal(15), CHAT_PRICE_CACHED=Decimal("0.30"))
def test_costs_durations_and_dropped_payloads_are_counted(
    live_server_url: str, user: User
) -> None:
    browser = Browser(live_server_url, user)
    usage = {"input_tokens": 400, "cache_read_input_tokens": 600}
    script = ScriptedModel(say('Here.\n\nDATA_PROPOSAL: {"operations": []}', usage=usage))
    with note_entries(), use_transport(script.transport()):
        before = metrics(browser)
        with browser.open("POST", STREAM, turn_body()) as stream:
            output_tokens = list(stream)[-1]["payload"]["usage"]["output_tokens"]
        after = metrics(browser)

    cost = grown(before, after, 'tablechat_cost_dollars_total{page="notes"}')
    assert cost == pytest.approx((400 * 3 + 600 * 0.3 + output_tokens * 15) / 1e6)
    assert grown(before, after, 'tablechat_tokens_total{kind="cached"}') == 600
    assert grown(before, after, "tablechat_dropped_total") == 1
    assert grown(before, after, 'tablechat_turn_seconds_count{outcome="complete"}') == 1
    assert grown(before, after, 'tablechat_turn_seconds_bucket{le="+Inf",outcome="complete"}') == 1


def test_costs_need_prices(live_server_url: str, user: User) -> None:
    browser = Browser(live_server_url, user)
    with note_entries(), use_transport(ScriptedModel(say("Hello.")).transport()):
        before = metrics(browser)
        with browser.open("POST", STREAM, turn_body()) as stream:
            list(stream)
        after = metrics(browser)

    costs = [name for name in after if name.startswith("tablechat_cost")]
    assert [name for name in costs if grown(before, after, name)] == []


@pytest.mark.django_db(transaction=True)
def test_imports_are_counted_and_logged_in_all_processes(api: Api, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "tables")
    table = int(make_table(api).split("/")[3])
    before = metrics(api.client)
    content = "Company\nZenith\nYonder\n"

    refused = uploaded(api, "Company,Salary\nDelta,9\nEcho,much\n" + "Firm,1\n" * 20, table=table)
    imports = [
        uploaded(api, content, table=table),
        decide(api, uploaded(api, content, table=table), merge_on=["Company"]),
        decide(api, refused, on_refused="stop"),
    ]
    for each in imports:
        api.post(f"{IMPORTS_URL}{each['id']}/run/")
    run_worker_command()
    cancelled = uploaded(api, content, table=table)
    api.delete(f"{IMPORTS_URL}{cancelled['id']}/")
    waiting = uploaded(api, content, table=table)
    api.post(f"{IMPORTS_URL}{waiting['id']}/run/")
    during = metrics(api.client)
    api.delete(f"{IMPORTS_URL}{waiting['id']}/")
    after = metrics(api.client)

    expected = {
        'imports_everywhere_total{outcome="done"}': 2,
        'imports_everywhere_total{outcome="refused_cells"}': 1,
        'imports_everywhere_total{outcome="cancelled"}': 1,
        # The import that only merges the same rows counts as well.
        'table_changes_total{source="worker"}': 2,
        'imported_rows_everywhere_total{kind="added"}': 2,
        'imported_rows_everywhere_total{kind="updated"}': 2,
    }
    assert {name: after[f"tablechat_{name}"] - before[f"tablechat_{name}"] for name in expected} == expected
    lines = [line for line in caplog.messages if line.startswith("import ")]
    assert [line.partition(" ")[2].split(" ", 1)[1].split(" in ")[0] for line in lines[:2]] == [
        f"of user {api.user.pk} started", "ended: done, 2 rows",  # type: ignore[union-attr]
    ]  # fmt: skip
    # Waiting tasks are counted even without a worker.
    assert (during["tablechat_imports_running"], during["tablechat_tasks_waiting"]) == (1, 1)
    assert (after["tablechat_imports_running"], after["tablechat_workers"]) == (0, 0)
