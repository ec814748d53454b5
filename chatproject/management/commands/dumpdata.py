"""`manage.py dumpdata`: Django's, without what would open somebody's account to whoever reads it."""
from __future__ import annotations

from typing import Any

from django.core.management.commands import dumpdata

# The key of a session is in its browser's cookie, and that is all it takes; nobody needs sessions anywhere else.
KEYS = ("sessions.session", "usersessions.usersession", "mfa.authenticator", "socialaccount.socialtoken")


class Command(dumpdata.Command):
    """Passwords and tokens are in it as what they are kept as: hashes."""

    def handle(self, *app_labels: str, **options: Any) -> None:
        options["exclude"] = [*options["exclude"], *KEYS]
        super().handle(*app_labels, **options)
