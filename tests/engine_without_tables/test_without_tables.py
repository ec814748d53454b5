"""The engine, accounts and the project run in a project that does not have the app `tables`."""
from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import Any

import pytest

from tests.architecture.tree import ROOT
from tests.engine_without_tables.words import WORDS_OF_TABLES

# SQL is the same on both databases; other tests run it on PostgreSQL.
pytestmark = [pytest.mark.slow, pytest.mark.sqlite_only]

Json = dict[str, Any]
# Until a process that does not end fails the test.
TIMEOUT = 300.0  # seconds
# The admin has layouts with HTML tables.
TAG = re.compile(r"<[^>]*>")
# Random letters, which may spell any word.
CSRF_TOKEN = re.compile(r'(?<=name="csrfmiddlewaretoken" value=")[^"]+')


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Json:
    """Return the report of the project, which ran in a separate process."""
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "tests.engine_without_tables.settings",
        "DATA_DIR": str(tmp_path_factory.mktemp("data")),
    }
    command = [sys.executable, "-m", "tests.engine_without_tables.scenario"]
    result = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=TIMEOUT, check=False
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_proposal_is_applied_in_part_and_undone(report: Json) -> None:
    assert report["model_problems"] == []
    (tool,) = report["events"][-1]["payload"]["tool_history"]
    assert tool["output"] == "1 Adler\n2 Brandt\n3 Conrad"
    (_, preview), (_, applied), (_, undone) = (report["responses"][name] for name in ("preview", "apply", "undo"))
    assert [item["label"] for item in preview["operations"]] == ["Adler", "Brandt"]
    assert (applied["status"], undone["status"]) == ("partially_applied", "undone")
    # After the preview, the apply and the undo.
    assert report["paid"] == [[], ["Brandt"], []]


def test_capable_model_passes_the_check(report: Json) -> None:
    works = {finding["name"]: finding["works"] for finding in report["model_check"]["findings"]}
    assert (works["Proposals"], set(works.values())) == (True, {True})


def test_all_pages_of_the_project_are_served(report: Json) -> None:
    assert {path: status for path, status in report["statuses"].items() if status != 200} == {
        "/": 302,
        "/nothing/": 404,
    }
    assert '<chat-tray data-page="invoices"' in report["pages"]["/invoices/"]


def test_name_of_the_site_is_that_of_the_settings(report: Json) -> None:
    assert "· Invoices</title>" in report["pages"]["/invoices/"]
    assert "· Invoices</title>" in report["pages"]["/admin/"]
    assert json.loads(report["pages"]["/api/schema/"])["info"]["title"] == "Invoices"


def test_user_can_export_data_and_delete_the_account(report: Json) -> None:
    assert set(report["archive"]) == {"README.txt", "profile.json", "conversations.json", "invoices.json"}
    invoices = json.loads(report["archive"]["invoices.json"])
    assert [invoice["customer"] for invoice in invoices] == ["Adler", "Brandt", "Conrad"]
    assert "your invoices" in report["archive"]["README.txt"]
    assert report["users"] == ["admin"]


def test_tables_are_never_imported(report: Json) -> None:
    assert report["imported"] == []


def test_no_text_is_about_tables(report: Json) -> None:
    parts = ("model_requests", "events", "responses", "archive", "model_check")
    texts = {name: json.dumps(report[name]) for name in parts}
    texts |= {path: report["pages"][path] for path in ("/invoices/", "/profile/", "/profile/delete/", "/nothing/")}
    texts |= {path: TAG.sub("", report["pages"][path]) for path in report["pages"] if path.startswith("/admin/chat/")}
    texts |= {path: report["pages"][path] for path in ("/api-explorer/", "/api/schema/", "/api/asyncapi/")}
    texts = {name: CSRF_TOKEN.sub("", text) for name, text in texts.items()}

    assert {name: found for name, text in texts.items() if (found := WORDS_OF_TABLES.findall(text))} == {}
