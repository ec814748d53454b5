"""Users of the pages of the configuration."""
from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from tests.chat.admin.editors import Editor, staff


@pytest.fixture
def editor(db: None) -> Client:
    """A staff user who may configure the assistant, without other permissions."""
    user = User.objects.create(username="edda", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="tune_assistant"))
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def edda(live_server_url: str) -> Editor:
    """An editor with the permission to configure the assistant only."""
    return Editor(live_server_url, staff("edda", "tune_assistant"))


@pytest.fixture
def vera(live_server_url: str) -> Editor:
    """An editor who may also preview with the tables of other users."""
    return Editor(live_server_url, staff("vera", "tune_assistant", "view_any_table"))


@pytest.fixture
def recipes(user: User, api: Any) -> int:
    """A table of ada."""
    table = api.post("/api/tables/", {"name": "Secret recipes", "columns": [{"name": "Dish", "type": "text"}]}).json()
    return int(table["id"])
