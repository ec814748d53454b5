"""Users of the pages of the configuration."""
from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from tests.chat.admin.editors import Editor, staff


@pytest.fixture
def editor(db: None) -> Client:
    """Staff who may tune the assistant, and nothing else."""
    person = User.objects.create(username="edda", is_staff=True)
    person.user_permissions.add(Permission.objects.get(codename="tune_assistant"))
    client = Client()
    client.force_login(person)
    return client


@pytest.fixture
def edda(live_server_url: str) -> Editor:
    """May tune the assistant, and nothing else."""
    return Editor(live_server_url, staff("edda", "tune_assistant"))


@pytest.fixture
def vera(live_server_url: str) -> Editor:
    """May also preview with the tables of other users."""
    return Editor(live_server_url, staff("vera", "tune_assistant", "view_any_table"))


@pytest.fixture
def recipes(user: User, api: Any) -> int:
    """A table of ada's."""
    table = api.post("/api/tables/", {"name": "Secret recipes", "columns": [{"name": "Dish", "type": "text"}]}).json()
    return int(table["id"])
