"""The form of an entry, filled in as its page shows it."""
from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.test import Client

from chat.selectors.configuration.catalogue import current_version


def filled(client: Client, address: str, **fields: Any) -> dict[str, Any]:
    """Return what a browser submits from the entry's page, with these fields changed."""
    form = client.get(address).context["fields"]
    values = {box["name"]: box["text"] for box in form if box["field"].form not in {"flag", "names"}}
    values |= {box["name"]: "on" for box in form if box["field"].form == "flag" and box["value"]}
    values |= {box["name"]: box["value"] for box in form if box["field"].form == "names"}
    return {**values, "seen": current_version(), **fields}


def confirmed(client: Client, page: HttpResponse, **other: Any) -> HttpResponse:
    """Confirm what the page asks about, as its form does."""
    assert page.status_code in {200, 409}
    shown = page.context
    form: dict[str, Any] = {"shown": shown["shown"], "why": shown["why"], "confirm": shown["button"]}
    for name, value in shown["fields"]:
        form.setdefault(name, []).append(value)
    return client.post(page.request["PATH_INFO"], {**form, **other})
