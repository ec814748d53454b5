"""Run in a process of its own, on a database of its own: `before` puts an earlier release's data there, as that release
wrote it; `after` is what people then do at the doors of this one, and prints what they see.

The data: a table with a changed row, a proposal for its rows and one for its columns that wait, and a conversation
whose last answer broke off with the process that gave it.
"""
from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "chatproject.settings")
DATA = Path(__file__).resolve().parents[1] / "data" / "before_upgrade.json"
Json = dict[str, Any]


def before() -> None:
    """The state of its migrations, and its rows, which know nothing of today's models."""
    from django.core.management.color import no_style
    from django.db import connection, transaction
    from django.db.migrations.executor import MigrationExecutor

    kept = json.loads(DATA.read_text())
    executor = MigrationExecutor(connection)
    apps = executor.migrate([*kept["made_at"].items()]).apps
    with transaction.atomic():
        for row in kept["rows"]:
            model = apps.get_model(row["model"])
            values = {field.attname: field.to_python(row["fields"].get(field.name)) for field in model._meta.fields}
            made = model(**{**values, "pk": model._meta.pk.to_python(row["pk"])})
            made.save_base(raw=True, force_insert=True)
    models = [apps.get_model(label) for label in {row["model"] for row in kept["rows"]}]
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), models):
            cursor.execute(statement)


def after() -> Json:
    """Migrate, then apply and undo each pending proposal; return the rows seen in between and the conversation."""
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from django.test import Client

    from chat.models import Conversation, Payload

    call_command("migrate", verbosity=0)
    ada = Client(HTTP_HOST="127.0.0.1")
    ada.force_login(User.objects.get(username="ada"))
    report: Json = {"proposals": {}}

    def ask(method: str, path: str, body: Json | None = None) -> Any:
        answer = getattr(ada, method)(path, body, **({} if method == "get" else {"content_type": "application/json"}))
        assert answer.status_code < 300, (path, answer.status_code, answer.content)
        return answer.json()

    def table(address: str) -> Json:
        columns = [{"name": each["name"], "type": each["type"]} for each in ask("get", address)["columns"]]
        rows = [[row["id"], row["data"]] for row in ask("get", f"{address}rows/")["rows"]]
        return {"columns": columns, "rows": rows}

    for payload in Payload.objects.filter(status="pending").order_by("created_at"):
        address, door = f"/api/tables/{payload.subject_id}/", f"/api/chat/payloads/{payload.pk}/"
        seen = {"before": table(address)}
        change = ask("post", f"{door}apply/", {"operations": "all"})["outcome"]["change"]
        seen["applied"] = table(address)
        ask("post", f"{address}changes/{change}/undo/")
        seen["undone"] = table(address)
        report["proposals"][payload.type] = seen
    talk = Conversation.objects.get(page="tables_list")
    report["conversation"] = ask("get", f"/api/chat/conversations/{talk.pk}/messages/")
    return report


if __name__ == "__main__":
    django.setup()
    if sys.argv[1:] == ["before"]:
        before()
    else:
        print(json.dumps(after()))
