"""The requests in docs/api.md work as written, in their order."""
from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from accounts.tokens import create_token
from tables.api.cell_values import cell_values
from tables.api.filter_operators import filter_operators
from tests.background_worker import work

DOCUMENT = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(?P<language>\w*)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
# A command, and the status of an answer that is an error.
COMMAND = re.compile(r"^curl .*?(?=^curl |\Z)", re.MULTILINE | re.DOTALL)
STATUS = re.compile(r"^# (\d+)$", re.MULTILINE)
SERVER = "http://127.0.0.1:8000"
# Reading the certificate authorities for each request takes longer than most requests.
TLS = httpx2.create_ssl_context()
# Names of ids, by the end of the URL whose first answer has them.
IDS = {
    "/tables/": ("TABLE", "id"), "/rows/": ("ROW", "id"), "/imports/": ("IMPORT", "id"),
    "dry_run=true": ("PLAN", "plan"),
}  # fmt: skip


def test_filter_operators_and_values_are_those_of_the_column_types() -> None:
    assert filter_operators() in DOCUMENT
    assert cell_values() in DOCUMENT


def test_requests_of_the_guide_work_in_order(live_server_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _, secret = create_token(user=User.objects.create_user("ann"), name="docs", scope="write", now=timezone.now())
    monkeypatch.setenv("TOKEN", secret)
    variables, names = {"TOKEN": secret}, dict[str, Any]()
    for language, code in blocks():
        if language:
            exec(compile(code.replace(SERVER, live_server_url), f"docs/api.md: {code[:60]!r}", "exec"), names)
        else:
            for command in COMMAND.findall(code):
                run_curl(command.replace(SERVER, live_server_url), variables=variables)
        if "/run/" in code:
            work()
    assert {"TABLE", "ROW", "PLAN", "CHANGE", "IMPORT", "PAYLOAD"} <= variables.keys()


def blocks() -> Iterator[tuple[str, str]]:
    """Yield the language ("" for the shell) and the code of each block with requests."""
    for block in BLOCK.finditer(DOCUMENT):
        if block["language"] == "python" or block["code"].startswith("curl "):
            yield block["language"], block["code"]


def run_curl(command: str, *, variables: dict[str, str]) -> None:
    """Send the request of a curl command, and add the ids in its answer to the variables."""
    status = STATUS.search(command)
    request = request_of(STATUS.sub("", command), variables=variables)
    if request["url"].partition("?")[0].endswith("/events/"):
        assert events_until_ready(request) == ["change", "ready"]
        return
    answer = httpx2.request(**request, timeout=60, verify=TLS)
    assert (answer.status_code == int(status[1])) if status else answer.is_success, (command, answer.text)
    for ending, (name, field) in IDS.items():
        if request["method"] == "POST" and request["url"].endswith(ending):
            variables.setdefault(name, str(answer.json().get(field, "")))
    if request["url"].endswith("/changes/"):
        variables["CHANGE"] = str(answer.json()["changes"][0]["id"])
    if request["url"].endswith("/chat/stream/"):
        variables["PAYLOAD"] = re.findall(r'"custom_payload":\{"id":"(.*?)"', answer.text)[0]


def events_until_ready(request: dict[str, Any]) -> list[str]:
    """Return the types of the last two events of a stream until it has sent all changes."""
    types: list[str] = []
    with httpx2.stream(**request, timeout=60, verify=TLS) as answer:
        for line in answer.iter_lines():
            if line.startswith("event: "):
                types.append(line[7:])
            if types[-1:] == ["ready"]:
                break
    return types[-2:]


def request_of(command: str, *, variables: dict[str, str]) -> dict[str, Any]:
    """Return the arguments of `httpx2.request` for a curl command."""
    command = re.sub(r"\$([A-Z]+)", lambda name: variables[name[1]], command)
    words = iter(shlex.split(command.replace("\\\n", " "))[1:])
    request: dict[str, Any] = {"method": "", "headers": {}, "params": {}, "data": {}, "files": {}}
    for word in words:
        match word:
            case "-N":
                pass
            case "-G":
                request["method"] = "GET"
            case "-X":
                request["method"] = next(words)
            case "-H":
                name, value = next(words).split(": ", 1)
                request["headers"][name] = value
            case "-d":
                request["content"] = next(words).encode()
            case "--data-urlencode":
                name, value = next(words).split("=", 1)
                request["params"][name] = value
            case "-F":
                name, value = next(words).split("=", 1)
                if value.startswith("@"):
                    request["files"][name] = (value[1:], b"Company,Amount\nEcho,12\n")
                else:
                    request["data"][name] = value
            case address:
                request["url"] = address
    request["method"] = request["method"] or ("POST" if {"content"} & request.keys() or request["files"] else "GET")
    return {name: value for name, value in request.items() if value}
