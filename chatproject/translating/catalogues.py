"""The files of a language: `locale/…/*.po` for people to write, and what is made of them for the server and pages."""
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
PLACE = re.compile(r"%\(\w+\)[sd]|%[sd]|\{\w*(?::[,\w]+)?\}")
MARKUP = re.compile(r"</?\w[^>]*>")
HEAD = """# Texts of {name}; `manage.py messages` brings them in line with the sources, and makes of them what runs.
msgid ""
msgstr ""
"Language: {code}\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: {plural}\\n"

"""
MADE = "// Made by `manage.py messages` from locale/{code}/LC_MESSAGES/djangojs.po.\n"


def po_path(root: Path, *, code: str, domain: str) -> Path:
    """Where the texts of a language are written."""
    return root / "locale" / code / "LC_MESSAGES" / f"{domain}.po"


def read(path: Path, *, code: str) -> Catalog:
    """The texts of a language, none where there is no file yet."""
    return read_po(BytesIO(path.read_bytes() if path.exists() else b""), locale=code)


def brought_in_line(known: Catalog, *, found: Catalog) -> Catalog:
    """The texts that were found, with the translations there are."""
    catalog = Catalog(locale=known.locale)
    for message in _texts(found):
        before = known.get(message.id, context=message.context)
        is_known = before is not None and _same_kind(before, message)
        said = before.string if before is not None and is_known else ""
        kept = catalog.add(message.id, said, locations=message.locations, context=message.context,
                           auto_comments=message.auto_comments)  # fmt: skip
        if before is not None:
            kept.flags |= before.flags & {"fuzzy"}
            kept.user_comments = before.user_comments
    return catalog


def as_po(catalog: Catalog, *, code: str) -> str:
    """A file for people; without dates, so that it is the same when nothing has changed."""
    written = BytesIO()
    write_po(written, catalog, width=120, omit_header=True, sort_output=True, include_lineno=False)
    name = Locale.parse(code, sep="-").english_name
    head = HEAD.format(name=name, code=code, plural=get_plural(code).plural_forms)
    return head + written.getvalue().decode().strip() + "\n"


def as_mo(catalog: Catalog, *, code: str) -> bytes:
    """What gettext reads; without dates, so that it is the same when nothing has changed."""
    undated = Catalog(locale=code, creation_date=UNDATED, revision_date=UNDATED)
    for message in _translated(catalog):
        undated.add(message.id, message.string, context=message.context)
    written = BytesIO()
    write_mo(written, undated)
    return written.getvalue()


def as_script(catalog: Catalog, *, code: str) -> str:
    """What static/locale.js reads: from English texts to this language's, by plural category where a number decides."""
    categories = _categories(code)
    words: dict[str, Any] = {}
    for message in _translated(catalog):
        ids, said = _ids(message), _said(message)
        words["\0".join(ids)] = {name: said[place] for name, place in categories.items()} if len(ids) > 1 else said[0]
    lines = (f"{json.dumps(key)}: {json.dumps(words[key], ensure_ascii=False)}" for key in sorted(words))
    return MADE.format(code=code) + "globalThis.tableChatWords = Object.freeze({\n" + ",\n".join(lines) + "\n});\n"


def faults(known: Catalog, *, found: Catalog) -> Iterator[str]:
    """What of a language is missing, no longer wanted, in doubt, or does not fit its source; one line each."""
    for message in _texts(found):
        before = known.get(message.id, context=message.context)
        if before is None or not _same_kind(before, message) or not all(_said(before)):
            yield f"not translated: {_shown(message)}"
        elif before.fuzzy:
            yield f"fuzzy: {_shown(message)}"
        else:
            yield from _misfits(before)
    for message in _texts(known):
        if found.get(message.id, context=message.context) is None:
            yield f"no longer in the source code: {_shown(message)}"


def _misfits(message: Message) -> Iterator[str]:
    for what, pattern in (("placeholders", PLACE), ("tags", MARKUP)):
        wanted = [sorted(pattern.findall(text)) for text in _ids(message)]
        if any(sorted(pattern.findall(text)) not in wanted for text in _said(message)):
            yield f"{what} do not match the source: {_shown(message)}"


def _ids(message: Message) -> list[str]:
    return [message.id] if isinstance(message.id, str) else list(message.id)


def _said(message: Message) -> list[str]:
    return [message.string or ""] if isinstance(message.string, str | None) else [text or "" for text in message.string]


def _same_kind(one: Message, other: Message) -> bool:
    return _ids(one) == _ids(other)


def _shown(message: Message) -> str:
    where = ", ".join(dict.fromkeys(path for path, _ in message.locations))
    return " / ".join(_ids(message)) + (f" ({where})" if where else "")


def _texts(catalog: Catalog) -> Iterator[Message]:
    return (message for message in catalog if message.id)


def _translated(catalog: Catalog) -> Iterator[Message]:
    return (message for message in _texts(catalog) if all(_said(message)) and not message.fuzzy)


def _categories(code: str) -> dict[str, int]:
    """Plural category of the language → place among the texts of a .po file; both are asked about the same numbers."""
    locale = Locale.parse(code, sep="-")
    place_of = c2py(get_plural(code).plural_expr)
    found = {locale.plural_form(number): place_of(number) for number in reversed(range(1_000))}
    return {**found, "other": found.get("other", max(found.values()))}
