"""What `manage.py dumpdata` writes opens nothing to whoever reads it."""
from __future__ import annotations

import json
from io import StringIO
from typing import Any

from allauth.usersessions.models import UserSession
from django.contrib.auth.models import User
from django.core.management import call_command

from tests.conftest import Api
from tests.tables.shared_table import invite_by_link, make_table

PASSWORD, KEY = "correct horse battery", "sk-ant-a-key-of-the-provider"


def dumped(*labels: str) -> str:
    out = StringIO()
    call_command("dumpdata", *labels, stdout=out)
    return out.getvalue()


def test_no_secret_is_in_it(api: Api, user: User, settings: Any) -> None:
    settings.ANTHROPIC_API_KEY = settings.METRICS_TOKEN = KEY
    user.set_password(PASSWORD)
    user.save()
    api.client.login(username="ada", password=PASSWORD)
    table = make_table(api)
    token = api.post("/api/tokens/", {"name": "Nightly", "scope": "write"}).json()["token"]
    ways = [api.post(f"{table}link/").json()["url"], invite_by_link(api, table)]
    secrets = [PASSWORD, KEY, settings.SECRET_KEY, token, *(way.split("/")[-2] for way in ways)]
    secrets += [session.session_key for session in UserSession.objects.all()]
    assert len(secrets) > 6
    written = dumped()
    assert [secret for secret in secrets if secret in written] == []
    assert {"auth.user", "accounts.apitoken", "tables.row", "tables.readonlylink"} <= {
        each["model"] for each in json.loads(written)
    }


def test_sessions_are_not_in_it_however_it_is_asked_for_them(api: Api) -> None:
    assert json.loads(dumped("sessions", "usersessions.UserSession")) == []
