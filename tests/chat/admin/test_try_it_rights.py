"""Permissions of trials: who may run them, with whose data, and who may read their traces."""
from __future__ import annotations

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User

from chat.models import Conversation
from tests.chat.admin.editors import ANY, FORM, LIBRARIAN, TRY, Editor, staff
from tests.chat.stream_client import Browser
from tests.scripted_model import ScriptedModel, say, use

pytestmark = pytest.mark.django_db(transaction=True)


def test_trace_of_a_trial_requires_its_editor_and_the_permission(
    edda: Editor, vera: Editor, script: ScriptedModel
) -> None:
    script.add(say("Hello."))
    turn_id = edda.tries(draft=LIBRARIAN)[-1]["payload"]["turn_id"]
    address = f"/api/chat/turns/{turn_id}/trace/"
    status, trace, _ = edda.browser.request("GET", address)
    assert status == 200
    assert "careful librarian" in trace["sections"][1]["text"]
    assert vera.browser.request("GET", address)[0] == 404
    edda.user.user_permissions.clear()
    assert edda.browser.request("GET", address)[0] == 404
    assert edda.browser.request("GET", f"/api/chat/turns/{turn_id}/stream/")[0] == 404


def test_data_of_users_requires_the_permission(
    edda: Editor, script: ScriptedModel, recipes: int
) -> None:
    for fields in ({"person": "ada"}, {"object": str(recipes)}):
        assert edda.refused(**fields)[0] == 403
    assert script.requests == []
    assert not LogEntry.objects.exists()


def test_trial_with_a_users_table_is_recorded(
    vera: Editor, script: ScriptedModel, recipes: int
) -> None:
    script.add(use(("describe_table", {})), say("Recipes."))
    events = vera.tries(person="ada", object=str(recipes))
    assert "Secret recipes" in events[-1]["payload"]["tool_history"][0]["output"]
    entry = LogEntry.objects.get()
    assert (entry.user, entry.object_repr) == (vera.user, f"Prompt of table_view, {recipes} as ada")
    assert entry.change_message.startswith("Tried a draft")
    assert Conversation.objects.get().user == vera.user
    trace = f"/api/chat/turns/{events[0]['turn_id']}/trace/"
    assert vera.browser.request("GET", trace)[0] == 200
    vera.user.user_permissions.remove(Permission.objects.get(codename="view_any_table"))
    assert vera.browser.request("GET", trace)[0] == 404


def test_trial_for_a_user_sees_only_what_the_user_may_see(vera: Editor, script: ScriptedModel, recipes: int) -> None:
    User.objects.create(username="otto")
    assert vera.refused(person="otto", object=str(recipes))[0] == 404
    assert vera.refused(person="nobody")[0] == 422
    assert script.requests == []


@pytest.mark.parametrize("client", ["staff without permission", "permission without staff status"])
def test_other_users_cannot_run_trials(live_server_url: str, edda: Editor, script: ScriptedModel, client: str) -> None:
    eve = staff("eve", *(["tune_assistant"] if "permission without" in client else []))
    User.objects.filter(pk=eve.pk).update(is_staff="without staff" not in client)
    browser, sent = Browser(live_server_url, eve), edda.form()
    for address in (TRY, ANY):
        assert browser.request("POST", address, sent, **FORM)[0] == 403
    assert Browser(live_server_url).request("POST", TRY, sent, **FORM)[0] == 403
    assert script.requests == []


def test_cross_site_request_cannot_run_a_trial(live_server_url: str, edda: Editor, script: ScriptedModel) -> None:
    with Browser(live_server_url, edda.user, csrf=False).open("POST", TRY, edda.form(), **FORM) as stream:
        assert stream.response.status == 403
    assert script.requests == []
