"""Person columns over REST: members, those who left, copies, conversions, filters."""
from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User

from tables.models import Member
from tests.captured_queries import CapturedQueries
from tests.conftest import Api
from tests.tables.exporting.conftest import content_of
from tests.tables.importing.files import decide, rows_of, run, uploaded

COLUMNS = [{"name": "Task", "type": "text"}, {"name": "Lead", "type": "person"}]


class Tasks:
    """A table of the user with a member, an outsider, and a person column."""

    def __init__(self, api: Api, user: User) -> None:
        self.api, self.me = api, user
        self.member = User.objects.create(username="Grace", email="grace@example.org")
        self.outsider = User.objects.create(username="Mallory")
        EmailAddress.objects.create(user=self.member, email="grace@example.org", verified=True, primary=True)
        table = api.post("/api/tables/", {"name": "Tasks", "columns": COLUMNS, "rows": [{"Task": "a"}]}).json()
        self.id, self.url = table["id"], f"/api/tables/{table['id']}/"
        self.column_url = f"{self.url}columns/{table['columns'][1]['id']}/"
        Member.objects.create(table_id=table["id"], user=self.member, role="editor")

    def add(self, lead: Any, *, typecast: bool = True, status: int = 201) -> Any:
        body = {"rows": [{"Task": "x", "Lead": lead}]}
        response = self.api.post(f"{self.url}rows/?typecast={str(typecast).lower()}", body)
        assert response.status_code == status, response.content
        return response.json()

    def leads(self, **query: Any) -> list[Any]:
        found = self.api.get(f"{self.url}rows/?{urlencode(query)}")
        assert found.status_code == 200, found.content
        return [row["data"].get("Lead") for row in found.json()["rows"]]

    def filtered(self, op: str, value: Any = None) -> list[Any]:
        condition = {"column": "Lead", "op": op, **({} if value is None else {"value": value})}
        return self.leads(filter=json.dumps(condition))


@pytest.fixture
def tasks(api: Api, user: User) -> Tasks:
    return Tasks(api, user)


def test_people_are_read_filtered_and_sorted(tasks: Tasks) -> None:
    me, grace = tasks.me.pk, tasks.member.pk
    for lead in (me, "GRACE@example.org", "grace", tasks.me.username):
        tasks.add(lead)
    for refused in (tasks.outsider.pk, "Mallory", 10**30, True, "grace@example.com"):
        fault = tasks.add(refused, status=422)["errors"][0]
        assert (fault["code"], "grace@example.org" in str(fault)) == ("not_a_person", False)
    assert tasks.leads() == [None, me, grace, grace, me]
    assert tasks.filtered("is_me") == [me, me]
    assert tasks.filtered("any_of", ["Grace"]) == tasks.filtered("any_of", [grace]) == [grace] * 2
    assert tasks.filtered("none_of", [grace]) == [None, me, me]
    assert (tasks.filtered("empty"), len(tasks.filtered("not_empty"))) == ([None], 4)
    by_name = sorted([tasks.me, tasks.member], key=lambda user: user.username.casefold())
    ordered = [person.pk for person in by_name for _ in range(2)]
    assert tasks.leads(sort="Lead") == [*ordered, None]
    assert tasks.leads(sort="-Lead") == [*ordered[::-1], None]
    counts = tasks.api.get(f"{tasks.url}stats/").json()["columns"]
    assert {str(me): 2, str(grace): 2} in [each.get("counts") for each in counts.values()]


def test_people_who_leave_remain_in_cells(tasks: Tasks) -> None:
    grace = tasks.member.pk
    row = tasks.add("Grace")["rows"][0]["id"]
    assert tasks.api.delete(f"{tasks.url}members/Grace/").status_code in (200, 204)
    assert tasks.leads() == [None, grace]
    column = tasks.api.get(tasks.url).json()["columns"][1]
    assert {"id": grace, "name": "Grace", "has_left": True} in column["people"]
    assert tasks.add("Grace", status=422)["errors"][0]["code"] == "left_the_table"
    assert tasks.filtered("any_of", ["Grace"]) == [grace]
    cleared = tasks.api.patch(f"{tasks.url}rows/{row}/", {"data": {"Lead": None}}).json()
    assert tasks.api.post(f"{tasks.url}changes/{cleared['change']}/undo/", {}).status_code == 200
    assert tasks.leads() == [None, grace]
    copy = tasks.api.post(f"{tasks.url}duplicate/", {}).json()
    assert {"id": grace, "name": "Grace", "has_left": True} in copy["columns"][1]["people"]
    assert tasks.api.patch(tasks.column_url, {"name": "Owner"}).status_code == 200
    tasks.member.delete()
    assert tasks.api.get(f"{tasks.url}rows/").json()["rows"][1]["data"]["Owner"] == grace
    assert grace not in [each["id"] for each in tasks.api.get(tasks.url).json()["columns"][1]["people"]]


def test_conversions_count_who_is_not_found(tasks: Tasks) -> None:
    tasks.add("Grace")
    tasks.add(tasks.me.pk)
    as_text = tasks.api.patch(tasks.column_url, {"type": "text"})
    assert as_text.status_code == 200, as_text.content
    assert tasks.leads() == [None, "Grace", tasks.me.username]
    tasks.add("someone else")
    refused = tasks.api.patch(tasks.column_url, {"type": "person"})
    assert refused.status_code == 422
    assert tasks.api.patch(f"{tasks.column_url}?on_unconvertible=clear", {"type": "person"}).status_code == 200
    assert tasks.leads() == [None, tasks.member.pk, tasks.me.pk, None]


def test_columns_of_members_are_detected_in_files_for_the_table(tasks: Tasks) -> None:
    text = "Task,Reviewer,Author\n" + f"b,grace@example.org,grace\nc,{tasks.me.username.upper()},Mallory\n" * 3
    found = uploaded(tasks.api, text, table=tasks.id)
    assert [column["type"] for column in found["columns"]] == ["text", "person", "text"]
    assert "person" not in [column["type"] for column in uploaded(tasks.api, text)["columns"]]


@pytest.mark.django_db(transaction=True)
def test_exports_are_imported_with_their_people(tasks: Tasks) -> None:
    for lead in ("Grace", tasks.me.pk, None):
        tasks.add(lead)
    exported = content_of(tasks.api.get(f"{tasks.url}export/", format="json"))
    run(tasks.api, uploaded(tasks.api, exported, name="tasks.json", table=tasks.id))
    assert tasks.leads() == [None, tasks.member.pk, tasks.me.pk, None] * 2

    grace = {"id": tasks.member.pk, "name": "Grace"}
    mine = json.dumps([each for each in json.loads(exported) if each["Lead"] != grace])
    found = decide(tasks.api, uploaded(tasks.api, mine, name="tasks.json"), columns=[{"index": 1, "type": "person"}])
    done = run(tasks.api, found)
    assert (done["state"], rows_of(tasks.api, done["table"])[2:]) == ("done", [{"Task": "x"}])
    assert rows_of(tasks.api, done["table"])[1] == {"Task": "x", "Lead": tasks.me.pk}


def test_people_take_one_query(tasks: Tasks) -> None:
    for lead in ("Grace", tasks.me.pk):
        tasks.add(lead)
    tasks.leads()
    with CapturedQueries() as queries:
        tasks.leads(sort="Lead")
    assert sum("account_emailaddress" in query["sql"] for query in queries) == 1
