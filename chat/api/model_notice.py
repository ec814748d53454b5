"""The notice for users that no language model answers, for pages and the API."""

from __future__ import annotations

from django.utils.translation import gettext as _

from chat.provider.configured import DEMO_MODEL, SCRIPTED_MODEL, local_model


def model_notice() -> str:
    """Return the notice in the active language, "" if a language model answers."""
    return {
        DEMO_MODEL: _("Built-in demo model. It understands about ten kinds of requests."),
        SCRIPTED_MODEL: _("Scripted model. Its answers come from a file."),
    }.get(local_model(), "")
