"""Standing fills: out-of-date rows, automatic runs, circles, lost rights, and tables that change underneath."""
from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from itertools import pairwise
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from django_tasks_db.models import DBTaskResult
from hypothesis import given
from hypothesis import strategies as st

from fills.circles import find_circle
from fills.models import Fill, StandingFill
from fills.selectors import old_fills
from fills.services import apply_confident, run_due
from fills.tasks import continue_fills
from tables.selectors import Table
from tests.captured_queries import CapturedQueries
from tests.conftest import Api
from tests.fills.conftest import Workers
from tests.tables.shared_table import make_member

pytestmark = pytest.mark.django_db(transaction=True)
Json = dict[str, Any]
Make = Callable[..., Workers]
NOTICES = "/tables/fill-notices/"
BODY = {"columns": ["Domain"], "instruction": "Take the domain out of {E-mail}."}


@pytest.fixture
def standing(url: str) -> str:
    """The URL of standing fills of the table."""
    return url.replace("/fills/", "/standing-fills/")


def create(api: Api, standing: str, **fields: Any) -> str:
    """Set up a standing fill and return its URL."""
    answer = api.post(standing, {**BODY, **fields})
    assert answer.status_code == 201, answer.content
    return f"{standing}{answer.json()['id']}/"


def fill_of(url: str) -> str:
    return url.replace("/standing-fills/", "/fills/")


def id_of(url: str) -> UUID:
    return UUID(url.rstrip("/").rpartition("/")[2])


def counts(api: Api, url: str) -> tuple[int, int]:
    rows = api.get(url).json()["rows"]
    return rows["out_of_date"], rows["total"]


def rows_of(api: Api, table: Table) -> list[Json]:
    found: list[Json] = api.get(f"/api/tables/{table.pk}/rows/").json()["rows"]
    return found


def edit(api: Api, table: Table, row: int, **cells: Any) -> None:
    data = {key.replace("_", "-"): value for key, value in cells.items()}
    assert api.patch(f"/api/tables/{table.pk}/rows/{row}/", {"data": data}).status_code == 200


def run_automatically(url: str, *, seconds: int = 11) -> bool:
    """Run a standing fill as its task does some time after a change."""
    return run_due(id_of(url), now=timezone.now() + timedelta(seconds=seconds))


def test_rows_are_out_of_date_after_changes_of_what_was_read_and_can_be_filled_again(
    api: Api, people: Table, standing: str, workers: Make
) -> None:
    url, worker = create(api, standing), workers()
    shown = api.get(url).json()
    # The last person has a domain, which a user has typed.
    rows = {"total": 6, "out_of_date": 5, "discarded": 0}
    assert (shown["trigger"], shown["state"], shown["rows"]) == ("manual", "active", rows)
    assert shown["estimate"]["rows"] == 5
    key = {"Idempotency-Key": "run-once"}
    assert api.client.post(f"{url}run/", {}, "application/json", headers=key).status_code == 202
    worker.work(fill_of(url))
    assert counts(api, url) == (0, 6)
    assert api.post(f"{url}run/", {}).json()["error"] == "up_to_date"
    api.post(f"{fill_of(url)}apply/", {"rows": "all"})
    rows = rows_of(api, people)
    edit(api, people, rows[0]["id"], Name="Another name", Domain="corrected.example")
    assert counts(api, url) == (0, 6)
    edit(api, people, rows[1]["id"], E_mail="p1@moved.example")
    api.post(f"/api/tables/{people.pk}/rows/", {"rows": [{"Name": "No address"}, {"E-mail": "p@new.example"}]})
    assert counts(api, url) == (2, 8)

    calls = len(worker.model.requests)
    assert api.post(f"{url}run/", {}).json()["fill_state"] == "running"
    worker.work(fill_of(url))
    assert len(worker.model.requests) == calls + 2
    found = api.get(f"{fill_of(url)}results/").json()["results"]
    assert [each["values"]["Domain"] for each in found if each["review"] == "open"] == ["moved.example", "new.example"]
    assert api.get(fill_of(url)).json()["standing"] is True
    assert counts(api, url) == (0, 8)
    condition = {"column": "Name", "op": "not_empty"}
    api.patch(url, {"instruction": "Take the last part out of {E-mail}.", "filter": condition})
    assert counts(api, url) == (5, 7)
    assert "Filling Domain" in api.client.get(NOTICES).content.decode()
    assert api.delete(fill_of(url)).status_code == 204
    assert "Filling Domain" not in api.client.get(NOTICES).content.decode()
    # Applied results remain, also one whose cell was edited since.
    left = api.get(fill_of(url)).json()["counts"]
    assert (left["found"], left["discarded"], counts(api, url)) == (4, 2, (5, 7))
    assert api.get(url).json()["rows"]["discarded"] == 2
    assert not old_fills(now=timezone.now() + timedelta(days=99)).exists()
    assert api.delete(url).status_code == 204
    assert (api.get(url).status_code, api.get(fill_of(url)).json()["standing"]) == (404, False)


