"""The requests in docs/api.md work as written, in their order."""
from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import httpx2
from django.contrib.auth.models import User
from django.utils import timezone

from accounts.tokens import create_token
from tables.api.filter_operators import filter_operators

DOCUMENT = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```\n(curl .*?)^```$", re.MULTILINE | re.DOTALL)
SERVER = "http://127.0.0.1:8000"


def commands() -> list[str]:
    blocks = "\n".join(BLOCK.findall(DOCUMENT))
    return [command for command in re.split(r"^(?=curl )", blocks, flags=re.MULTILINE) if command]


def request_of(command: str, *, variables: dict[str, str]) -> dict[str, Any]:
    """Return the arguments of `httpx2.request` for a curl command."""
    for name, value in variables.items():
        command = command.replace(f"${name}", value)
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


def test_filter_operators_are_those_of_the_column_types() -> None:
    assert filter_operators() in DOCUMENT


def test_requests_of_the_document_work_in_order(live_server_url: str) -> None:
    _, secret = create_token(user=User.objects.create_user("ann"), name="docs", scope="write", now=timezone.now())
    variables = {"TOKEN": secret}
    for command in commands():
        request = request_of(command.replace(SERVER, live_server_url), variables=variables)
        answer = httpx2.request(**request, timeout=60)
        assert answer.is_success, (command, answer.text)
        if request["url"].endswith("/stream/"):
            assert '"type":"complete"' in answer.text
        elif request["url"].endswith("/tables/"):
            variables["TABLE"] = str(answer.json()["id"])
        elif request["url"].endswith("/changes/"):
            variables["CHANGE"] = str(answer.json()["changes"][0]["id"])
        elif request["url"].endswith("/imports/"):
            variables["IMPORT"] = str(answer.json()["id"])
    assert {"TABLE", "CHANGE", "IMPORT"} <= variables.keys()
