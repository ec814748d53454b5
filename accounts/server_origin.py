"""The origin of the server that `manage.py start` runs, for commands that print links to it."""
from __future__ import annotations

from pathlib import Path

from django.conf import settings

DEFAULT_ORIGIN = "http://127.0.0.1:8000"


def save_server_origin(origin: str) -> None:
    """Record where the running server is reached, for example `http://127.0.0.1:8001`."""
    _path().write_text(origin, encoding="utf-8")


def forget_server_origin(origin: str) -> None:
    """Remove the record, unless another server has recorded its own origin since."""
    if _recorded() == origin:
        _path().unlink(missing_ok=True)


def server_origin() -> str:
    """Return the origin that users open: from CSRF_TRUSTED_ORIGINS, else of the running server, else the default."""
    trusted = (origin for origin in settings.CSRF_TRUSTED_ORIGINS if "*" not in origin)
    return next(trusted, "") or _recorded() or DEFAULT_ORIGIN


def _recorded() -> str:
    try:
        return _path().read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def _path() -> Path:
    return Path(settings.DATA_DIR) / "origin.txt"
