"""The current catalogue: entries of the code, limits of the settings, and the overrides of administrators."""
from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any
from uuid import UUID

from django.conf import settings

from chat.catalogue import CODE, Catalogue, Engine
from chat.configuration import Override, overridden
from chat.models import Configuration
from chat.models import Override as OverrideRow
from chat.provider.configured import models
from chat.registry import Registry
from shared.db import CompiledQuery, Query, Statement, field_converters, run_query

# Settings have the same names in upper case.
SETTING_PREFIX = "CHAT_"
# A single statement, because otherwise the overrides could be newer than the version.
SELECT_OVERRIDES = f"""
    SELECT c.version, c.stamp, o.kind, o.name, o.field, o.value
    FROM {Configuration._meta.db_table} c LEFT JOIN {OverrideRow._meta.db_table} o ON 1 = 1
    WHERE c.id = (SELECT min(id) FROM {Configuration._meta.db_table}) ORDER BY o.id"""

Row = tuple[int, UUID] | None
# The state of registries and settings, on which the default catalogue depends.
CodeState = tuple[Engine, tuple[str, ...], tuple[int, ...]]


class Outdated(Exception):
    """The cached configuration is not the current one."""


@dataclass(frozen=True)
class CachedCatalogue:
    """A catalogue with the configuration row and the state of the code from which it was built."""

    catalogue: Catalogue
    row: Row
    code_state: CodeState

    def outdated_query(self) -> Query[Outdated | None]:
        """Return a query whose result is Outdated if the configuration has changed."""
        return Query((VERSION.statement(),), lambda found: None if _row(found) == self.row else Outdated())


class CatalogueCache:
    """The last catalogue that this process has built."""

    def __init__(self) -> None:
        self._cached: CachedCatalogue | None = None

    def cached(self) -> CachedCatalogue:
        """Return the last known catalogue without a query. Callers check `outdated_query`."""
        cached = self._cached
        if cached is not None and cached.code_state == _code_state(default_catalogue()):
            return cached
        return self.current()

    def current(self) -> CachedCatalogue:
        """Return the current catalogue, with one query while nothing has changed."""
        default, cached = default_catalogue(), self._cached
        row = _row(VERSION.rows())
        if cached is None or (cached.row, cached.code_state) != (row, _code_state(default)):
            without_overrides = CachedCatalogue(default, None, _code_state(default))
            cached = self._cached = _build(default) if row is not None else without_overrides
        return cached


catalogue_cache = CatalogueCache()


def current_catalogue() -> Catalogue:
    """Return the current catalogue."""
    return catalogue_cache.current().catalogue


def faults_of_configuration() -> tuple[str, ...]:
    """Return the faults of the stored overrides."""
    return overridden(default_catalogue(), stored_overrides(), version=0).faults


def default_catalogue() -> Catalogue:
    """Return the catalogue without overrides."""
    return replace(CODE, engine=engine_of_settings(), models=tuple(model.name for model in models()))


def current_version() -> int:
    """Return the number of changes by administrators."""
    return Configuration.objects.values_list("version", flat=True).first() or 0


def stored_overrides() -> list[Override]:
    """Return all overrides."""
    rows = OverrideRow.objects.order_by("pk").values_list("kind", "name", "field", "value")
    return [Override(kind, name, field, value) for kind, name, field, value in rows]


def engine_of_settings() -> Engine:
    """Return the limits from the settings."""
    names = [field.name for field in fields(Engine)]
    return Engine().with_values({name: getattr(settings, SETTING_PREFIX + name.upper()) for name in names})


def _build(default: Catalogue) -> CachedCatalogue:
    """Read the overrides with their version, and build the catalogue."""
    found = run_query(_overrides_query())
    if not found:
        return CachedCatalogue(default, None, _code_state(default))
    version, stamp = found[0][:2]
    overrides = [Override(*change) for _, _, *change in found if change[0] is not None]
    return CachedCatalogue(overridden(default, overrides, version=version), (version, stamp), _code_state(default))


def _overrides_query() -> Query[list[tuple[Any, ...]]]:
    fields = {field.name: field for model in (Configuration, OverrideRow) for field in model._meta.concrete_fields}
    columns = (fields[name] for name in ("version", "stamp", "kind", "name", "field", "value"))
    return Query((Statement(SELECT_OVERRIDES, (), field_converters(*columns)),), list)


def _row(found: list[tuple[Any, ...]]) -> Row:
    return (found[0][0], found[0][1]) if found else None


def _code_state(catalogue: Catalogue) -> CodeState:
    return catalogue.engine, catalogue.models, tuple(registry.revision for registry in _registries(catalogue))


def _registries(catalogue: Catalogue) -> list[Registry[Any]]:
    values = (getattr(catalogue, field.name) for field in fields(catalogue))
    return [value for value in values if isinstance(value, Registry)]


VERSION = CompiledQuery(lambda: Configuration.objects.order_by("pk").values_list("version", "stamp")[:1])
