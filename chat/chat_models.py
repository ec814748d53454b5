"""The models that can be chosen, as `CHAT_MODELS` lists them; knows no settings."""
from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any
from urllib.parse import urlsplit

import strictjson
from chat.agent.server_features import is_anthropic

Json = dict[str, Any]
Headers = tuple[tuple[str, str], ...]

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}")
VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{0,99}")
# RFC 9110: a header's name is a token; its value has no control characters.
HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
HEADERS = "ANTHROPIC_CUSTOM_HEADERS"
FIELDS = ("name", "label", "model", "url", "key", "headers", "price_input", "price_output", "price_cached")
MAX_MODELS, MAX_LABEL, MAX_MODEL = 20, 60, 200


@dataclass(frozen=True)
class Prices:
    """US dollars for a million tokens."""

    input: Decimal
    output: Decimal
    cached: Decimal | None = None


@dataclass(frozen=True)
class ChatModel:
    """A model: `name` chooses it, people read `label`, its server at `base_url` calls it `model`."""

    name: str
    label: str
    model: str
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    prices: Prices | None = None
    headers: Headers = field(default=(), repr=False)

    @property
    def server(self) -> str:
        """The server's address as it may be shown: without a password or a path."""
        parts = urlsplit(self.base_url or "https://api.anthropic.com")
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or ""
        return f"{parts.scheme}://{host}" + (f":{parts.port}" if parts.port else "")


def read_chat_models(text: str, *, variable: Callable[[str], str]) -> tuple[ChatModel, ...]:
    """Return the models of a JSON list; `variable` gives an environment variable, "" for one that is not set.

    Raises ValueError that names the field and repeats no value that could be a key.
    """
    if not text:
        return ()
    try:
        entries = strictjson.read(text.encode())
    except strictjson.NotStrictJson as error:
        raise ValueError(f"it is not valid JSON: {error.detail}") from None
    if not isinstance(entries, list) or not 0 < len(entries) <= MAX_MODELS:
        raise ValueError(f"a list of 1 to {MAX_MODELS} models is needed")
    models = tuple(_read(entry, path=f"[{index}]", variable=variable) for index, entry in enumerate(entries))
    names = [model.name for model in models]
    double = next((name for name in names if names.count(name) > 1), "")
    if double:
        raise ValueError(f"two models have the name {double!r}")
    return models


def _read(entry: Any, *, path: str, variable: Callable[[str], str]) -> ChatModel:
    if not isinstance(entry, dict):
        raise ValueError(f"{path}: an object is needed")
    unknown = next((name for name in entry if name not in FIELDS), "")
    if unknown:
        raise ValueError(f"{path}: there is no field {unknown[:40]!r}; there are {', '.join(FIELDS)}")
    model = _text(entry, "model", path=path, most=MAX_MODEL)
    if not model:
        raise ValueError(f"{path}.model: the name that the server has for the model is needed")
    name = _text(entry, "name", path=path, most=64) or model
    if not NAME.fullmatch(name):
        raise ValueError(f"{path}.name: letters, digits and . _ : / - are possible, up to 64")
    url = _url(entry, path=path)
    base_url = url or variable("ANTHROPIC_BASE_URL")
    # A key is sent to no other server than the one it is for.
    key_name = _text(entry, "key", path=path, most=1_000) or ("" if url else "ANTHROPIC_API_KEY")
    if key_name and not VARIABLE.fullmatch(key_name):
        raise ValueError(f"{path}.key: name the environment variable that holds the key, such as OTHER_API_KEY")
    key = variable(key_name) if key_name else ""
    if not key and (is_anthropic(base_url) or "key" in entry):
        raise ValueError(f"{path}: the environment has no {key_name or 'key for it; name its variable in key'}")
    label = _text(entry, "label", path=path, most=MAX_LABEL) or name
    headers = _headers(entry, path=path, url=url, variable=variable)
    return ChatModel(name, label, model, base_url, key, _prices(entry, path=path), headers)


def read_headers(text: str) -> Headers:
    """Return the headers of a text with one `Name: value` a line, as ANTHROPIC_CUSTOM_HEADERS has them.

    Raises ValueError, which repeats no value.
    """
    headers = []
    for number, line in enumerate(text.split("\n"), start=1):
        name, colon, value = (part.strip() for part in line.partition(":"))
        if not line.strip():
            continue
        if not colon or not HEADER_NAME.fullmatch(name) or not (value.isascii() and value.isprintable()):
            raise ValueError(f"line {number} must be like “Name: value”, in ASCII")
        headers.append((name, value))
    return tuple(headers)


def _headers(entry: Json, *, path: str, url: str, variable: Callable[[str], str]) -> Headers:
    """The headers for the model's server; like a key, they are sent to no server but their own."""
    name = _text(entry, "headers", path=path, most=1_000)
    if name and not VARIABLE.fullmatch(name):
        raise ValueError(f"{path}.headers: name the environment variable that holds them, such as OTHER_HEADERS")
    if name and not variable(name):
        raise ValueError(f"{path}.headers: the environment has no {name}")
    name = name or ("" if url else HEADERS)
    try:
        return read_headers(variable(name)) if name else ()
    except ValueError as error:
        raise ValueError(f"{path}.headers: {name}: {error}") from None


def _text(entry: Json, name: str, *, path: str, most: int) -> str:
    value = entry.get(name, "")
    if not isinstance(value, str) or len(value) > most or not value.isprintable():
        raise ValueError(f"{path}.{name}: a text of up to {most} characters is needed")
    return value.strip()


def _url(entry: Json, *, path: str) -> str:
    url = _text(entry, "url", path=path, most=500)
    try:
        parts = urlsplit(url)
        fits = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        fits = False
    if url and not fits:
        raise ValueError(f"{path}.url: an address that begins with http:// or https:// is needed")
    return url


def _prices(entry: Json, *, path: str) -> Prices | None:
    given = {name: _amount(entry, name, path=path) for name in FIELDS if name.startswith("price_") and name in entry}
    if not given:
        return None
    if "price_input" not in given or "price_output" not in given:
        raise ValueError(f"{path}: price_input and price_output are set together, or not at all")
    return Prices(given["price_input"], given["price_output"], given.get("price_cached"))


def _amount(entry: Json, name: str, *, path: str) -> Decimal:
    value = entry[name]
    try:
        amount = Decimal(str(value)) if not isinstance(value, bool) else Decimal("NaN")
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite() or amount < 0:
        raise ValueError(f"{path}.{name}: a number like 3 or 0.30 is needed")
    return amount
