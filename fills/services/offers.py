"""What is offered for fills: models, and the provider's tools to search the web."""
from __future__ import annotations

from django.conf import settings

from chat.agent.client.server_features import is_anthropic
from chat.provider.configured import local_model, model_named
from chat.selectors.configuration.catalogue import current_catalogue
from fills.models import Fill
from fills.web_tools import WebTools


def default_model() -> str:
    """Return the name of the model for fills."""
    return settings.FILL_MODEL or current_catalogue().engine.model


def offered_models() -> list[str]:
    """Return the names of the models for fills, the default first."""
    return list(dict.fromkeys((default_model(), *settings.FILL_MODELS)))


def offered_modes(model: str) -> list[str]:
    """Return the modes in which fills with this model can run: "batch" where its server is declared to have batches."""
    has_batches = not local_model() and model_named(model).has_batches
    return [str(Fill.Mode.LIVE), *([str(Fill.Mode.BATCH)] if has_batches else [])]


def web_tools(model: str) -> WebTools | None:
    """Return the tools to search the web with this model, None where they are not offered.

    Only Anthropic's own API has them. Other servers with a Messages API, the demo model and scripts have none.
    """
    if not settings.FILL_WEB_SEARCHES or local_model() or not is_anthropic(model_named(model).base_url):
        return None
    return WebTools(
        searches=settings.FILL_WEB_SEARCHES,
        pages=settings.FILL_WEB_PAGES,
        allowed=tuple(settings.FILL_WEB_ALLOWED_DOMAINS),
        blocked=tuple(settings.FILL_WEB_BLOCKED_DOMAINS),
    )
