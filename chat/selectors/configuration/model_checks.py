"""Results of checks of model servers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from chat.models import ModelCheck
from chat.provider.chat_models import ChatModel

MAX_KNOWN_MODELS = 100


class CheckedModel(NamedTuple):
    """A configured model with its check, None before the first check or turn."""

    model: ChatModel
    check: ModelCheck | None


def known_lacks(model: ChatModel) -> frozenset[str]:
    """Return the names of the features that the model's server lacks."""
    found = ModelCheck.objects.filter(server=model.server, model=model.model).values_list("lacks", flat=True).first()
    return frozenset(found or ())


def known_models(server: str) -> list[str]:
    """Return the models of the server that were checked or used, in alphabetical order."""
    found = ModelCheck.objects.filter(server=server).order_by("model")
    return list(found.values_list("model", flat=True)[:MAX_KNOWN_MODELS])


def checked_models(models: Iterable[ChatModel]) -> list[CheckedModel]:
    """Return the models with their checks, in one query."""
    models = list(models)
    found = {(check.server, check.model): check for check in ModelCheck.objects.order_by("pk")[:1_000]}
    return [CheckedModel(model, found.get((model.server, model.model))) for model in models]
