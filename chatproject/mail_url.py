"""Reads EMAIL_URL: where mail is handed over, and with which name and password."""
from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

BACKENDS = "django.core.mail.backends"
# The port where the address names none: submission with STARTTLS, submission under TLS from the first byte.
PORTS = {"smtp": 587, "smtps": 465}
HERE = {"localhost", "127.0.0.1", "::1"}
FORMS = "smtps://name:password@mail.example.org, smtp://…, file:///a/folder or console:"


@dataclass(frozen=True)
class MailServer:
    """What Django's EMAIL_… settings say. `starttls`: the connection is encrypted before the password is said."""

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
        """Whom mail is from where nothing else is said."""
        return self.user if "@" in self.user else f"table-chat@{self.host or 'localhost'}"


def read_mail_url(url: str) -> MailServer:
    """`smtp` speaks STARTTLS, but on this machine itself or with `?tls=0`. Raises ImproperlyConfigured, which does not
    repeat the address: there is a password in it."""
    if not url:
        return MailServer()
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise _wrong("is not a URL") from error
    said = dict(parse_qsl(parts.query, keep_blank_values=True))
    if set(said) - ({"tls"} if parts.scheme == "smtp" else set()) or said.get("tls", "1") not in ("0", "1"):
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
        starttls=parts.scheme == "smtp" and said.get("tls", "0" if parts.hostname in HERE else "1") == "1",
    )


def _folder(parts: SplitResult) -> MailServer:
    if parts.netloc or not parts.path.startswith("/"):
        raise _wrong("has no absolute path of a folder")
    return MailServer(backend=f"{BACKENDS}.filebased.EmailBackend", folder=unquote(parts.path))


def _wrong(what: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"EMAIL_URL {what}. Examples: {FORMS}.")
