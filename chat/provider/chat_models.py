"""Parsing of `CHAT_MODELS`, the list of models to choose from. Settings are not imported, because they use it."""
from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any
from urllib.parse import urlsplit

from chat.agent.client.server_features import is_anthropic
from shared import strictjson

Json = dict[str, Any]
Headers = tuple[tuple[str, str], ...]

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}")
VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{0,99}")
# RFC 9110: the name of a header is a token, and its value has no control characters.
HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
HEADERS_VARIABLE = "ANTHROPIC_CUSTOM_HEADERS"
FIELDS = ("name", "label", "model", "url", "key", "headers", "price_input", "price_output", "price_cached", "batches")
MAX_MODELS, MAX_LABEL_LENGTH, MAX_MODEL_LENGTH = 20, 60, 200


@dataclass(frozen=True)
class Prices:
    """US dollars per million tokens."""

    input: Decimal
    output: Decimal
    cached: Decimal | None = None


@dataclass(frozen=True)
class ChatModel:
    """A model. `name` is its id here, `label` the name for users, and `model` its name at the server `base_url`.

    `batches` declares whether the server has the Message Batches API; None for the default: only Anthropic's has it.
    """

    name: str
    label: str
    model: str
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    prices: Prices | None = None
    headers: Headers = field(default=(), repr=False)
    batches: bool | None = None

    @property
    def has_batches(self) -> bool:
        """Whether calls can be sent in batches."""
        return is_anthropic(self.base_url) if self.batches is None else self.batches

    @property
    def server(self) -> str:
        """The URL of the server without password and path, for display."""
        parts = urlsplit(self.base_url or "https://api.anthropic.com")
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or ""
        return f"{parts.scheme}://{host}" + (f":{parts.port}" if parts.port else "")


def read_chat_models(text: str, *, variable: Callable[[str], str]) -> tuple[ChatModel, ...]:
    """Return the models of a JSON list; `variable` returns an environment variable, "" for one that is not set.

    Raises ValueError with the path of the field, and without values, which could be keys.
    """
    if not text:
        return ()
    try:
        entries = strictjson.loads(text.encode())
    except strictjson.StrictJsonError as error:
        raise ValueError(f"not valid JSON: {error.detail}") from None
    if not isinstance(entries, list) or not 0 < len(entries) <= MAX_MODELS:
        raise ValueError(f"must be a list of 1 to {MAX_MODELS} models")
    models = tuple(_read(entry, path=f"[{index}]", variable=variable) for index, entry in enumerate(entries))
    names = [model.name for model in models]
    double = next((name for name in names if names.count(name) > 1), "")
    if double:
        raise ValueError(f"two models have the name {double!r}")
    return models


def _read(entry: Any, *, path: str, variable: Callable[[str], str]) -> ChatModel:
    if not isinstance(entry, dict):
        raise ValueError(f"{path}: must be an object")
    unknown = next((name for name in entry if name not in FIELDS), "")
    if unknown:
        raise ValueError(f"{path}: unknown key {unknown[:40]!r}; the keys are {', '.join(FIELDS)}")
    model = _text(entry, "model", path=path, max_length=MAX_MODEL_LENGTH)
    if not model:
        raise ValueError(f"{path}.model: must be the name of the model on the server")
    name = _text(entry, "name", path=path, max_length=64) or model
    if not NAME.fullmatch(name):
        raise ValueError(f"{path}.name: must be up to 64 letters, digits and . _ : / -")
    url = _url(entry, path=path)
    base_url = url or variable("ANTHROPIC_BASE_URL")
    # The default key belongs to the default server, and must not be sent to another one.
    key_name = _text(entry, "key", path=path, max_length=1_000) or ("" if url else "ANTHROPIC_API_KEY")
    if key_name and not VARIABLE.fullmatch(key_name):
        raise ValueError(f"{path}.key: must be the name of an environment variable, such as OTHER_API_KEY")
    key = variable(key_name) if key_name else ""
    if not key and (is_anthropic(base_url) or "key" in entry):
        raise ValueError(f"{path}: {key_name + ' is not set' if key_name else 'key is required'}")
    label = _text(entry, "label", path=path, max_length=MAX_LABEL_LENGTH) or name
    headers, batches = _headers(entry, path=path, url=url, variable=variable), entry.get("batches")
    if "batches" in entry and not isinstance(batches, bool):
        raise ValueError(f"{path}.batches: must be true or false")
    return ChatModel(name, label, model, base_url, key, _prices(entry, path=path), headers, batches)


def read_headers(text: str) -> Headers:
    """Return the headers of a text with one `Name: value` per line, the format of ANTHROPIC_CUSTOM_HEADERS.

    Raises ValueError without values, which could be secrets.
    """
    headers = []
    for number, line in enumerate(text.split("\n"), start=1):
        name, colon, value = (part.strip() for part in line.partition(":"))
        if not line.strip():
            continue
        if not colon or not HEADER_NAME.fullmatch(name) or not (value.isascii() and value.isprintable()):
            raise ValueError(f"line {number} must have the form “Name: value”, in ASCII")
        headers.append((name, value))
    return tuple(headers)


def _headers(entry: Json, *, path: str, url: str, variable: Callable[[str], str]) -> Headers:
    """Return the headers for the model's server. Like the key, the default ones are for the default server only."""
    name = _text(entry, "headers", path=path, max_length=1_000)
    if name and not VARIABLE.fullmatch(name):
        raise ValueError(f"{path}.headers: must be the name of an environment variable, such as OTHER_HEADERS")
    if name and not variable(name):
        raise ValueError(f"{path}.headers: {name} is not set")
    name = name or ("" if url else HEADERS_VARIABLE)
    try:
        return read_headers(variable(name)) if name else ()
    except ValueError as error:
        raise ValueError(f"{path}.headers: {name}: {error}") from None


def _text(entry: Json, name: str, *, path: str, max_length: int) -> str:
    value = entry.get(name, "")
    if not isinstance(value, str) or len(value) > max_length or not value.isprintable():
        raise ValueError(f"{path}.{name}: must be a text of up to {max_length} characters")
    return value.strip()


def _url(entry: Json, *, path: str) -> str:
    url = _text(entry, "url", path=path, max_length=500)
    try:
        parts = urlsplit(url)
        fits = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        fits = False
    if url and not fits:
        raise ValueError(f"{path}.url: must be a URL that starts with http:// or https://")
    return url


def _prices(entry: Json, *, path: str) -> Prices | None:
    given = {name: _amount(entry, name, path=path) for name in FIELDS if name.startswith("price_") and name in entry}
    if not given:
        return None
    if "price_input" not in given or "price_output" not in given:
        raise ValueError(f"{path}: set both price_input and price_output, or neither")
    return Prices(given["price_input"], given["price_output"], given.get("price_cached"))


def _amount(entry: Json, name: str, *, path: str) -> Decimal:
    value = entry[name]
    try:
        amount = Decimal(str(value)) if not isinstance(value, bool) else Decimal("NaN")
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite() or amount < 0:
        raise ValueError(f"{path}.{name}: must be a number such as 3 or 0.30")
    return amount
