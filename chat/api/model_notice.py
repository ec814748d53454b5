"""The notice for users that no language model answers, for pages and the API."""

from __future__ import annotations

from django.utils.translation import gettext as _

from chat.provider.configured import DEMO_MODEL, SCRIPTED_MODEL, local_model
from chat.turns.model_clients import demo_model_knows


def model_notice(page: str) -> str:
    """Return the notice for a page in the active language, "" if a language model answers."""
    model = local_model()
    if model == SCRIPTED_MODEL:
        return _("Scripted model. Its answers come from a file.")
    if model != DEMO_MODEL:
        return ""
    if demo_model_knows(page):
        return _("Built-in demo model. It understands about ten kinds of requests.")
    return _("Built-in demo model. It only understands requests prepared for this page.")
