"""`manage.py dumpdata` leaves out secrets and sessions."""
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


def dump(*labels: str) -> str:
    out = StringIO()
    call_command("dumpdata", *labels, stdout=out)
    return out.getvalue()


def test_a_dump_contains_no_secrets(api: Api, user: User, settings: Any) -> None:
    settings.ANTHROPIC_API_KEY = settings.METRICS_TOKEN = KEY
    user.set_password(PASSWORD)
    user.save()
    api.client.login(username="ada", password=PASSWORD)
    table = make_table(api)
    token = api.post("/api/tokens/", {"name": "Nightly", "scope": "write"}).json()["token"]
    urls = [api.post(f"{table}link/").json()["url"], invite_by_link(api, table)]
    secrets = [PASSWORD, KEY, settings.SECRET_KEY, token, *(url.split("/")[-2] for url in urls)]
    secrets += [session.session_key for session in UserSession.objects.all()]
    assert len(secrets) > 6
    output = dump()
    assert [secret for secret in secrets if secret in output] == []
    assert {"auth.user", "accounts.apitoken", "tables.row", "tables.readonlylink"} <= {
        entry["model"] for entry in json.loads(output)
    }


def test_sessions_are_left_out_even_when_requested(api: Api) -> None:
    assert json.loads(dump("sessions", "usersessions.UserSession")) == []
