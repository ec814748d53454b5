"""Results of checks of model servers, and features that turns found to be missing."""
from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from chat.models import ModelCheck
from chat.provider.chat_models import ChatModel

Json = dict[str, Any]


def save_check(model: ChatModel, *, findings: Sequence[Json], lacks: Collection[str], now: datetime) -> None:
    """Store the result of a check, which replaces all earlier findings."""
    ModelCheck.objects.update_or_create(
        server=model.server,
        model=model.model,
        defaults={"findings": list(findings), "lacks": sorted(lacks), "checked_at": now, "updated_at": now},
    )


def add_lacks(model: ChatModel, *, lacks: Collection[str], now: datetime) -> None:
    """Add features that the server was found to lack during turns."""
    with transaction.atomic():
        check, _ = ModelCheck.objects.select_for_update().get_or_create(server=model.server, model=model.model)
        check.lacks = sorted({*check.lacks, *lacks})
        check.updated_at = now
        check.save(update_fields=["lacks", "updated_at"])
