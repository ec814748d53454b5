"""Parses EMAIL_URL: the server that sends mail, with user name and password."""
from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

BACKENDS = "django.core.mail.backends"
# Default ports: submission with STARTTLS, and submission with implicit TLS.
PORTS = {"smtp": 587, "smtps": 465}
LOCAL_HOSTS = {"localhost", "127.0.0.1", "::1"}
EXAMPLES = "smtps://name:password@mail.example.org, smtp://…, file:///a/folder or console:"


@dataclass(frozen=True)
class MailServer:
    """The values of Django's EMAIL_… settings."""

    backend: str = f"{BACKENDS}.dummy.EmailBackend"
    host: str = ""
    port: int = 0
    user: str = ""
    password: str = ""
    tls: bool = False
    starttls: bool = False
    folder: str | None = None

    @property
    def sender(self) -> str:
        """The default sender address."""
        return self.user if "@" in self.user else f"table-chat@{self.host or 'localhost'}"


def parse_email_url(url: str) -> MailServer:
    """Return the mail server of a URL. `smtp` uses STARTTLS, unless the server is local or the URL has `?tls=0`.

    Raises ImproperlyConfigured, which does not repeat the URL, because it may have a password.
    """
    if not url:
        return MailServer()
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise _wrong("is not a URL") from error
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    if set(query) - ({"tls"} if parts.scheme == "smtp" else set()) or query.get("tls", "1") not in ("0", "1"):
        raise _wrong("has an unknown option (only ?tls=0 with smtp://)")
    if parts.scheme == "console":
        return MailServer(backend=f"{BACKENDS}.console.EmailBackend")
    if parts.scheme == "file":
        return _folder(parts)
    if parts.scheme not in PORTS or not parts.hostname:
        raise _wrong("has no known scheme or no server")
    return MailServer(
        backend=f"{BACKENDS}.smtp.EmailBackend",
        host=parts.hostname,
        port=port or PORTS[parts.scheme],
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        tls=parts.scheme == "smtps",
        starttls=parts.scheme == "smtp" and query.get("tls", "0" if parts.hostname in LOCAL_HOSTS else "1") == "1",
    )


def _folder(parts: SplitResult) -> MailServer:
    if parts.netloc or not parts.path.startswith("/"):
        raise _wrong("has no absolute path of a folder")
    return MailServer(backend=f"{BACKENDS}.filebased.EmailBackend", folder=unquote(parts.path))


def _wrong(what: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"EMAIL_URL {what}. Examples: {EXAMPLES}.")
