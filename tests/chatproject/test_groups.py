"""Groups of administrators: the pages that each sees, and permissions that can be granted."""
from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Group, Permission, User
from django.db import connection
from django.test import Client

pytestmark = pytest.mark.django_db
create_groups = import_module("chatproject.migrations.0002_groups").create_groups
GROUPS = {
    "Prompt editor": {"chat/override", "chat/figures", "chat/feedback"},
    "Assistant analyst": {"chat/figures", "chat/feedback", "chat/conversation", "chat/trace"},
    "Support": {"auth/user", "accounts/apitoken", "chat/tokenuse", "tables/table", "tables/change"},
    "Operator": {"chat/figures", "chat/turn", "chat/tokenuse", "django_tasks_database/dbtaskresult"},
}


def addresses(patterns: Any, prefix: str = "") -> Iterator[str]:
    """Yield an address for each page of models in the admin."""
    for pattern in patterns:
        route = prefix + str(pattern.pattern)
        if hasattr(pattern, "url_patterns"):
            yield from addresses(pattern.url_patterns, route)
        elif pattern.name and route.count("/") > 1 and not route.startswith(("^", "password")):
            yield re.sub("<str:kind>/<path:name>", "engine/all", route).replace("<str:kind>", "help_topic")


@pytest.mark.parametrize("group", GROUPS)
def test_each_group_sees_the_pages_of_its_role_only(group: str) -> None:
    create_groups(apps, connection.schema_editor())
    staff = User.objects.create(username="sam", is_staff=True)
    staff.groups.add(Group.objects.get(name=group))
    client = Client()
    client.force_login(staff)
    for address in addresses(admin.site.get_urls()):
        page = re.sub("<[^>]+>", "1", address)
        model = "/".join(page.split("/")[:2])
        changes = re.search("^(?!chat/override).*/(add|delete)/$", page) and page != "accounts/apitoken/1/delete/"
        assert (client.get(f"/admin/{page}").status_code != 403) == (model in GROUPS[group] and not changes), page


def test_groups_that_an_administrator_changed_are_left_alone() -> None:
    Group.objects.filter(name="Support").delete()
    Group.objects.create(name="Support")
    create_groups(apps, connection.schema_editor())
    assert not Group.objects.get(name="Support").permissions.exists()


def test_forms_offer_permissions_with_an_effect_only() -> None:
    client = Client()
    client.force_login(User.objects.create_superuser("root"))
    offered = client.get("/admin/auth/group/add/").context["adminform"].form.fields["permissions"]
    names = {label.rpartition("(")[2].rstrip(")"): label for _, label in offered.choices}
    assert "View turns of users: state, errors, tokens and cost" in names["chat.view_turn"]
    assert {"auth.change_user", "chat.tune_assistant", "tables.change_table"} <= names.keys()
    assert not {"admin.view_logentry", "auth.change_group", "chat.view_message", "sessions.view_session"} & names.keys()
    assert len(names) < Permission.objects.count() / 5


def test_only_superusers_change_groups() -> None:
    staff = User.objects.create(username="sam", is_staff=True)
    staff.user_permissions.set(Permission.objects.all())
    client = Client()
    client.force_login(staff)
    assert client.get("/admin/auth/group/").status_code == 403
