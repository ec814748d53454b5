"""JSON schemas of the settings of columns, with descriptions for the OpenAPI document."""
from __future__ import annotations

from shared.rest.openapi import Json, described
from tables.column_types.settings import TYPE_SETTINGS, Setting, setting_schemas


def described_settings() -> dict[str, Json]:
    """Return the JSON schema of each setting of any type by name; the description names its types and default."""
    texts: dict[str, list[str]] = {}
    for type_name, settings in TYPE_SETTINGS.items():
        for setting in settings:
            texts.setdefault(setting.name, []).append(_text(setting, type_name=type_name))
    return {name: described(schema, " ".join(texts[name])) for name, schema in setting_schemas().items()}


def _text(setting: Setting, *, type_name: str) -> str:
    formats = f" with the format {' or '.join(setting.formats)}" if setting.formats else ""
    default = "" if setting.default is None else f" The default is {setting.default}."
    return f"For {type_name} columns{formats}: {setting.described or setting.label.lower()}.{default}"
