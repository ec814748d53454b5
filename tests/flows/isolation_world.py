"""A small world with one object of every kind, its owner, and other clients that may try to access it."""
from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from allauth.mfa.models import Authenticator
from django.apps import apps
from django.contrib.auth.models import Permission, User
from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone
from PIL import Image

from accounts.models import ApiToken
from accounts.tokens import create_token
from chat.models import OpenStreamCount
from tables.models import CachedStatistics, ColumnUse
from tables.services.files.thumbnails import create_thumbnail
from tests.conftest import Api
from tests.flows.addresses import UNKNOWN, bodies, route_of
from tests.stored_proposals import rows_proposal
from tests.tables.files.hostile import named
from tests.tables.shared_table import first, invite_by_link, make_table, share
from tests.tables.snapshots import stored_rows

Json = dict[str, Any]
PART = re.compile(r"<(?:\w+:)?(\w+)>")
SCOPES = ("read", "write")
# Models that reading requests write to.
CACHES = (CachedStatistics, ColumnUse, OpenStreamCount)


@dataclass
class World:
    """Objects of ada by the names of URL parameters, a table of grace, and all clients.

    `actors` maps a description to a client, `secrets` has ada's tokens by scope, `operations` the API's URLs by name
    with their methods, once they have been asked for, and `stored` the snapshot at the start of each test.
    """

    ada: Api
    ids: Json
    graces: Json
    actors: dict[str, Client]
    secrets: dict[str, str]
    operations: list[tuple[str, str]] = field(default_factory=list)
    stored: dict[str, list[Any]] = field(default_factory=dict)

    def request(self, actor: str, name: str, method: str, *, ids: Json) -> HttpResponse:
        """Return the response to this actor for a URL about these ids; missing ids are replaced by unknown ones."""
        path = "/" + PART.sub(lambda part: str({**UNKNOWN, **ids}[part[1]]), route_of(name))
        if method in ("GET", "HEAD", "OPTIONS"):
            return self.actors[actor].generic(method, path)
        body = json.dumps(bodies(name, method=method, ids={**UNKNOWN, **ids}))
        return self.actors[actor].generic(method, path, body, content_type="application/json")

    def snapshot(self) -> dict[str, list[Any]]:
        """Return all rows of the models that hold what users own, to compare before and after."""
        owned = [model for app in ("tables", "chat", "fills") for model in apps.get_app_config(app).get_models()]
        rows = stored_rows(model for model in owned if model not in CACHES)
        return {**rows, "tokens": list(ApiToken.objects.order_by("pk").values_list("pk", "scope", "name"))}


def create_picture(owner: Api, table: str) -> str:
    """Upload a picture of one pixel and create its thumbnail; return the id."""
    content = io.BytesIO()
    Image.new("RGB", (1, 1)).save(content, "PNG")
    file_id = str(owner.client.post(f"{table}files/", {"file": named("a.png", content.getvalue())}).json()["id"])
    create_thumbnail(file_id)
    return file_id


def make_standing_fill(owner: Api, table: str) -> str:
    """Add a column, set up a fill of it, and store the fill; return its id."""
    owner.post(f"{table}columns/", {"name": "Note", "type": "text"})
    body = {**bodies("api_fills", method="POST", ids=UNKNOWN), "columns": ["Note"]}
    fill_id = str(owner.post(f"{table}fills/", body).json()["id"])
    assert owner.post(f"{table}standing-fills/", {"fill": fill_id}).status_code == 201
    return fill_id


def make_world() -> World:
    """Create ada, the owner, her members mary (viewer) and edith (editor), and other users."""
    ada, grace, mary, edith = (Api(User.objects.create_user(name)) for name in ("ada", "grace", "mary", "edith"))
    boss = Api(User.objects.create_user("boss", is_staff=True))
    edda = Api(User.objects.create_user("edda", is_staff=True))
    edda.user.user_permissions.add(Permission.objects.get(codename="tune_assistant"))
    table, graces = make_table(ada), make_table(grace)
    # A change that editors can undo, unlike the creation.
    rows = ada.get(f"{table}rows/").json()["rows"]
    ada.patch(f"{table}rows/", {"rows": [{"id": row["id"], "data": {"Salary": 11}} for row in rows]})
    share(ada, table, mary, role="viewer")
    share(ada, table, edith, role="editor")
    share(ada, table, Api(User.objects.create_user("max")), role="viewer")
    invite_by_link(ada, table)
    table_id = int(table.split("/")[3])
    payload = rows_proposal(ada.user, {"action": "add", "data": {"Company": "Crux"}}, table_id=table_id)
    tokens = {scope: create_token(user=ada.user, name=scope, now=timezone.now(), scope=scope) for scope in SCOPES}
    foreign = create_token(user=grace.user, name="write", now=timezone.now(), scope="write")
    return World(
        ada=ada,
        ids={
            **{f"{key}_id": value for key, value in first(ada, table).items()},
            "table_id": table_id,
            "token_id": tokens["read"][0].pk,
            "name": "max", "page": "table_view",
            "invitation_id": ada.get(f"{table}members/").json()["invitations"][0]["id"],
            "file_id": create_picture(ada, table),
            "import_id": ada.post("/api/imports/", {"text": "Company\nCrux\n"}).json()["id"],
            "fill_id": make_standing_fill(ada, table),
            "payload_id": str(payload.pk),
            "conversation_id": str(payload.conversation_id),
            "turn_id": str(payload.turn_id),
            "message_id": str(payload.message_id),
            "pk": Authenticator.objects.create(user=ada.user, type="webauthn", data={"name": "A", "credential": {}}).pk,
        },
        graces={"table_id": int(graces.split("/")[3])},
        actors={
            "anonymous": Client(),
            "other user": grace.client,
            "token of another user": _bearer(foreign[1]),
            "staff without permissions": boss.client,
            "configuration editor": edda.client,
            "viewer": mary.client,
            "editor": edith.client,
            "owner": ada.client,
            "read token": _bearer(tokens["read"][1]),
            "write token": _bearer(tokens["write"][1]),
        },
        secrets={scope: secret for scope, (_, secret) in tokens.items()},
    )


@contextmanager
def rolled_back() -> Iterator[None]:
    """Roll back all changes made in the block."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)




def _bearer(secret: str) -> Client:
    return Client(headers={"Authorization": f"Bearer {secret}"})
