"""What is offered for fills: models, the provider's tools to search the web, applying without a review, and mails."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from chat.agent.client.server_features import is_anthropic
from chat.provider.configured import DEMO_MODEL, SCRIPTED_MODEL, local_model, model_named
from chat.selectors.configuration.catalogue import current_catalogue
from fills.models import Fill
from fills.web_tools import WebTools

# Return whether a mail about a fill can reach this user, in one query at most.
ReachesByMail = Callable[[Any], bool]


@dataclass
class _Mailer:
    """The app that sends mails about fills, if one is installed."""

    reaches: ReachesByMail | None = None


_mailer = _Mailer()


@dataclass(frozen=True)
class Offers:
    """What a user can choose for a fill.

    `models` are names, the default first, with whether they can search the web. `confident`: results of high
    confidence can be applied without a review. `notify`: a mail reaches the user.
    """

    models: dict[str, bool]
    confident: bool
    notify: bool


def register_mailer(*, reaches: ReachesByMail) -> None:
    """Have users who can be reached offered a mail at the end of a fill. The app that sends them calls this once."""
    _mailer.reaches = reaches


def offers_for(user: Any) -> Offers:
    """Return what this user can choose for a fill."""
    return Offers(
        models={name: web_tools(name) is not None for name in offered_models()},
        confident=settings.FILL_CONFIDENT,
        notify=_mailer.reaches is not None and _mailer.reaches(user),
    )


def default_model() -> str:
    """Return the name of the model for fills; that of the demo model if it answers."""
    return local_model() or settings.FILL_MODEL or current_catalogue().engine.model


def offered_models() -> list[str]:
    """Return the names of the models for fills, the default first."""
    return list(dict.fromkeys((default_model(), *(() if local_model() else settings.FILL_MODELS))))


def called_model(name: str) -> str:
    """Return the name of the model that answers a fill with this model now.

    The demo model answers all fills where no other is configured, and none elsewhere.
    """
    return default_model() if local_model() or name in (DEMO_MODEL, SCRIPTED_MODEL) else name


def offered_modes(model: str) -> list[str]:
    """Return the modes in which fills with this model can run: "batch" where its server is declared to have batches.

    The demo model has them, too.
    """
    local = local_model()
    has_batches = local == DEMO_MODEL or (not local and model_named(model).has_batches)
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
