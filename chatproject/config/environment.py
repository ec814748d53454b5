"""Reads and validates environment variables. All functions raise ImproperlyConfigured for invalid values."""
from __future__ import annotations

import os
import re
import secrets
from decimal import Decimal, InvalidOperation
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from django.core.exceptions import ImproperlyConfigured

from chat.provider.chat_models import ChatModel, Headers, read_chat_models, read_headers

TRUE = {"1", "true", "yes", "on"}
FALSE = {"0", "false", "no", "off", ""}
# A name, an address, `*`, or `.example.org` for all subdomains.
HOST = re.compile(r"\*|\[[0-9a-fA-F:.]+\]|\.?[\w-]+(\.[\w-]+)*")
ORIGIN = re.compile(r"https?://(\*\.)?[^/\s,]+")
DOMAIN = re.compile(r"[\w-]+(\.[\w-]+)+(/[^\s,]*)?")
LEVELS = ("debug", "info", "warning", "error", "critical")
# For a cache in the memory of a process. With Django's default of 300, clients could evict the counts of rate limits.
MAX_LOCAL_ENTRIES = 100_000
LOOPBACK = {"127.0.0.1", "localhost", "[::1]"}


def text(name: str, default: str = "") -> str:
    """Return a variable without surrounding white space."""
    return os.environ.get(name, default).strip()


def comma_separated(name: str) -> list[str]:
    """Return the words of a comma-separated list."""
    return [word.strip() for word in text(name).split(",") if word.strip()]


def networks(name: str) -> list[IPv4Network | IPv6Network]:
    """Return the addresses and networks (`10.0.0.0/8`) of a comma-separated list."""
    try:
        return [ip_network(word) for word in comma_separated(name)]
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} must be IP addresses or networks, separated by commas: {error}.") from error


def boolean(name: str, *, default: bool = False) -> bool:
    """Return a boolean."""
    value = text(name, "1" if default else "0").lower()
    if value in TRUE or value in FALSE:
        return value in TRUE
    raise ImproperlyConfigured(f"{name} must be 1 or 0, not {value!r}.")


def integer(name: str, default: int, *, maximum: int, minimum: int = 1) -> int:
    """Return an integer of at least `minimum`; larger values than `maximum` are reduced to it."""
    value = text(name, str(default))
    if not value.isascii() or not value.isdigit() or int(value) < minimum:
        raise ImproperlyConfigured(f"{name} must be a whole number from {minimum} to {maximum}, not {value!r}.")
    return min(int(value), maximum)


def url(name: str, *schemes: str) -> str:
    """Return a URL with one of these schemes, "" for none. Errors do not repeat it, because it may have a password."""
    value = text(name)
    try:
        parts = urlsplit(value)
        # `port` raises ValueError if it is invalid.
        is_valid = parts.scheme in schemes and (parts.scheme == "sqlite" or parts.port != 0)
    except ValueError:
        is_valid = False
    if value and not is_valid:
        beginning = " or ".join(f"{scheme}://" for scheme in schemes)
        raise ImproperlyConfigured(f"{name} must be a URL that starts with {beginning}.")
    return value


def hosts(name: str) -> list[str]:
    """Return host names in the form of ALLOWED_HOSTS."""
    return _matching_words(name, pattern=HOST, example="tables.example.org")


def origins(name: str) -> list[str]:
    """Return origins in the form of CSRF_TRUSTED_ORIGINS."""
    return _matching_words(name, pattern=ORIGIN, example="https://tables.example.org")


def domains(name: str) -> list[str]:
    """Return domains with optional paths, in the form of the provider's tools to search the web."""
    return _matching_words(name, pattern=DOMAIN, example="example.org or example.org/docs")


def _matching_words(name: str, *, pattern: re.Pattern[str], example: str) -> list[str]:
    words = comma_separated(name)
    wrong = next((word for word in words if not pattern.fullmatch(word)), None)
    if wrong is not None:
        raise ImproperlyConfigured(f"{name} must be values such as {example}, separated by commas, not {wrong!r}.")
    return words


def choice(name: str, *allowed: str, default: str) -> str:
    """Return one of the allowed words."""
    value = text(name).lower() or default
    if value not in allowed:
        raise ImproperlyConfigured(f"{name} must be {' or '.join(allowed)}, not {value!r}.")
    return value


def decimal(name: str) -> Decimal | None:
    """Return a decimal number that is not negative, None for an empty variable."""
    value = text(name)
    if not value:
        return None
    try:
        number = Decimal(value)
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite() or number < 0:
        raise ImproperlyConfigured(f"{name} must be a number such as 3 or 0.30, not {value!r}.")
    return number


def chat_models(name: str) -> tuple[ChatModel, ...]:
    """Return the models of a JSON list, none for an empty variable. Errors do not repeat keys."""
    try:
        return read_chat_models(text(name), variable=text)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}: {error}.") from None


