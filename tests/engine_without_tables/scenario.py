"""Runs the project without the app `tables`, and prints what it did as JSON for `test_without_tables`.

Run in a process of its own, because other tests have imported `tables`.
"""
from __future__ import annotations

import io
import json
import sys
import zipfile
from contextlib import redirect_stdout
from typing import Any
from urllib.parse import urlencode

import django

from chatproject.limits.memory import collect_less_often

Json = dict[str, Any]
CUSTOMERS = ("Adler", "Brandt", "Conrad")
PAGES = (
    "/", "/invoices/", "/profile/", "/profile/delete/", "/nothing/", "/readyz", "/metrics", "/api/schema/",
    "/api/asyncapi/",
)  # fmt: skip
PAGES_OF_ADMIN = ("/admin/", "/admin/chat/override/", "/admin/chat/override/preview/?where=invoices", "/api-explorer/")
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def main() -> None:
    """Check and migrate the project, run a turn that ends with a proposal, and use the rest of the project."""
    # As in manage.py.
    collect_less_often()
    django.setup()
    from django.core.management import call_command

    output = io.StringIO()
    call_command("check", fail_level="WARNING", stdout=output, stderr=output)
    call_command("migrate", interactive=False, verbosity=0)
    report = _run()
    report["imported"] = sorted(name for name in sys.modules if name.split(".")[0] == "tables")
    sys.__stdout__.write(json.dumps(report))  # type: ignore[union-attr]  # this process has one


def _run() -> Json:
    from django.contrib.auth.models import User
    from django.utils import timezone

    from chatproject.retention import delete_expired
    from chatproject.startup.installation import seed
    from chatproject.testing.daphne_thread import DaphneThread
    from chatproject.workers import run_maintenance
    from tests.chat.stream_client import Browser

    admin = seed(big=False, print_line=print)
    user = User.objects.create_user("ada")
    address = DaphneThread().start()
    browser = Browser(address, user)
    report = _proposal(browser, user=user) | {"model_check": _check_model()}
    pages = {path: _get(browser, path) for path in PAGES}
    as_admin = Browser(address, admin)
    pages |= {path: _get(as_admin, path) for path in PAGES_OF_ADMIN}
    report["statuses"] = {path: status for path, (status, _) in pages.items()}
    report["pages"] = {path: body.decode() for path, (_, body) in pages.items()}
    with browser.open("POST", "/profile/data/", b"", **FORM) as stream:
        archive = zipfile.ZipFile(io.BytesIO(stream.response.read()))
    report["archive"] = {name: archive.read(name).decode() for name in archive.namelist()}
    with browser.open("POST", "/profile/delete/", urlencode({"name": "ada"}).encode(), **FORM) as stream:
        report["statuses"]["deletion"] = stream.response.status
    run_maintenance(worker_id="worker", now=timezone.now())
    delete_expired(now=timezone.now(), pause=lambda seconds: None)
    report["users"] = list(User.objects.values_list("username", flat=True))
    return report


def _proposal(browser: Any, *, user: Any) -> Json:
    """Run a turn, and apply and undo a part of its proposal."""
    from chat.turns.model_clients import use_transport
    from tests.chat.stream_client import STREAM, turn_body
    from tests.engine_without_tables.invoices.models import Invoice
    from tests.scripted_model import ScriptedModel, say, use

    numbers = [Invoice.objects.create(owner=user, customer=name).pk for name in CUSTOMERS]
    proposal = f"These are paid.\n\nPAYMENTS: {json.dumps({'invoices': numbers[:2]})}"
    model = ScriptedModel(use(("open_invoices", {})), say(proposal))
    paid = []

    def request(method: str, path: str, body: Any = None) -> Any:
        response = browser.request(method, f"/api/chat/{path}", body)[:2]
        paid.append([invoice.customer for invoice in Invoice.objects.filter(paid=True)])
        return response

    with use_transport(model.transport()):
        body = turn_body("Adler and Brandt have paid", context={"current_page": "invoices"})
        with browser.open("POST", STREAM, body) as stream:
            events = list(stream)
    payload = f"payloads/{events[-1]['payload']['custom_payload']['id']}"
    return {
        "model_requests": model.requests,
        "model_problems": model.problems,
        "events": events,
        "responses": {
            "preview": request("POST", f"{payload}/preview/", {"operations": "all"}),
            "apply": request("POST", f"{payload}/apply/", {"operations": [1]}),
            "undo": request("POST", f"{payload}/undo/", {}),
            "payload types": request("GET", "payload-types/"),
            "conversations": request("GET", "conversations/"),
            "page": request("GET", "pages/invoices/"),
        },
        "paid": paid[:3],
    }


def _check_model() -> Json:
    """Check a capable model."""
    from django.core.management import call_command
    from django.test.utils import override_settings

    from chat.models import ModelCheck
    from chat.turns.model_clients import use_transport
    from tests.capable_model import capable_model
    from tests.local_servers import LocalServer

    server = LocalServer("llama_cpp")
    server.add(*[capable_model(server)] * 10)
    with use_transport(server.transport()), override_settings(ANTHROPIC_BASE_URL="http://127.0.0.1:8080"):
        call_command("check_model")
    return {"findings": ModelCheck.objects.get().findings, "requests": server.requests}


def _get(browser: Any, path: str) -> tuple[int, bytes]:
    with browser.open("GET", path) as stream:
        return stream.response.status, stream.response.read()


if __name__ == "__main__":
    # Only the report is on the standard output.
    with redirect_stdout(sys.stderr):
        main()
