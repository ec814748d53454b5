"""Tells the browser at once which modules a page will import, so that it does not find them one after another."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from posixpath import dirname, join, normpath

from django import template
from django.conf import settings
from django.contrib.staticfiles import finders
from django.templatetags.static import static
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from tables.column_types import SCRIPTS

register = template.Library()

IMPORT = re.compile(
    r"""^(?:import|export)\s[^"';]*?from\s*["'](\.[^"']+)["']|^import\s*["'](\.[^"']+)["']""", re.MULTILINE
)


@register.simple_tag
def modulepreload(*entries: str) -> SafeString:
    """`<link rel="modulepreload">` for the named modules and all they import."""
    names = imported_by(entries) if not settings.DEBUG else imported_by.__wrapped__(entries)
    return format_html_join("\n", '<link rel="modulepreload" href="{}">', ((static(name),) for name in names))


@register.simple_tag
def column_type_scripts() -> SafeString:
    """The modules of column types that other apps brought; before the page's own, so that they are there first."""
    names = tuple(dict.fromkeys(SCRIPTS.values()))
    loaded = format_html_join("\n", '<script type="module" src="{}"></script>', ((static(name),) for name in names))
    return format_html("{}\n{}", modulepreload(*names), loaded) if names else loaded


@lru_cache
def imported_by(entries: tuple[str, ...]) -> tuple[str, ...]:
    """The static names of the modules and what they import, each once, the nearest first."""
    names = list(entries)
    for name in names:  # grows while it is walked
        path = finders.find(name)
        if path is None:
            continue
        for found in IMPORT.finditer(Path(path).read_text(encoding="utf-8")):
            imported = normpath(join(dirname(name), found[1] or found[2]))
            if imported not in names:
                names.append(imported)
    return tuple(names)