def headers(name: str) -> Headers:
    """Return the headers of a variable with one `Name: value` per line. Errors do not repeat values."""
    try:
        return read_headers(text(name))
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}: {error}.") from None


def check_prices(input_price: Decimal | None, output_price: Decimal | None) -> None:
    """Raise ImproperlyConfigured if only one of the two prices is set."""
    if (input_price is None) != (output_price is None):
        raise ImproperlyConfigured("Set both CHAT_PRICE_INPUT and CHAT_PRICE_OUTPUT, or neither.")


def check_domains(allowed: list[str], blocked: list[str]) -> None:
    """Raise ImproperlyConfigured if both lists have entries, which the provider refuses."""
    if allowed and blocked:
        raise ImproperlyConfigured("Set FILL_WEB_ALLOWED_DOMAINS or FILL_WEB_BLOCKED_DOMAINS, not both.")


def check_mail_hosts(hosts: list[str], *, sends_mail: bool) -> None:
    """Raise ImproperlyConfigured if mails are sent and any host is allowed.

    Links in mails contain the host of the request, which an attacker could choose.
    """
    if sends_mail and "*" in hosts:
        detail = "With EMAIL_URL, ALLOWED_HOSTS must not contain *, because mails have links to the requested host."
        raise ImproperlyConfigured(detail)


def channel_layers(redis_url: str) -> dict[str, dict[str, Any]]:
    """Return CHANNEL_LAYERS: in Redis or, without Redis, in this process.

    This uses publish/subscribe, because the queues of the other Redis layer lose messages that they deliver to a socket
    which is just closing. Redis publishes to all of its databases, so the number of the database is in the prefix.
    """
    if not redis_url:
        return {"default": {"BACKEND": "chatproject.backends.channel_layer.LocalChannelLayer"}}
    host = {"address": redis_url, "socket_timeout": 5, "socket_connect_timeout": 2, "health_check_interval": 30}
    config = {"hosts": [host], "prefix": f"tablechat-{_redis_database(redis_url)}-"}
    return {"default": {"BACKEND": "chatproject.backends.redis_channel_layer.SharedChannelLayer", "CONFIG": config}}


def caches(redis_url: str) -> dict[str, dict[str, Any]]:
    """Return CACHES: in Redis or, without Redis, in this process."""
    if not redis_url:
        options = {"MAX_ENTRIES": MAX_LOCAL_ENTRIES}
        return {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "OPTIONS": options}}
    return {
        "default": {
            "BACKEND": "chatproject.backends.cache.SharedCache",
            "LOCATION": redis_url,
            "KEY_PREFIX": "tablechat",
            "OPTIONS": {"socket_timeout": 0.3, "socket_connect_timeout": 0.3},
        }
    }


def identity_provider(*, issuer: str, client_id: str, client_secret: str, name: str) -> dict[str, Any]:
    """Return SOCIALACCOUNT_PROVIDERS of django-allauth: one OpenID Connect provider, or none."""
    values = (issuer, client_id, client_secret)
    if not any(values):
        return {}
    if not all(values):
        raise ImproperlyConfigured("Set all of OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET, or none.")
    parts = urlsplit(issuer)
    if parts.scheme != "https" and parts.hostname not in ("127.0.0.1", "localhost", "::1"):
        raise ImproperlyConfigured("OIDC_ISSUER must start with https://.")
    app = {
        "provider_id": "oidc",
        "name": name,
        "client_id": client_id,
        "secret": client_secret,
        "settings": {"server_url": issuer.rstrip("/"), "oauth_pkce_enabled": True},
    }
    return {"openid_connect": {"APPS": [app]}}


def _redis_database(redis_url: str) -> str:
    """Return the number of the database in the URL, "0" by default."""
    parts = urlsplit(redis_url)
    number = parse_qs(parts.query).get("db", [""])[0]
    return number or (parts.path.strip("/") if parts.scheme != "unix" else "") or "0"


def data_dir(base: Path) -> Path:
    """Return the folder for the database, static files and the secret key. It is created if it is missing."""
    folder = Path(text("DATA_DIR") or base / "var").resolve()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        detail = f"DATA_DIR must be a folder that exists or can be created, not {str(folder)!r}: {error.strerror}."
        raise ImproperlyConfigured(detail) from error
    return folder


def secret_key(folder: Path, *, hosts: list[str]) -> str:
    """Return SECRET_KEY. A local installation without one generates a key and stores it in `folder`."""
    key = text("SECRET_KEY")
    if key:
        return key
    if set(hosts) - LOOPBACK:
        raise ImproperlyConfigured("Set SECRET_KEY. It is required because ALLOWED_HOSTS has public host names.")
    file = folder / "secret_key"
    if not file.exists():
        # Two processes may start at the same time, so the file is written under another name and then linked.
        draft = folder / f"secret_key.{os.getpid()}"
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(48))
        try:
            os.link(draft, file)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return file.read_text().strip()
