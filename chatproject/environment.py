"""Reads the environment: names, defaults, and the secret key a local install keeps for itself."""
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

from chat.chat_models import ChatModel, Headers, read_chat_models, read_headers

TRUE = {"1", "true", "yes", "on"}
FALSE = {"0", "false", "no", "off", ""}
# A name, an address, `*`, or `.example.org` for all below.
HOST = re.compile(r"\*|\[[0-9a-fA-F:.]+\]|\.?[\w-]+(\.[\w-]+)*")
ORIGIN = re.compile(r"https?://(\*\.)?[^/\s,]+")
LEVELS = ("debug", "info", "warning", "error", "critical")
# For a cache in the memory of a process. With Django's default of 300, visitors could evict the counts of limits.
MAX_LOCAL_ENTRIES = 100_000
LOOPBACK = {"127.0.0.1", "localhost", "[::1]"}


def text(name: str, default: str = "") -> str:
    """The variable, without outer white space."""
    return os.environ.get(name, default).strip()


def words(name: str) -> list[str]:
    """The comma-separated words of a variable."""
    return [word.strip() for word in text(name).split(",") if word.strip()]


def networks(name: str) -> list[IPv4Network | IPv6Network]:
    """The addresses and networks (`10.0.0.0/8`) of a variable. Raises ImproperlyConfigured."""
    try:
        return [ip_network(word) for word in words(name)]
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} must be IP addresses or networks, separated by commas: {error}.") from error


def flag(name: str, *, default: bool = False) -> bool:
    """A yes-or-no variable. Raises ImproperlyConfigured for anything else."""
    value = text(name, "1" if default else "0").lower()
    if value in TRUE or value in FALSE:
        return value in TRUE
    raise ImproperlyConfigured(f"{name} must be 1 or 0, not {value!r}.")


def whole(name: str, default: int, *, most: int, least: int = 1) -> int:
    """A whole number from `least` to `most`; more than that is taken as `most`."""
    value = text(name, str(default))
    if not value.isascii() or not value.isdigit() or int(value) < least:
        raise ImproperlyConfigured(f"{name} must be a whole number from {least} to {most}, not {value!r}.")
    return min(int(value), most)


def address(name: str, *schemes: str) -> str:
    """An address with one of these schemes, "" for none. Raises ImproperlyConfigured, which repeats no password."""
    value = text(name)
    try:
        parts = urlsplit(value)
        # A port that is none is told by asking for it.
        fits = parts.scheme in schemes and (parts.scheme == "sqlite" or parts.port != 0)
    except ValueError:
        fits = False
    if value and not fits:
        beginning = " or ".join(f"{scheme}://" for scheme in schemes)
        raise ImproperlyConfigured(f"{name} must be a URL that starts with {beginning}.")
    return value


def hosts(name: str) -> list[str]:
    """Names of hosts, as ALLOWED_HOSTS takes them. Raises ImproperlyConfigured."""
    return _each_like(name, form=HOST, like="tables.example.org")


def origins(name: str) -> list[str]:
    """Where pages come from. Raises ImproperlyConfigured."""
    return _each_like(name, form=ORIGIN, like="https://tables.example.org")


def _each_like(name: str, *, form: re.Pattern[str], like: str) -> list[str]:
    found = words(name)
    wrong = next((word for word in found if not form.fullmatch(word)), None)
    if wrong is not None:
        raise ImproperlyConfigured(f"{name} must be values such as {like}, separated by commas, not {wrong!r}.")
    return found


def one_of(name: str, *allowed: str, default: str) -> str:
    """One of these words. Raises ImproperlyConfigured for anything else."""
    value = text(name).lower() or default
    if value not in allowed:
        raise ImproperlyConfigured(f"{name} must be {' or '.join(allowed)}, not {value!r}.")
    return value


def amount(name: str) -> Decimal | None:
    """A decimal number that is not negative; None where there is none. Raises ImproperlyConfigured."""
    value = text(name)
    if not value:
        return None
    try:
        found = Decimal(value)
    except InvalidOperation:
        found = Decimal("NaN")
    if not found.is_finite() or found < 0:
        raise ImproperlyConfigured(f"{name} must be a number such as 3 or 0.30, not {value!r}.")
    return found


