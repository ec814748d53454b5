"""Translations of sentences in `locale/sentences.txt` for the templates that replace them."""

from __future__ import annotations

import re

from babel.messages.catalog import Catalog, Message

from retold import CONTEXT as SENTENCES
from user_messages.message import CONTEXT, PLACEHOLDER

QUOTED = re.compile(r"\{([a-z_]+):quoted\}")


def carried_over(message: Message, *, known: Catalog) -> str | tuple[str, ...]:
    """Return the translation of the sentence with the same text; "" where there is none.

    Names and styles of placeholders can differ. `{value:quoted}` replaces “{value}”.
    """
    if message.context != CONTEXT:
        return ""
    texts = [message.id] if isinstance(message.id, str) else list(message.id)
    by_text = {_bare(each.id): each for each in known if each.context == SENTENCES and isinstance(each.id, str)}
    translated = [_renamed(by_text.get(_bare(text)), text=text) for text in texts]
    if not all(translated):
        return ""
    return translated[0] if isinstance(message.id, str) else tuple(translated)


def _bare(text: str) -> str:
    return PLACEHOLDER.sub("{}", QUOTED.sub(r"“{\1}”", text))


def _renamed(sentence: Message | None, *, text: str) -> str:
    if sentence is None or not sentence.string:
        return ""
    old = [name for name, _ in PLACEHOLDER.findall(str(sentence.id))]
    new = [found[0] for found in PLACEHOLDER.finditer(text)]
    renamed = dict(zip(old, new, strict=True))
    translated = str(sentence.string)
    for name, placeholder in renamed.items():
        if placeholder.endswith(":quoted}"):
            translated = translated.replace(f"„{{{name}}}“", placeholder)
        translated = translated.replace(f"{{{name}}}", placeholder)
    return translated
