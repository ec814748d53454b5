"""The catalogue as it is now: the code's entries, the settings' limits, and what administrators changed of both."""
from __future__ import annotations

from dataclasses import fields, replace
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.conf import settings

from chat.catalogue import CODE, Catalogue
from chat.configuring import Override, overridden
from chat.engine import Engine
from chat.models import Configuration
from chat.models import Override as OverrideRow
from chat.registry import Registry

# As the environment names the limits, but for the letters' case.
PREFIX = "CHAT_"


def current_catalogue() -> Catalogue:
    """What a turn that begins now goes by; one query as long as nothing has changed."""
    default = default_catalogue()
    row = Configuration.objects.values_list("version", "stamp").first()
    if row is None:
        return default
    return _catalogue(row, default.engine, tuple(registry.revision for registry in _registries(default)))


def faults_of_configuration() -> tuple[str, ...]:
    """Which stored changes cannot be used, looked at anew."""
    return overridden(default_catalogue(), stored_overrides(), version=0).faults


def default_catalogue() -> Catalogue:
    """The catalogue without what administrators changed."""
    return replace(CODE, engine=engine_of_settings())


def current_version() -> int:
    """How many changes administrators have made."""
    return Configuration.objects.values_list("version", flat=True).first() or 0


def stored_overrides() -> list[Override]:
    """All fields that have another value than the code's."""
    rows = OverrideRow.objects.order_by("pk").values_list("kind", "name", "field", "value")
    return [Override(kind, name, field, value) for kind, name, field, value in rows]


def engine_of_settings() -> Engine:
    """The limits as the environment sets them."""
    names = [field.name for field in fields(Engine)]
    return Engine().with_values({name: getattr(settings, PREFIX + name.upper()) for name in names})


@lru_cache(maxsize=4)
def _catalogue(row: tuple[int, UUID], engine: Engine, revisions: tuple[int, ...]) -> Catalogue:
    """Made once for each change; the rest of the key says whether the code's part is still the same."""
    return overridden(replace(CODE, engine=engine), stored_overrides(), version=row[0])


def _registries(catalogue: Catalogue) -> list[Registry[Any]]:
    values = (getattr(catalogue, field.name) for field in fields(catalogue))
    return [value for value in values if isinstance(value, Registry)]