def chat_models(name: str) -> tuple[ChatModel, ...]:
    """The models of a JSON list, none for an empty variable. Raises ImproperlyConfigured, which repeats no key."""
    try:
        return read_chat_models(text(name), variable=text)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}: {error}.") from None


def headers(name: str) -> Headers:
    """The headers of a variable with one `Name: value` a line. Raises ImproperlyConfigured, which repeats no value."""
    try:
        return read_headers(text(name))
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}: {error}.") from None


def refuse_half_a_price(price: Decimal | None, other: Decimal | None) -> None:
    """A price for what goes in alone, or for what comes out, is none."""
    if (price is None) != (other is None):
        raise ImproperlyConfigured("Set both CHAT_PRICE_INPUT and CHAT_PRICE_OUTPUT, or neither.")


def refuse_any_host(hosts: list[str], *, sends_mail: bool) -> None:
    """Links in mails lead to the host that was asked for: where that may be any, a stranger could choose it."""
    if sends_mail and "*" in hosts:
        detail = "With EMAIL_URL, ALLOWED_HOSTS must not contain *, because mails have links to the requested host."
        raise ImproperlyConfigured(detail)


def channel_layers(redis_url: str) -> dict[str, dict[str, Any]]:
    """Django's CHANNEL_LAYERS: through Redis, or within this process without one.

    Published and not queued: a queue that several sockets of a process read in turn loses what it hands to one that is
    just leaving. Who publishes is heard in all databases of a Redis, so that the one of the address goes into the name.
    """
    if not redis_url:
        return {"default": {"BACKEND": "chatproject.channel_layer.LocalChannelLayer"}}
    host = {"address": redis_url, "socket_timeout": 5, "socket_connect_timeout": 5, "health_check_interval": 30}
    config = {"hosts": [host], "prefix": f"tablechat-{_redis_database(redis_url)}-"}
    return {"default": {"BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer", "CONFIG": config}}


def caches(redis_url: str) -> dict[str, dict[str, Any]]:
    """Django's CACHES: in Redis, or within this process without one."""
    if not redis_url:
        options = {"MAX_ENTRIES": MAX_LOCAL_ENTRIES}
        return {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "OPTIONS": options}}
    return {
        "default": {
            "BACKEND": "chatproject.cache.SharedCache",
            "LOCATION": redis_url,
            "KEY_PREFIX": "tablechat",
            "OPTIONS": {"socket_timeout": 0.3, "socket_connect_timeout": 0.3},
        }
    }


def identity_provider(*, issuer: str, client_id: str, client_secret: str, name: str) -> dict[str, Any]:
    """django-allauth's SOCIALACCOUNT_PROVIDERS: a provider of OpenID Connect, or none. Raises ImproperlyConfigured."""
    given = [bool(issuer), bool(client_id), bool(client_secret)]
    if not any(given):
        return {}
    if not all(given):
        raise ImproperlyConfigured("Set all of OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET, or none.")
    where = urlsplit(issuer)
    if where.scheme != "https" and where.hostname not in ("127.0.0.1", "localhost", "::1"):
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
    """The one that the address names, "0" where it names none."""
    parts = urlsplit(redis_url)
    named = parse_qs(parts.query).get("db", [""])[0]
    return named or (parts.path.strip("/") if parts.scheme != "unix" else "") or "0"


def data_dir(base: Path) -> Path:
    """The folder for the database, uploads and the secret key; made when missing. Raises ImproperlyConfigured."""
    folder = Path(text("DATA_DIR") or base / "var").resolve()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        detail = f"DATA_DIR must be a folder that exists or can be created, not {str(folder)!r}: {error.strerror}."
        raise ImproperlyConfigured(detail) from error
    return folder


def secret_key(folder: Path, *, hosts: list[str]) -> str:
    """SECRET_KEY, or for an install that only listens on loopback one that is made once and kept in `folder`."""
    given = text("SECRET_KEY")
    if given:
        return given
    if set(hosts) - LOOPBACK:
        raise ImproperlyConfigured("Set SECRET_KEY. It is required because ALLOWED_HOSTS has public host names.")
    file = folder / "secret_key"
    if not file.exists():
        # Written whole under another name first: two processes may start at once.
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
