"""Who may try a draft out, with whose data, and who may read how it went."""
from __future__ import annotations

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User

from chat.models import Conversation
from tests.chat.admin.editors import ANY, FORM, LIBRARIAN, TRY, Editor, staff
from tests.chat.stream_client import Browser
from tests.scripted_model import ScriptedModel, say, use

pytestmark = pytest.mark.django_db(transaction=True)


def test_its_trace_is_for_the_editor_alone_and_while_they_may_tune(
    edda: Editor, vera: Editor, script: ScriptedModel
) -> None:
    script.add(say("Hello."))
    turn_id = edda.tries(draft=LIBRARIAN)[-1]["payload"]["turn_id"]
    address = f"/api/chat/turns/{turn_id}/trace/"
    status, trace, _ = edda.browser.ask("GET", address)
    assert status == 200
    assert "careful librarian" in trace["sections"][1]["text"]
    assert vera.browser.ask("GET", address)[0] == 404
    edda.user.user_permissions.clear()
    assert edda.browser.ask("GET", address)[0] == 404
    assert edda.browser.ask("GET", f"/api/chat/turns/{turn_id}/stream/")[0] == 404


def test_without_the_right_nobodys_data_is_asked_for(
    edda: Editor, script: ScriptedModel, recipes: int
) -> None:
    for fields in ({"person": "ada"}, {"object": str(recipes)}):
        assert edda.refused(**fields)[0] == 403
    assert script.requests == []
    assert not LogEntry.objects.exists()


def test_with_the_right_it_is_a_persons_own_table_and_recorded(
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
    assert vera.browser.ask("GET", trace)[0] == 200
    vera.user.user_permissions.remove(Permission.objects.get(codename="view_any_table"))
    assert vera.browser.ask("GET", trace)[0] == 404


def test_what_a_person_may_not_see_is_not_seen_as_them(vera: Editor, script: ScriptedModel, recipes: int) -> None:
    User.objects.create(username="otto")
    assert vera.refused(person="otto", object=str(recipes))[0] == 404
    assert vera.refused(person="nobody")[0] == 422
    assert script.requests == []


@pytest.mark.parametrize("who", ["staff without the right", "somebody with the right who is no staff"])
def test_nobody_else_tries_anything(live_server_url: str, edda: Editor, script: ScriptedModel, who: str) -> None:
    eve = staff("eve", *(["tune_assistant"] if "with the" in who else []))
    User.objects.filter(pk=eve.pk).update(is_staff="no staff" not in who)
    browser, sent = Browser(live_server_url, eve), edda.form()
    for address in (TRY, ANY):
        assert browser.ask("POST", address, sent, **FORM)[0] == 403
    assert Browser(live_server_url).ask("POST", TRY, sent, **FORM)[0] == 403
    assert script.requests == []


def test_a_foreign_page_cannot_make_an_editor_try(live_server_url: str, edda: Editor, script: ScriptedModel) -> None:
    with Browser(live_server_url, edda.user, csrf=False).open("POST", TRY, edda.form(), **FORM) as stream:
        assert stream.response.status == 403
    assert script.requests == []
