"""Columns of dates with a time over HTTP: writes, filters, groups, conversion, export and import in a time zone."""
from __future__ import annotations

import datetime
import json
import re
from html import unescape
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

import pytest

from tests.conftest import Api
from tests.tables.exporting.conftest import content_of
from tests.tables.exporting.readers import csv_rows, xlsx_rows
from tests.tables.importing.files import rows_of, run, uploaded

COLUMNS = [{"name": "Talk", "type": "text"}, {"name": "When", "type": "date", "format": "datetime"}]
# Both midnights of a day in Berlin, and the two equal local times of a change of clocks.
ROWS = {
    "evening before": "2026-12-23T22:59Z", "first": "2026-12-23T23:00Z", "last": "2026-12-24T22:59Z",
    "earlier": "2026-10-25T00:30Z", "later": "2026-10-25T01:30Z",
}  # fmt: skip


@pytest.fixture
def talks(api: Api) -> str:
    """A table of a user in Berlin."""
    assert api.patch("/api/me/", {"time_zone": "Europe/Berlin"}).status_code == 200
    rows = [{"Talk": name, "When": moment} for name, moment in ROWS.items()]
    created = api.post("/api/tables/", {"name": "Talks", "columns": COLUMNS, "rows": rows})
    return f"/api/tables/{created.json()['id']}/"


def found(api: Api, table: str, op: str, value: Any = None, *, tz: str = "") -> list[str]:
    query = {"filter": json.dumps({"column": "When", "op": op, "value": value}), **({"tz": tz} if tz else {})}
    return [row["data"]["Talk"] for row in api.get(f"{table}rows/?{urlencode(query)}").json()["rows"]]


def cells(api: Api, table: str) -> list[str]:
    return [row["data"]["When"] for row in api.get(f"{table}rows/").json()["rows"]]


def test_texts_without_a_zone_are_read_in_that_of_the_user(api: Api, talks: str) -> None:
    answer = api.post(f"{talks}rows/?typecast=true", {"Talk": "new", "When": "2026-12-24 15:30"})
    assert answer.json()["data"]["When"] == "2026-12-24T14:30Z"
    refused = api.post(f"{talks}rows/", {"Talk": "new", "When": "2026-12-24 15:30"})
    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (422, "not_a_date")


def test_a_day_means_all_of_it_in_the_time_zone_of_the_request(api: Api, talks: str) -> None:
    assert found(api, talks, "eq", "2026-12-24") == ["first", "last"]
    assert found(api, talks, "eq", "2026-12-24", tz="UTC") == ["last"]
    assert found(api, talks, "lte", "2026-12-23") == ["evening before", "earlier", "later"]
    assert found(api, talks, "eq", "2026-12-24T23:59+01:00") == ["last"]


def test_groups_by_day_are_those_of_the_time_zone(api: Api, talks: str) -> None:
    def groups(**query: str) -> dict[str, int]:
        query["group_by"] = json.dumps([{"column": "When", "by": "day"}])
        answer = api.get(f"{talks}aggregate/?{urlencode(query)}").json()
        return {group["group"]["When"]: group["rows"] for group in answer["groups"]}

    assert groups() == {"2026-10-25": 2, "2026-12-23": 1, "2026-12-24": 2}
    assert groups(tz="UTC") == {"2026-10-25": 2, "2026-12-23": 2, "2026-12-24": 1}


def test_another_format_converts_the_values_and_is_undone(api: Api, talks: str) -> None:
    changed = api.patch(f"{talks}columns/When/", {"format": "date"})
    assert (changed.status_code, changed.json()["format"]) == (200, "date")
    assert cells(api, talks) == ["2026-12-23", "2026-12-24", "2026-12-24", "2026-10-25", "2026-10-25"]
    change = api.get(f"{talks}changes/").json()["changes"][0]["id"]
    assert api.post(f"{talks}changes/{change}/undo/").status_code == 200
    assert cells(api, talks) == list(ROWS.values())


def test_exported_files_have_times_and_are_read_back(transactional_db: None, api: Api, talks: str) -> None:
    assert api.post(f"{talks}columns/", {"name": "Added", "type": "created_at"}).status_code == 201
    as_csv, as_xlsx = (content_of(api.get(f"{talks}export/?format={ending}")) for ending in ("csv", "xlsx"))
    assert [row[1] for row in csv_rows(as_csv)] == ["When", *ROWS.values()]
    local = [row[1] for row in xlsx_rows(as_xlsx)]
    assert local[1] == datetime.datetime(2026, 12, 23, 23, 59)  # noqa: DTZ001
    # The format has no time zones.
    assert local[5] == "2026-10-25T01:30Z"
    added = datetime.datetime.fromisoformat(csv_rows(as_csv)[1][2]).astimezone(ZoneInfo("Europe/Berlin"))
    assert xlsx_rows(as_xlsx)[1][2] == added.replace(tzinfo=None)
    for content, name in ((as_csv, "talks.csv"), (as_xlsx, "talks.xlsx")):
        imported = run(api, uploaded(api, content, name=name))
        assert [row["When"] for row in rows_of(api, imported["table"])] == list(ROWS.values())


def test_day_first_files_have_times_of_the_user(transactional_db: None, api: Api, talks: str) -> None:
    imported = run(api, uploaded(api, "Talk;When\na;24.12.2026 15:30\nb;31.12.2026 11:05 pm\n", name="talks.csv"))
    assert [row["When"] for row in rows_of(api, imported["table"])] == ["2026-12-24T14:30Z", "2026-12-31T22:05Z"]


def test_the_form_without_scripts_shows_and_reads_local_times(api: Api, talks: str) -> None:
    table = talks.split("/")[3]
    rows = api.get(f"{talks}rows/").json()["rows"]
    where = f"/tables/{table}/rows/{rows[1]['id']}/"
    page = api.get(where).content.decode()
    fields = dict(re.findall(r'name="(cell-[^"]+)" type="datetime-local"[^>]* value="([^"]*)"', page))
    [(name, text)] = fields.items()
    assert text == "2026-12-24T00:00"
    was = re.search(r'name="was" value="([^"]*)"', page)
    assert was is not None
    saved = api.client.post(where, {"was": unescape(was[1]), name: "2026-12-24T18:45"})
    assert saved.status_code == 302
    assert cells(api, talks)[1] == "2026-12-24T17:45Z"
    shown = api.get(f"/tables/{table}/").content.decode()
    assert '<time datetime="2026-12-24T17:45Z">Dec 24, 2026, 6:45 PM</time>' in shown
