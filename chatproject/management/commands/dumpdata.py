"""`manage.py dumpdata`: Django's command without models that would give access to accounts."""
from __future__ import annotations

from typing import Any

from django.core.management.commands import dumpdata

# A session key is all that is needed to act as a user, and sessions are of no use in another installation.
EXCLUDED_MODELS = ("sessions.session", "usersessions.usersession", "mfa.authenticator", "socialaccount.socialtoken")


class Command(dumpdata.Command):
    """Excludes sessions and secrets. Passwords and API tokens are stored as hashes, and are included."""

    def handle(self, *app_labels: str, **options: Any) -> None:
        options["exclude"] = [*options["exclude"], *EXCLUDED_MODELS]
        super().handle(*app_labels, **options)