@pytest.mark.sqlite_only
def test_a_fill_that_has_run_is_stored_with_its_results(
    api: Api, people: Table, draft: Callable[..., str], standing: str, workers: Make
) -> None:
    condition = {"column": "Name", "op": "contains", "value": "Person"}
    fill = draft(rows={"filter": condition})
    api.post(f"{fill}run/", {})
    workers().work(fill)
    fill_id = str(id_of(fill))
    kept = api.post(standing, {"fill": fill_id, "trigger": "changes"}).json()
    assert (kept["id"], len(kept["filter"]["and"])) == (fill_id, 1)
    assert kept["rows"] == {"total": 6, "out_of_date": 0, "discarded": 0}
    assert api.post(standing, {"fill": fill_id}).json()["error"] == "already_standing"
    both = api.post(standing, {"fill": fill_id, "instruction": "X"})
    assert (both.status_code, both.json()["errors"][0]["path"]) == (422, "fill")
    wrong = api.post(standing, {**BODY, "trigger": "always", "budget": 0, "filter": {"column": "X", "op": "empty"}})
    assert {each["path"] for each in wrong.json()["errors"]} == {"columns", "trigger", "budget", "filter.column"}


def test_automatic_runs_fill_new_and_changed_rows_only_and_do_not_start_themselves(
    api: Api, people: Table, standing: str, workers: Make, settings: Any
) -> None:
    settings.FILL_CONFIDENT = True
    rows = rows_of(api, people)
    url, worker = create(api, standing, trigger="changes", apply="confident", budget=50_000), workers()
    edit(api, people, rows[0]["id"], E_mail="p0@moved.example")
    edit(api, people, rows[5]["id"], E_mail="p5@moved.example")
    api.post(f"/api/tables/{people.pk}/rows/", {"rows": [{"E-mail": "p@new.example"}, {"Name": "No address"}]})
    waiting = DBTaskResult.objects.filter(task_path="fills.tasks.run_standing_fill")
    assert [each.run_after is not None for each in waiting] == [True]
    assert api.get(url).json()["due_at"] is not None
    assert run_automatically(url)
    assert api.get(fill_of(url)).json()["budget"] == 50_000
    worker.work(fill_of(url))
    apply_confident(fill_id=id_of(url), now=timezone.now())
    values = [row["data"].get("Domain") for row in rows_of(api, people)]
    # The domain of the sixth row was typed, and nothing was read for it.
    assert values == ["moved.example", None, None, None, None, "firm5.example", "new.example", None]
    assert not run_automatically(url)
    assert len(worker.model.requests) == 2

    # What a person has undone is not applied again.
    change = api.get(f"/api/tables/{people.pk}/changes/").json()["changes"][0]["id"]
    api.post(f"/api/tables/{people.pk}/changes/{change}/undo/")
    edit(api, people, rows_of(api, people)[7]["id"], E_mail="late@late.example")
    assert run_automatically(url)
    worker.work(fill_of(url))
    apply_confident(fill_id=id_of(url), now=timezone.now())
    values = [row["data"].get("Domain") for row in rows_of(api, people)]
    assert (values[0], values[6:]) == (None, [None, "late.example"])

    # A fill that its user has paused is left alone; a lost task is found again.
    Fill.objects.update(state=Fill.State.PAUSED)
    edit(api, people, rows[0]["id"], E_mail="p0@again.example")
    assert not run_automatically(url)
    StandingFill.objects.update(checked_version=0, due_at=None)
    waiting.delete()
    continue_fills.func()
    assert waiting.count() == 1


@pytest.mark.sqlite_only
def test_new_rows_only(api: Api, people: Table, standing: str, workers: Make) -> None:
    url, worker = create(api, standing, trigger="new_rows"), workers()
    rows = rows_of(api, people)
    edit(api, people, rows[0]["id"], E_mail="p0@moved.example")
    assert not run_automatically(url)
    api.post(f"/api/tables/{people.pk}/rows/", {"rows": [{"E-mail": "p@new.example"}]})
    assert run_automatically(url)
    worker.work(fill_of(url))
    assert api.get(fill_of(url)).json()["counts"]["found"] == 1
    assert [row["data"].get("Domain") for row in rows_of(api, people)][-1] is None
    edit(api, people, rows_of(api, people)[-1]["id"], E_mail="p@other.example")
    assert not run_automatically(url)


def test_changes_of_other_tables_cost_one_query(api: Api, people: Table, standing: str) -> None:
    row = rows_of(api, people)[0]["id"]
    with CapturedQueries() as captured:
        edit(api, people, row, Name="A")
    about_fills = [each for each in captured.captured_queries if "fills_" in each["sql"]]
    assert len(about_fills) == 1
    create(api, standing, trigger="changes")
    edit(api, people, row, Name="B")
    with CapturedQueries() as captured:
        edit(api, people, row, Name="C")
    assert len([each for each in captured.captured_queries if "fills_" in each["sql"]]) == 1


