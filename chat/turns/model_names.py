"""Names of models: the list of their server, where the server can list models, and checks against it."""
from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from hashlib import sha256
from typing import NamedTuple

from asgiref.sync import async_to_sync
from django.core.cache import cache

from chat.agent.clock import SystemClock
from chat.catalogue import Engine
from chat.configuration import KINDS
from chat.json_schema import SchemaFault
from chat.provider.configured import DEMO_MODEL, local_model, model_named, models
from chat.services.configuration.changes import Edit
from chat.turns.model_clients import make_client

MAX_NEAREST = 3
# Seconds for which the list of a server, and its failure to send one, are cached.
CACHED_SECONDS, FAILURE_SECONDS = 600, 60


class ModelNameCheck(NamedTuple):
    """Faults with the path of their field, and warnings about names that could not be checked."""

    faults: tuple[SchemaFault, ...] = ()
    warnings: tuple[str, ...] = ()


def check_model_names(edits: Iterable[Edit], *, engine: Engine) -> ModelNameCheck:
    """Check the models that the edits select, with up to two requests for each. Names in CHAT_MODELS are not checked,
    because edits with others are refused anyway."""
    named = [
        (f"{edit.address.name}.{name}", value)
        for edit in edits
        if edit.address.kind in KINDS
        for name, value in edit.values.items()
        if (field := KINDS[edit.address.kind].field(name)) is not None and field.form == "model"
        if isinstance(value, str) and value
    ]
    if models() or not named:
        return ModelNameCheck()
    results = {name: _result(name, engine=engine) for name in dict.fromkeys(value for _, value in named)}
    return ModelNameCheck(
        faults=tuple(SchemaFault(path, "invalid", results[name][0]) for path, name in named if results[name][0]),
        warnings=tuple(warning for _, warning in results.values() if warning),
    )


def listed_models(engine: Engine) -> list[str]:
    """Return the models of the default model's server, [] if it cannot list them. May send a request."""
    if models() or local_model():
        return []
    server = model_named(engine.model).server
    key = f"models-{sha256(server.encode()).hexdigest()}"
    names: list[str] | None = cache.get(key)
    if names is None:
        names = async_to_sync(_listed)(engine.model, engine=engine) or []
        cache.set(key, names, CACHED_SECONDS if names else FAILURE_SECONDS)
    return names


def _result(name: str, *, engine: Engine) -> tuple[str, str]:
    """Return the fault or the warning about a name, "" for none."""
    if local_model():
        who = "demo model" if local_model() == DEMO_MODEL else "script"
        return "", f"The model “{name[:64]}” could not be checked, because the {who} answers."
    model = model_named(name)
    listed = async_to_sync(_listed)(name, engine=engine)
    if listed is None:
        return "", f"The model “{name[:64]}” could not be checked: {model.server} does not list its models."
    if name in listed:
        return "", ""
    nearest = get_close_matches(name, listed, n=MAX_NEAREST, cutoff=0.3) or listed[:MAX_NEAREST]
    return f"{model.server} has no model “{name[:64]}”. It has, for example: {', '.join(nearest)}.", ""


async def _listed(name: str, *, engine: Engine) -> list[str] | None:
    """Return the models of the server, with this name if it is another name of one; None if it cannot list them."""
    client = make_client(model_named(name), engine=engine, clock=SystemClock())
    try:
        return await client.list_models()
    finally:
        await client.aclose()
