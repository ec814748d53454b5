"""Reads what is known of the servers behind the assistant."""
from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from chat.models import ModelCheck
from chat.provider import ChatModel


class CheckedModel(NamedTuple):
    """A configured model with what is known of it; None before its first check or turn."""

    model: ChatModel
    check: ModelCheck | None


def known_lacks(model: ChatModel) -> frozenset[str]:
    """Return what the model's server is known to lack."""
    found = ModelCheck.objects.filter(server=model.server, model=model.model).values_list("lacks", flat=True).first()
    return frozenset(found or ())


def checked_models(models: Iterable[ChatModel]) -> list[CheckedModel]:
    """Return the models with their checks; one query."""
    models = list(models)
    found = {(check.server, check.model): check for check in ModelCheck.objects.order_by("pk")[:1_000]}
    return [CheckedModel(model, found.get((model.server, model.model))) for model in models]
