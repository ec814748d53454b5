"""Finds a model server on this machine, such as Ollama, for a hint of `manage.py start`."""

from __future__ import annotations

import http.client
import json
import re
from typing import Any
from urllib.parse import urlsplit

OLLAMA_URL = "http://127.0.0.1:11434"
TIMEOUT_SECONDS = 0.3
MAX_BYTES = 1_000_000
# Names that need no quotes in a shell.
MODEL_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/-]{0,199}")


def local_models(url: str = OLLAMA_URL) -> list[str] | None:
    """Return the names of the models of the server, None if no server responds in time."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=TIMEOUT_SECONDS)
    try:
        connection.request("GET", "/api/tags")
        response = connection.getresponse()
        body = json.loads(response.read(MAX_BYTES)) if response.status == 200 else None
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        connection.close()
    return _names(body["models"]) if isinstance(body, dict) and isinstance(body.get("models"), list) else None


def hint(url: str = OLLAMA_URL) -> str:
    """Return a line with instructions for using the server, "" if there is none."""
    models = local_models(url)
    if models is None:
        return ""
    if not models:
        return f"A model server without models runs at {url}. To install a model: ollama pull qwen3"
    return f"To use a local model: ANTHROPIC_BASE_URL={url} CHAT_MODEL={models[0]} python3 manage.py start"


def _names(models: list[Any]) -> list[str]:
    names = [str(model.get("name")) for model in models if isinstance(model, dict)]
    return [name for name in names if MODEL_NAME.fullmatch(name)]
