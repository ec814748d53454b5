"""Words that only name rows: "ones", "entries", and what the table is about ("applications", "expenses")."""

from __future__ import annotations

import re

from chat.demo.knowledge.domains import find_domain
from chat.demo.language.words import key, singular, tokens
from chat.demo.page import Page

_GENERIC = re.compile(
    r"(?:rows?|records?|entries|entry|lines?|items?|ones?|everything|anything|data|things?|all|those|them|it|table|list|people|companies)"
)
_RELATIVE = re.compile(r"^(?:(?:that|which|who)\s+)?(?:(?:is|are|was|were|has|have)\s+)?", re.IGNORECASE)


def is_noun(text: str, *, page: Page) -> bool:
    """Whether a phrase is only a name for rows."""
    low = key(text)
    if _GENERIC.fullmatch(low):
        return True
    words = [singular(word) for word in low.split()]
    if not words or len(words) > 3 or page.with_option(text):
        return False
    about = set(tokens(page.table_name)) | {"row"}
    if set(words) <= about:
        return True
    subject = find_domain(page.table_name)
    # "expenses" in a table "Household budget"; only in the plural, for "Company" is a column and "expense" a cell.
    return len(words) == 1 and subject is not None and words[0] != low and _means(low, subject=subject.pattern)


def _means(word: str, *, subject: str) -> bool:
    found = re.search(subject, word)
    return found is not None and found.start() == 0 and found.end() == len(word)


def without_noun(text: str, *, page: Page) -> str:
    """ "tasks that are done" → "done"; the text itself if it does not begin with a noun."""
    words = text.split()
    for size in (2, 1):
        if len(words) > size and is_noun(" ".join(words[:size]), page=page):
            return _RELATIVE.sub("", " ".join(words[size:]))
    return text
