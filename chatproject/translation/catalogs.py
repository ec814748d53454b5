"""The files of a language: `locale/…/*.po` for translators, and those compiled from them for the server and pages."""
from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from gettext import c2py
from io import BytesIO
from pathlib import Path
from typing import Any

from babel import Locale
from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.plurals import get_plural
from babel.messages.pofile import read_po, write_po

UNDATED = datetime(2000, 1, 1, tzinfo=UTC)
SERVER, SCRIPTS = "django", "djangojs"
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%[sd]|\{\w*(?::[,\w]+)?\}")
MARKUP = re.compile(r"</?\w[^>]*>")
HEADER = """# Texts of {name}; `manage.py messages` updates this file from the sources and compiles it.
msgid ""
msgstr ""
"Language: {code}\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: {plural}\\n"

"""
SCRIPT_HEADER = "// Made by `manage.py messages` from locale/{code}/LC_MESSAGES/djangojs.po.\n"


def po_path(root: Path, *, code: str, domain: str) -> Path:
    """Return the path of the .po file of a language."""
    return root / "locale" / code / "LC_MESSAGES" / f"{domain}.po"


def read(path: Path, *, code: str) -> Catalog:
    """Return the catalog in a .po file, an empty one if there is no file."""
    return read_po(BytesIO(path.read_bytes() if path.exists() else b""), locale=code)


def merged(known: Catalog, *, found: Catalog) -> Catalog:
    """Return a catalog of the texts in the sources (`found`) with the translations in `known`."""
    catalog = Catalog(locale=known.locale)
    for message in _texts(found):
        before = known.get(message.id, context=message.context)
        is_known = before is not None and _same_kind(before, message)
        string = before.string if before is not None and is_known else ""
        merged_message = catalog.add(
            message.id, string, locations=message.locations, context=message.context,
            auto_comments=message.auto_comments,
        )  # fmt: skip
        if before is not None:
            merged_message.flags |= before.flags & {"fuzzy"}
            merged_message.user_comments = before.user_comments
    return catalog


def as_po(catalog: Catalog, *, code: str) -> str:
    """Return the text of a .po file, without dates, so that it changes only with the texts."""
    written = BytesIO()
    write_po(written, catalog, width=120, omit_header=True, sort_output=True, include_lineno=False)
    name = Locale.parse(code, sep="-").english_name
    head = HEADER.format(name=name, code=code, plural=get_plural(code).plural_forms)
    return head + written.getvalue().decode().strip() + "\n"


def as_mo(catalog: Catalog, *, code: str) -> bytes:
    """Return the content of a .mo file, with a fixed date, so that it changes only with the texts."""
    undated = Catalog(locale=code, creation_date=UNDATED, revision_date=UNDATED)
    for message in _translated(catalog):
        undated.add(message.id, message.string, context=message.context)
    written = BytesIO()
    write_mo(written, undated)
    return written.getvalue()


def as_script(catalog: Catalog, *, code: str) -> str:
    """Return the script for static/locale.js: translations by English text and, for plurals, by category."""
    categories = _categories(code)
    words: dict[str, Any] = {}
    for message in _translated(catalog):
        ids, strings = _ids(message), _strings(message)
        words["\0".join(ids)] = (
            {name: strings[index] for name, index in categories.items()} if len(ids) > 1 else strings[0]
        )
    lines = (f"{json.dumps(key)}: {json.dumps(words[key], ensure_ascii=False)}" for key in sorted(words))
    words_object = "globalThis.tableChatWords = Object.freeze({\n" + ",\n".join(lines) + "\n});\n"
    return SCRIPT_HEADER.format(code=code) + words_object


def faults(known: Catalog, *, found: Catalog) -> Iterator[str]:
    """Return a line for each text that is missing, obsolete, fuzzy, or has other placeholders."""
    for message in _texts(found):
        before = known.get(message.id, context=message.context)
        if before is None or not _same_kind(before, message) or not all(_strings(before)):
            yield f"not translated: {_description(message)}"
        elif before.fuzzy:
            yield f"fuzzy: {_description(message)}"
        else:
            yield from _mismatches(before)
    for message in _texts(known):
        if found.get(message.id, context=message.context) is None:
            yield f"no longer in the source code: {_description(message)}"


def _mismatches(message: Message) -> Iterator[str]:
    for subject, pattern in (("placeholders", PLACEHOLDER), ("tags", MARKUP)):
        wanted = [sorted(pattern.findall(text)) for text in _ids(message)]
        if any(sorted(pattern.findall(text)) not in wanted for text in _strings(message)):
            yield f"{subject} do not match the source: {_description(message)}"


def _ids(message: Message) -> list[str]:
    return [message.id] if isinstance(message.id, str) else list(message.id)


def _strings(message: Message) -> list[str]:
    return [message.string or ""] if isinstance(message.string, str | None) else [text or "" for text in message.string]


def _same_kind(one: Message, other: Message) -> bool:
    return _ids(one) == _ids(other)


def _description(message: Message) -> str:
    where = ", ".join(dict.fromkeys(path for path, _ in message.locations))
    return " / ".join(_ids(message)) + (f" ({where})" if where else "")


def _texts(catalog: Catalog) -> Iterator[Message]:
    return (message for message in catalog if message.id)


def _translated(catalog: Catalog) -> Iterator[Message]:
    return (message for message in _texts(catalog) if all(_strings(message)) and not message.fuzzy)


def _categories(code: str) -> dict[str, int]:
    """Return the index of each CLDR plural category of a language among the plural forms of a .po file."""
    locale = Locale.parse(code, sep="-")
    index_of = c2py(get_plural(code).plural_expr)
    found = {locale.plural_form(number): index_of(number) for number in reversed(range(1_000))}
    return {**found, "other": found.get("other", max(found.values()))}
