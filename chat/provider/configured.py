"""The models in the settings, and whether the demo model or a script answers in their place."""
from __future__ import annotations

from django.conf import settings

from chat.provider.chat_models import ChatModel, Prices

# Their names in stored turns.
DEMO_MODEL, SCRIPTED_MODEL = "demo model", "scripted model"


def is_demo() -> bool:
    """Return whether the built-in demo model is used: neither a key, a server nor a script is configured."""
    return local_model() == DEMO_MODEL


def local_model() -> str:
    """Return the model that answers inside the application: DEMO_MODEL, SCRIPTED_MODEL, or "" for a provider's."""
    if settings.CHAT_SCRIPT:
        return SCRIPTED_MODEL
    return "" if settings.ANTHROPIC_API_KEY or settings.ANTHROPIC_BASE_URL or settings.CHAT_MODELS else DEMO_MODEL


def models() -> tuple[ChatModel, ...]:
    """Return the models to choose from, the default first; none if there is no choice."""
    found: tuple[ChatModel, ...] = settings.CHAT_MODELS
    return found


def model_named(name: str) -> ChatModel:
    """Return the model of this name. If models are listed, an unknown name is the first of them."""
    listed = models()
    if listed:
        return next((model for model in listed if model.name == name), listed[0])
    url, key = settings.ANTHROPIC_BASE_URL, settings.ANTHROPIC_API_KEY
    return ChatModel(
        name=name, label=name, model=name, base_url=url, api_key=key, headers=settings.ANTHROPIC_CUSTOM_HEADERS
    )


def prices_of(name: str) -> Prices | None:
    """Return the prices of a model: its own, or those in the settings; None if neither are set."""
    own = next((model.prices for model in models() if model.name == name), None)
    if own is not None or settings.CHAT_PRICE_INPUT is None or settings.CHAT_PRICE_OUTPUT is None:
        return own
    return Prices(settings.CHAT_PRICE_INPUT, settings.CHAT_PRICE_OUTPUT, settings.CHAT_PRICE_CACHED)
