"""Template tags that make the browser load all modules of a page in parallel."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Any

from django import template
from django.conf import settings
from django.contrib.staticfiles import finders
from django.templatetags.static import static
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from shared import strictjson

register = template.Library()

IMPORT = re.compile(
    r"""^(?:import|export)\s[^"';]*?from\s*["'](\.[^"']+)["']|^import\s*["'](\.[^"']+)["']""", re.MULTILINE
)


@register.simple_tag
def modulepreload(*entries: str) -> SafeString:
    """Return `<link rel="modulepreload">` elements for these modules and all that they import."""
    return _links(_imported_by(entries), tuple(static(name) for name in entries))


# The URLs of the entries are part of the key, because they change with every imported module.
@lru_cache(maxsize=64)
def _links(names: tuple[str, ...], addresses: tuple[str, ...], /) -> SafeString:
    return format_html_join("\n", "{}", ((_link(name),) for name in names))


@register.simple_tag
def modules_later(name: str, entry: str, *already: str) -> SafeString:
    """Return a template of such links, which `chat/conversation_log.js` adds shortly before it needs `entry`.

    The modules of `already`, which the page has loaded, are left out.
    """
    there = _imported_by(already)
    links = format_html_join("", "{}", ((_link(found),) for found in _imported_by((entry,)) if found not in there))
    return format_html('<template data-modules="{}">{}</template>', name, links)


@register.simple_tag
def column_type_scripts() -> SafeString:
    """Return the declarations of all column types, and the scripts of those of other apps.

    They must be before the modules of the page.
    """
    # Projects without tables also load this library.
    from tables.column_types import COLUMN_TYPES, SCRIPTS

    declared = [_translated(kind.declaration()) for kind in COLUMN_TYPES.values()]
    meta = format_html('<meta name="column-types" content="{}">', strictjson.dumps(declared))
    names = tuple(dict.fromkeys(SCRIPTS.values()))
    loaded = format_html_join("\n", '<script type="module" src="{}"></script>', ((static(name),) for name in names))
    return format_html("{}\n{}\n{}", meta, modulepreload(*names), loaded) if names else meta


def _translated(declared: dict[str, Any]) -> dict[str, Any]:
    """Return the declaration of a type or a setting with translated labels."""
    label, choices = declared["label"], declared.get("choices")
    translated = {**declared, "label": gettext(label)}
    if choices is not None:
        translated["choices"] = {value: gettext(text) for value, text in choices.items()}
    if "settings" in declared:
        translated["settings"] = [_translated(each) for each in declared["settings"]]
    if "sortLabels" in declared:
        translated["sortLabels"] = [gettext(text) for text in declared["sortLabels"]]
    return translated


@register.simple_tag
def words_script(language: str) -> SafeString:
    """Return the script with the translations of a language. It must be before all modules."""
    if language == settings.LANGUAGE_CODE:
        return SafeString("")
    return format_html('<script defer src="{}"></script>\n', static(f"languages/{language}.js"))


def _link(name: str) -> SafeString:
    return format_html('<link rel="modulepreload" href="{}">', static(name))


def _imported_by(entries: tuple[str, ...]) -> tuple[str, ...]:
    # In development the imports may have changed.
    return imported_by.__wrapped__(entries) if settings.DEBUG else imported_by(entries)


@lru_cache
def imported_by(entries: tuple[str, ...]) -> tuple[str, ...]:
    """Return the static names of the modules and all that they import, each once, breadth first."""
    names = list(entries)
    for name in names:  # the list grows during the loop
        path = finders.find(name)
        if path is None:
            continue
        for found in IMPORT.finditer(Path(path).read_text(encoding="utf-8")):
            imported = normpath(join(dirname(name), found[1] or found[2]))
            if imported not in names:
                names.append(imported)
    return tuple(names)
