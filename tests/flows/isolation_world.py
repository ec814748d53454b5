"""A small world with one of everything that belongs to somebody, and everybody who might try to get at it."""
from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from allauth.mfa.models import Authenticator
from django.apps import apps
from django.contrib.auth.models import Permission, User
from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from accounts.models import ApiToken
from accounts.tokens import make_token
from chat.models import OpenStreamCount
from tables.models import CachedStatistics, ColumnUse
from tests.conftest import Api
from tests.flows.addresses import UNKNOWN, bodies, route_of
from tests.stored_proposals import rows_proposal
from tests.tables.shared_table import first, invite_by_link, make_table, share
from tests.tables.snapshots import stored_rows

Json = dict[str, Any]
PART = re.compile(r"<(?:\w+:)?(\w+)>")
SCOPES = ("read", "write")
# Models that requests for reading write to.
CACHES = (CachedStatistics, ColumnUse, OpenStreamCount)


@dataclass
class World:
    """What ada owns, by the names addresses have for its parts; grace's own table; and who might try.

    `actors` holds a client for each kind of person or program, `secrets` those of ada's tokens, by scope.
    """

    ada: Api
    ids: Json
    graces: Json
    actors: dict[str, Client]
    secrets: dict[str, str]

    def ask(self, who: str, name: str, method: str, *, ids: Json) -> HttpResponse:
        """What this actor is answered at an address about these ids; parts that are not given are nobody's."""
        path = "/" + PART.sub(lambda part: str({**UNKNOWN, **ids}[part[1]]), route_of(name))
        if method in ("GET", "HEAD", "OPTIONS"):
            return self.actors[who].generic(method, path)
        body = json.dumps(bodies(name, method=method, ids={**UNKNOWN, **ids}))
        return self.actors[who].generic(method, path, body, content_type="application/json")

    def picture(self) -> dict[str, list[Any]]:
        """Return all rows of the models that hold what users own, to compare before and after."""
        owned = [*apps.get_app_config("tables").get_models(), *apps.get_app_config("chat").get_models()]
        rows = stored_rows(model for model in owned if model not in CACHES)
        return {**rows, "tokens": list(ApiToken.objects.order_by("pk").values_list("pk", "scope", "name"))}


def make_world() -> World:
    """ada, who owns things, her members mary (viewer) and edith (editor), and others who are none."""
    ada, grace, mary, edith = (Api(User.objects.create_user(name)) for name in ("ada", "grace", "mary", "edith"))
    boss = Api(User.objects.create_user("boss", is_staff=True))
    edda = Api(User.objects.create_user("edda", is_staff=True))
    edda.user.user_permissions.add(Permission.objects.get(codename="tune_assistant"))
    table, graces = make_table(ada), make_table(grace)
    share(ada, table, mary, role="viewer")
    share(ada, table, edith, role="editor")
    share(ada, table, Api(User.objects.create_user("max")), role="viewer")
    invite_by_link(ada, table)
    table_id = int(table.split("/")[3])
    payload = rows_proposal(ada.user, {"action": "add", "data": {"Company": "Crux"}}, table_id=table_id)
    tokens = {scope: make_token(user=ada.user, name=scope, now=timezone.now(), scope=scope) for scope in SCOPES}
    foreign = make_token(user=grace.user, name="write", now=timezone.now(), scope="write")
    return World(
        ada=ada,
        ids={
            **{f"{key}_id": value for key, value in first(ada, table).items()},
            "table_id": table_id,
            "token_id": tokens["read"][0].pk,
            "name": "max",
            "page": "table_view",
            "invitation_id": ada.get(f"{table}members/").json()["invitations"][0]["id"],
            "import_id": ada.post("/api/imports/", {"text": "Company\nCrux\n"}).json()["id"],
            "payload_id": str(payload.pk),
            "conversation_id": str(payload.conversation_id),
            "turn_id": str(payload.turn_id),
            "message_id": str(payload.message_id),
            "pk": Authenticator.objects.create(
                user=ada.user, type="webauthn", data={"name": "Laptop", "credential": {}}
            ).pk,
        },
        graces={"table_id": int(graces.split("/")[3])},
        actors={
            "nobody": Client(),
            "another person": grace.client,
            "another person's token": _bearer(foreign[1]),
            "staff without rights": boss.client,
            "who tunes the assistant": edda.client,
            "a viewer": mary.client,
            "an editor": edith.client,
            "the owner": ada.client,
            "a token for reading": _bearer(tokens["read"][1]),
            "a token for writing": _bearer(tokens["write"][1]),
        },
        secrets={scope: secret for scope, (_, secret) in tokens.items()},
    )


@contextmanager
def taken_back() -> Iterator[None]:
    """What happens here never happened."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)




def _bearer(secret: str) -> Client:
    return Client(headers={"Authorization": f"Bearer {secret}"})