@pytest.mark.sqlite_only
def test_columns_that_feed_each_other_are_refused(api: Api, people: Table, standing: str) -> None:
    first = create(api, standing)
    twice = api.post(standing, BODY)
    assert (twice.status_code, twice.json()["errors"][0]["code"]) == (422, "column_taken")
    back = api.post(standing, {"columns": ["E-mail"], "instruction": "Guess from {Domain}."})
    assert (back.status_code, back.json()["errors"][0]["code"]) == (422, "circle")
    assert "E-mail → Domain → E-mail" in back.json()["detail"] or "Domain → E-mail → Domain" in back.json()["detail"]
    create(api, standing, columns=["Kind"], instruction="Kind of {Domain}")
    onto_itself = api.patch(first, {"instruction": "Correct {Domain}"})
    assert onto_itself.json()["errors"][0]["code"] == "circle"
    assert "Kind → Domain" in api.patch(first, {"instruction": "From {Kind}"}).json()["detail"]
    assert api.get(first).json()["instruction"] == BODY["instruction"]
    # Without references all other columns are read.
    assert api.patch(first, {"instruction": "Guess."}).json()["errors"][0]["code"] == "circle"


@pytest.mark.sqlite_only
@given(st.dictionaries(st.integers(0, 7), st.frozensets(st.integers(0, 7), max_size=3), max_size=8))
def test_a_found_circle_is_one_and_there_is_none_otherwise(graph: dict[int, frozenset[int]]) -> None:
    inputs = {str(key): {str(each) for each in value} for key, value in graph.items()}
    circle = find_circle(inputs)
    if circle:
        assert len(circle) > 1
        assert circle[0] == circle[-1]
        assert all(source in inputs[target] for source, target in pairwise(circle))
    else:
        left = dict(inputs)
        while free := [key for key, value in left.items() if not value & left.keys()]:
            for key in free:
                del left[key]
        assert not left


@pytest.mark.sqlite_only
def test_it_pauses_with_a_reason_and_goes_on_when_the_reason_is_gone(
    api: Api, other_api: Api, other_user: User, people: Table, standing: str
) -> None:
    member = make_member(people, other_user, role="editor")
    url = create(other_api, standing, trigger="changes", filter={"column": "Kind", "op": "empty"})
    assert api.patch(url, {"instruction": "Send me all of {Name}"}).status_code == 403
    assert api.post(f"{url}run/", {}).status_code == 403

    def set_role(role: str) -> None:
        member.role = role
        member.save()

    def change_and_run() -> tuple[str, str, bool]:
        edit(api, people, rows_of(api, people)[0]["id"], E_mail=f"p@{timezone.now().timestamp()}.example")
        shown = api.get(url).json()
        assert api.get(standing).json()["standing_fills"][0]["state"] == shown["state"]
        return shown["state"], (shown["reason"] or {}).get("message_code", ""), run_automatically(url)

    set_role("viewer")
    assert change_and_run() == ("paused", "fill_right_lost", False)
    assert other_api.post(f"{url}run/", {}).status_code == 403
    refused = other_api.post(standing, {"columns": ["Kind"], "instruction": "Kind of {Name}"})
    assert refused.status_code == 403
    set_role("editor")
    User.objects.filter(pk=other_user.pk).update(is_active=False)
    assert change_and_run() == ("paused", "fill_right_lost", False)
    User.objects.filter(pk=other_user.pk).update(is_active=True)

    shown = {each["name"]: each["id"] for each in api.get(f"/api/tables/{people.pk}/").json()["columns"]}
    for name, code in (("Kind", "standing_filter_unusable"), ("Domain", "fill_column_deleted")):
        deleted = api.delete(f"/api/tables/{people.pk}/columns/{shown[name]}/")
        assert change_and_run() == ("paused", code, False)
        assert other_api.post(f"{url}run/", {}).json()["error"] == "standing_fill_paused"
        assert "rows" in api.get(url).json()
        change = api.get(f"/api/tables/{people.pk}/changes/").json()["changes"][1]["id"]
        assert api.post(f"/api/tables/{people.pk}/changes/{change}/undo/").status_code == 200, deleted.content
    api.patch(f"/api/tables/{people.pk}/columns/{shown['E-mail']}/", {"name": "Address {1}"})
    assert "Address {1}" in api.get(url).json()["instruction"]
    api.patch(f"/api/tables/{people.pk}/columns/{shown['Domain']}/", {"type": "number"})
    rows = rows_of(api, people)
    api.patch(f"/api/tables/{people.pk}/rows/{rows[1]['id']}/", {"data": {"Address {1}": "p@next.example"}})
    assert api.get(url).json()["state"] == "active"
    assert api.delete(f"/api/tables/{people.pk}/").status_code in (200, 204)
    assert not run_automatically(url)
    assert api.get(url).status_code == 404
