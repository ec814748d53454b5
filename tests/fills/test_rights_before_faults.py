"""What a role may not do is a 403 at every endpoint of a table, whatever else is wrong in the request."""
from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.urls import URLPattern

from fills.api.urls import urlpatterns as urls_of_fills
from tables.api.table_view import TableView
from tables.api.urls import urlpatterns as urls_of_tables
from tables.models import Member
from tables.selectors import Table
from tests.conftest import Api
from tests.tables.shared_table import make_member

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite_only]

# Views with another response than JSON, which only read.
STREAMS = {"api_events", "api_export"}
# Writes with another status than 403 for a viewer, and their status with a fault. Viewers may send the first two, and
# without a fault, a table that is not in the trash is not found.
OTHERS = {("api_duplicate", "POST"): 400, ("api_view", "PUT"): 400, ("api_restore", "POST"): 403}


def writes_to_a_table(patterns: list[URLPattern]) -> Iterator[tuple[str, str, str]]:
    """Yield name, method and route of each write below the URL of a table."""
    for pattern in patterns:
        route = str(pattern.pattern)
        if "<int:table_id>" not in route or pattern.name in STREAMS:
            continue
        view = pattern.callback.view_class  # type: ignore[attr-defined]  # of views that are classes
        assert issubclass(view, TableView), pattern.name
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            if hasattr(view, method.lower()):
                yield str(pattern.name), method, route


def test_the_right_is_checked_before_query_and_body(
    api: Api, other_api: Api, people: Table, draft: Callable[..., str]
) -> None:
    standing = draft().rstrip("/").split("/")[-1]
    assert api.post(f"/api/tables/{people.pk}/standing-fills/", {"fill": standing}).status_code == 201
    make_member(people, other_api.user, role=Member.Role.VIEWER)
    names = {"table_id": people.pk, "fill_id": standing}
    names |= {"row_id": api.get(f"/api/tables/{people.pk}/rows/").json()["rows"][0]["id"]}
    names |= {"column_id": "Name", "change_id": api.get(f"/api/tables/{people.pk}/changes/").json()["changes"][0]["id"]}
    names |= {"name": "someone", "invitation_id": 1, "file_id": "x"}
    answers, missing = {}, {}
    for name, method, route in writes_to_a_table([*urls_of_tables, *urls_of_fills]):
        for kind, url_names in (("given", names), ("missing", {**names, "table_id": 987654})):
            path = route
            for key, value in url_names.items():
                path = path.replace(f"<int:{key}>", str(value)).replace(f"<uuid:{key}>", str(value))
                path = path.replace(f"<str:{key}>", str(value))
            for query, body in (("", "{}"), ("?zz=1", '{"zz": 1}')):
                answer = other_api.client.generic(method, f"/api/tables/{path}{query}", body, "application/json")
                (answers if kind == "given" else missing)[name, method, query] = answer.status_code
    assert {key: status for key, status in answers.items() if status != 403 and key[:2] not in OTHERS} == {}
    assert {key[:2]: status for key, status in answers.items() if key[:2] in OTHERS and key[2]} == OTHERS
    assert set(missing.values()) == {404}
