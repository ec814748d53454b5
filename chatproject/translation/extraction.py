"""Extracts translatable texts from Python files, templates, scripts and registries."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract
from django.utils.translation.template import templatize

from chat.catalogue import CODE
from shared.user_messages.message import MESSAGE_CONTEXT
from shared.user_messages.request_language import REGISTRY_CONTEXT
from tables.column_types import get_column_type, type_names
from tables.column_types.operators import OPERATORS

PACKAGES = ("accounts", "chat", "chatproject", "fills", "shared", "tables")
# Files and folders whose texts are for administrators and developers, and remain English.
ENGLISH = {
    "admin", "api_docs.html", "api_explorer.html", "languages", "management", "migrations", "translation", "vendor",
}  # fmt: skip
LAZY = {
    "gettext_lazy": None, "gettext_noop": None, "noop": None, "_lazy": None,
    "ngettext_lazy": (1, 2), "pgettext_lazy": ((1, "c"), 2),
    "npgettext_lazy": ((1, "c"), 2, 3), "_n": (1, 2),
}  # fmt: skip
Keywords = Mapping[str, Any]
PYTHON: Keywords = {**DEFAULT_KEYWORDS, **LAZY}
# Templates of messages, which have their own context.
MESSAGES: Keywords = {"declare": (2,), "declare_plural": (2, 3)}
SCRIPTS: Keywords = {"t": (1,), "tn": (1, 2)}


def found_by_server(*, root: Path) -> Catalog:
    """Return the texts of Python files, templates and registries."""
    catalog = Catalog()
    for path in _files(root, PACKAGES, suffix=".py"):
        text, name = path.read_text(encoding="utf-8"), path.relative_to(root)
        _add(catalog, text, path=name)
        _add(catalog, text, path=name, keywords=MESSAGES, context=MESSAGE_CONTEXT)
    for path in _files(root, ("templates",), suffix=".html"):
        name = path.relative_to(root)
        code = templatize(path.read_text(encoding="utf-8"), origin=str(name))
        # The result of `templatize` is no valid Python because of its indentation.
        _add(catalog, "\n".join(line.strip() for line in code.splitlines()), path=name)
    add_registry_texts(catalog)
    return catalog


def add_registry_texts(catalog: Catalog) -> None:
    """Add the texts of registries and of column types, which pages translate."""
    for kind in (*map(get_column_type, type_names()), get_column_type("")):
        settings = [label for each in kind.settings for label in (each.label, *each.choices.values())]
        labels = (kind.label, kind.hint, *kind.sort_labels, *(form.label for form in kind.forms))
        for text in filter(None, (*labels, *settings)):
            catalog.add(text, locations=[("tables/column_types", 0)])
    for operator in OPERATORS.values():
        for text in operator.labels:
            catalog.add(text, locations=[("tables/column_types", 0)])
    for text in filter(None, _registry_texts()):
        catalog.add(text, context=REGISTRY_CONTEXT, locations=[("chat/catalogue.py", 0)])


def _registry_texts() -> Iterator[str]:
    """Return the texts of the assistant's registries that users see, without overrides."""
    for page in CODE.pages:
        yield from page.starters
    for tool in CODE.tools:
        yield tool.label
    for kind in CODE.payload_types:
        yield kind.frontend_config.get("title", "")
        for verb in kind.verbs.values():
            yield from (verb.pending, verb.applied)


def found_by_scripts(*, root: Path) -> Catalog:
    """Return the texts that scripts translate with `t` and `tn` of static/locale.js."""
    catalog = Catalog()
    for path in _files(root, ("static",), suffix=".js"):
        _add(catalog, path.read_text(encoding="utf-8"), path=path.relative_to(root), keywords=SCRIPTS)
    return catalog


def _files(root: Path, folders: Iterable[str], *, suffix: str) -> Iterator[Path]:
    for folder in folders:
        for path in sorted((root / folder).rglob(f"*{suffix}")):
            if not ENGLISH.intersection(path.relative_to(root).parts):
                yield path


def _add(catalog: Catalog, text: str, *, path: Path, keywords: Keywords = PYTHON, context: str | None = None) -> None:
    method = "javascript" if keywords is SCRIPTS else "python"
    for _, found, comments, own_context in extract(method, BytesIO(text.encode()), keywords, ["Translators:"]):
        catalog.add(found, context=context or own_context, locations=[(str(path), 0)], auto_comments=comments)
