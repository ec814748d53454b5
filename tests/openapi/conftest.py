"""Fixtures: the OpenAPI document as a file, the programs that read it, and a user's token."""
from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from accounts.tokens import create_token
from chatproject.openapi.document import document
from shared import strictjson
from tests.openapi import node_tools


@pytest.fixture(scope="session")
def tools() -> Path:
    """Return the folder with the programs from npm."""
    return node_tools.install()


@pytest.fixture
def openapi_file(tmp_path: Path) -> Path:
    """Return the path of the OpenAPI document, in a folder of its own."""
    path = tmp_path / "openapi.json"
    path.write_text(strictjson.dumps(document()), encoding="utf-8")
    return path


@pytest.fixture
def token(live_server_url: str) -> str:
    """Return a token with which a client can write."""
    return create_token(user=User.objects.create_user("ada"), name="client", scope="write", now=timezone.now())[1]
