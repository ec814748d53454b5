"""A model server on this machine, as Ollama runs one: found by `start`, which says how to use it."""

from __future__ import annotations

import http.client
import json
import re
from typing import Any
from urllib.parse import urlsplit

OLLAMA = "http://127.0.0.1:11434"
SECONDS = 0.3
MAX_BYTES = 1_000_000
# Names that a command line takes without quotes.
MODEL_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/-]{0,199}")


def local_models(address: str = OLLAMA) -> list[str] | None:
    """Return the names of the models that the server has, None where no server answers in time."""
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=SECONDS)
    try:
        connection.request("GET", "/api/tags")
        response = connection.getresponse()
        body = json.loads(response.read(MAX_BYTES)) if response.status == 200 else None
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        connection.close()
    return _names(body["models"]) if isinstance(body, dict) and isinstance(body.get("models"), list) else None


def hint(address: str = OLLAMA) -> str:
    """Return one line that says how to use the server, "" where there is none."""
    models = local_models(address)
    if models is None:
        return ""
    if not models:
        return f"A model server without models runs at {address}. To install a model: ollama pull qwen3"
    return f"To use a local model: ANTHROPIC_BASE_URL={address} CHAT_MODEL={models[0]} python3 manage.py start"


def _names(models: list[Any]) -> list[str]:
    names = [str(model.get("name")) for model in models if isinstance(model, dict)]
    return [name for name in names if MODEL_NAME.fullmatch(name)]
