"""The profile of the signed-in user over REST, and its effects on pages."""
from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User

from tests.conftest import Api

ME = "/api/me/"
# At any moment the date differs between these two zones.
EARLY, LATE = "Pacific/Kiritimati", "Pacific/Midway"


def test_new_profile_has_empty_fields(api: Api, user: User) -> None:
    assert api.get(ME).json() == {
        "id": user.pk, "username": "ada", "name": "", "theme": "system", "time_zone": "", "locale": "",
        "language": "",
    }  # fmt: skip


def test_update_changes_only_the_given_fields(api: Api, other_api: Api) -> None:
    api.patch(ME, {"name": "Ada Lovelace", "theme": "dark"})
    answer = api.patch(ME, {"time_zone": "Europe/Paris", "locale": "pt-BR"})
    sent = {"name": "Ada Lovelace", "theme": "dark", "time_zone": "Europe/Paris", "locale": "pt-BR"}
    assert (answer.status_code, answer.json()) == (200, api.get(ME).json())
    assert {name: answer.json()[name] for name in sent} == sent
    assert other_api.get(ME).json()["name"] == ""


BAD: dict[str, tuple[Any, str]] = {
    "a number for a name": ({"name": 5}, "name"),
    "null": ({"name": None}, "name"),
    "a name too long": ({"name": "x" * 151}, "name"),
    "a name with a line break": ({"name": "a\nb"}, "name"),
    "an unknown theme": ({"theme": "blue"}, "theme"),
    "an unknown time zone": ({"time_zone": "Europe/Pari"}, "time_zone"),
    "a path for a time zone": ({"time_zone": "../../etc/passwd"}, "time_zone"),
    "invalid locale": ({"locale": "english!"}, "locale"),
    "a language that pages are not in": ({"language": "fr"}, "language"),
    "a region for a language": ({"language": "de-AT"}, "language"),
    "an unknown field": ({"is_staff": True}, "is_staff"),
}


@pytest.mark.parametrize(("body", "path"), BAD.values(), ids=BAD.keys())
def test_invalid_value_is_refused_with_its_path(api: Api, body: Any, path: str) -> None:
    before = api.get(ME).json()
    answer = api.patch(ME, {"theme": "dark", **body})
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (400, path)
    assert api.get(ME).json() == before


ALL = "name, theme, time_zone, locale, language"
NEAR = {"timezone": "time_zone", "Theme": "theme", "NAME": "name", "is_staff": ALL}


@pytest.mark.parametrize(("field", "suggestion"), NEAR.items())
def test_unknown_field_is_refused_with_a_suggestion(api: Api, field: str, suggestion: str) -> None:
    (fault,) = api.patch(ME, {field: "x"}).json()["errors"]
    assert (fault["path"], fault["code"]) == (field, "unknown_field")
    assert suggestion in fault["detail"]


def test_anonymous_client_is_refused(anonymous_api: Api) -> None:
    assert anonymous_api.get(ME).status_code == 401


@pytest.mark.parametrize("zone", [EARLY, LATE])
@pytest.mark.parametrize("how", ["of the person", "of the request"])
def test_today_depends_on_the_time_zone_of_the_user(api: Api, zone: str, how: str) -> None:
    today = datetime.now(ZoneInfo(zone)).date()
    days = [{"Day": str(today + timedelta(days=number))} for number in (-1, 0, 1)]
    table = api.post("/api/tables/", {"name": "T", "columns": [{"name": "Day", "type": "date"}], "rows": days}).json()
    api.patch(ME, {"time_zone": zone if how == "of the person" else "Etc/GMT-3"})
    query = {"filter": '{"column":"Day","op":"today"}', **({"tz": zone} if how == "of the request" else {})}
    rows = api.get(f"/api/tables/{table['id']}/rows/", **query).json()["rows"]
    assert [row["data"] for row in rows] == [days[1]]


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_pages_use_the_chosen_theme(api: Api, theme: str) -> None:
    api.patch(ME, {"theme": theme})
    page = api.get("/tables/").content.decode()
    other_page = Api(api.user).get("/tables/").content.decode()
    assert (f'data-theme="{theme}"' in page, f'data-theme="{theme}"' in other_page) == (True, True)


def test_system_theme_is_not_set_in_the_page(api: Api) -> None:
    api.patch(ME, {"theme": "dark"})
    api.patch(ME, {"theme": "system"})
    assert "data-theme=" not in api.get("/tables/").content.decode()


def test_pages_have_the_locale_of_numbers_and_dates(api: Api) -> None:
    before = api.get("/tables/").content.decode()
    api.patch(ME, {"locale": "pt-BR"})
    assert ('data-locale="en"' in before, 'data-locale="pt-BR"' in api.get("/tables/").content.decode()) == (True, True)
