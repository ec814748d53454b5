"""Invalid values written by SQL break no turn, and the pages list them for repair."""
from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from chat.configuration import ADDED, Address
from chat.models import Override
from chat.selectors.configuration.catalogue import current_catalogue, default_catalogue
from chat.services.configuration.changes import Edit, change_configuration
from tests.chat.admin.forms import confirmed

pytestmark = pytest.mark.django_db

INDEX = reverse("admin:chat_override_changelist")
LIST = reverse("admin:chat_configuration_orphaned_overrides")
TOOL = reverse("admin:chat_configuration_entry", args=["tool", "get_rows"])
PAGE = reverse("admin:chat_configuration_entry", args=["page", "table_view"])
FIELD = reverse("admin:chat_configuration_restore_field")
OTHERS = [reverse(f"admin:chat_configuration_{name}") for name in ("history", "preview", "export", "import")]
ANY = {
    "a number of thousands of digits": "1" * 5_000,
    "a number beyond all others": "1e5000",
    "lists within lists": "[" * 900 + "]" * 900,
    "null": None,
}


def write(text: str | None) -> None:
    """Set the stored text of an override, and make another change after it."""
    now = timezone.now()
    change_configuration(user=None, edits=[Edit(Address("tool", "get_rows"), {"description": "Reads."})], now=now)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE chat_override SET value = %s, base = %s", [text, text])
    change_configuration(user=None, edits=[Edit(Address("tool", "search_rows"), {"label": "Looking"})], now=now)


def all_pages_work(client: Client, *others: str) -> None:
    for address in (INDEX, LIST, TOOL, PAGE, *OTHERS, *others):
        assert client.get(address).status_code == 200, address


@pytest.mark.parametrize("text", ANY.values(), ids=ANY)
def test_unreadable_value_leaves_the_default_and_can_be_deleted(editor: Client, text: str | None) -> None:
    write(text)
    of_code = default_catalogue().tools.get("get_rows")
    of_turns = current_catalogue().tools.get("get_rows")
    assert of_code is not None
    assert of_turns is not None
    assert of_turns.description == of_code.description
    assert editor.get("/readyz").json() == {"status": "ok", "config": "degraded"}
    all_pages_work(editor)
    row = Override.objects.get(name="get_rows")
    assert confirmed(editor, editor.post(LIST, {"row": row.pk, "seen": "2"})).status_code == 302
    assert editor.get("/readyz").json() == {"status": "ok"}


@pytest.mark.sqlite_only
def test_lone_surrogate_is_shown_as_unreadable(editor: Client) -> None:
    write('"Reads \\ud800 rows."')
    all_pages_work(editor)
    assert "Reads \ufffd rows." in editor.get(TOOL).content.decode()


@pytest.mark.sqlite_only
def test_invalid_name_in_a_list_is_reported_on_its_page(editor: Client) -> None:
    Override.objects.create(kind="page", name="table_view", field="tools", value=[{"a": 1}, 5, "get_rows"])
    page = editor.get(PAGE)
    assert page.status_code == 200
    assert "This value is invalid and is ignored. Tools must be a list of names." in page.content.decode()


@pytest.mark.sqlite_only
@pytest.mark.parametrize("name", ["", "two\nlines"], ids=["empty", "two lines"])
def test_override_without_a_page_can_be_deleted(editor: Client, name: str) -> None:
    mark = Override.objects.create(kind="client_action", name=name, field=ADDED, value=True)
    Override.objects.create(kind="client_action", name=name, field="description", value="Opens.")
    all_pages_work(editor)
    assert confirmed(editor, editor.post(LIST, {"row": mark.pk, "seen": "0"})).status_code == 302
    assert not Override.objects.exists()


@pytest.mark.sqlite_only
def test_restored_field_with_an_invalid_name_redirects_to_the_history(editor: Client) -> None:
    answer = editor.post(FIELD, {"change": "1", "kind": "tool", "name": "two\nlines"})
    assert (answer.status_code, answer.headers["Location"]) == (302, OTHERS[0])
