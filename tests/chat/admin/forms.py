"""The form of an entry, filled in as its page shows it."""
from __future__ import annotations

from typing import Any

from django.test import Client

from chat.selectors.configuration.catalogue import current_version


def filled(client: Client, address: str, **fields: Any) -> dict[str, Any]:
    """Return what a browser submits from the entry's page, with these fields changed."""
    form = client.get(address).context["fields"]
    values = {box["name"]: box["text"] for box in form if box["field"].form not in {"flag", "names"}}
    values |= {box["name"]: "on" for box in form if box["field"].form == "flag" and box["value"]}
    values |= {box["name"]: box["value"] for box in form if box["field"].form == "names"}
    return {**values, "seen": current_version(), **fields}
