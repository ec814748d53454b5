"""Who comes to the pages of the configuration."""
from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client


@pytest.fixture
def editor(db: None) -> Client:
    """Staff who may tune the assistant, and nothing else."""
    person = User.objects.create(username="edda", is_staff=True)
    person.user_permissions.add(Permission.objects.get(codename="tune_assistant"))
    client = Client()
    client.force_login(person)
    return client
