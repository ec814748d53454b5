"""Names of columns and options: comparison, validation, and the nearest name for a misspelled one."""
from __future__ import annotations

import difflib
import heapq
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from shared.strictjson.invisible import strip_invisible
from shared.user_messages import Message, declare, literal
from shared.user_messages.request_messages import LONE_SURROGATE, NUL_CHARACTER
from tables.column_types.faults import ValueFault

NAME_NOT_TEXT = declare("name_not_text", "A name must be text.")
NAME_EMPTY = declare("name_empty", "A name must not be empty.")
NAME_TOO_LONG = declare("name_too_long", "A name can have at most {count} characters.")
NAME_CONTROL_CHARACTER = declare(
    "name_control_character", "A name must not contain line breaks, tabs or other control characters."
)
OPTION_NOT_TEXT = declare("option_not_text", "An option must be text.")
OPTION_EMPTY = declare("option_empty", "An option must not be empty.")
OPTION_TOO_LONG = declare("option_too_long", "An option can have at most {count} characters.")
OPTION_CONTROL_CHARACTER = declare(
    "option_control_character", "An option must not contain line breaks, tabs or other control characters."
)
DID_YOU_MEAN = declare("did_you_mean", " Did you mean “{name}”?")
AVAILABLE_NAMES = declare("there_are", " Available: {names:quoted}.")
NO_HINT = literal("")

MAX_NAME_LENGTH = 255
# Limits that keep the search for the nearest name fast: compared characters, and names compared roughly and exactly.
MAX_COMPARED_LENGTH = 100
MAX_CANDIDATES = 1_000
MAX_EXACT_COMPARISONS = 12
MAX_LISTED = 12
# Column ids are random, so similarity to a name means nothing.
COLUMN_ID = re.compile(r"col_[0-9a-z]{8}")


def name_key(text: str) -> str:
    """Return the form in which names are compared: NFKC, without case, outer white space and invisible characters."""
    # Folding can undo the normal form (and the reverse), so the text is normalised again.
    folded = unicodedata.normalize("NFKC", strip_invisible(text)).casefold()
    return unicodedata.normalize("NFKC", folded).strip()


def check_name(text: object, *, is_option: bool = False) -> str:
    """Return the name of a table, column or option without outer white space. Raises ValueFault."""
    if not isinstance(text, str):
        raise ValueFault("not_text", OPTION_NOT_TEXT() if is_option else NAME_NOT_TEXT())
    refuse_unstorable_text(text)
    name = text.strip()
    if not name or not name_key(name):
        raise ValueFault("empty_name", OPTION_EMPTY() if is_option else NAME_EMPTY())
    if len(name) > MAX_NAME_LENGTH or len(name_key(name)) > MAX_NAME_LENGTH:
        raise ValueFault("too_long", (OPTION_TOO_LONG if is_option else NAME_TOO_LONG)(count=MAX_NAME_LENGTH))
    if any(unicodedata.category(character) == "Cc" for character in name):
        raise ValueFault("control_character", OPTION_CONTROL_CHARACTER() if is_option else NAME_CONTROL_CHARACTER())
    return name


def refuse_unstorable_text(text: str) -> None:
    """Raise ValueFault for NUL characters and lone surrogates, which databases or readers do not accept."""
    if "\x00" in text:
        raise ValueFault("nul_character", NUL_CHARACTER())
    if text.isascii():
        return
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueFault("lone_surrogate", LONE_SURROGATE()) from None


def nearest(word: str, names: Iterable[str]) -> str:
    """Return the name most similar to `word`; "" if there is none, or if `word` is the id of a column."""
    if COLUMN_ID.fullmatch(word):
        return ""
    return _nearest(word[:MAX_COMPARED_LENGTH], tuple(names)[:MAX_CANDIDATES])


# The same wrong word often occurs in many rows.
@lru_cache(maxsize=512)
def _nearest(word: str, names: tuple[str, ...]) -> str:
    wanted, pairs = name_key(word), _pairs(name_key(word))
    candidates = _keyed(names)
    # Exact comparison is slow, so only the names that share most pairs of letters are compared exactly.
    shared = {key: len(pairs & own) / len(own) for key, (_, own) in candidates.items()}
    likely = heapq.nlargest(MAX_EXACT_COMPARISONS, shared, key=shared.__getitem__)
    found = difflib.get_close_matches(wanted, likely, n=1, cutoff=0.5)
    return candidates[found[0]][0] if found else ""


@lru_cache(maxsize=16)
def _keyed(names: tuple[str, ...]) -> dict[str, tuple[str, frozenset[str]]]:
    keys = {name_key(name)[:MAX_COMPARED_LENGTH]: name for name in names}
    return {key: (name, _pairs(key)) for key, name in keys.items()}


def _pairs(key: str) -> frozenset[str]:
    padded = f" {key} "
    return frozenset(padded[i : i + 2] for i in range(len(padded) - 1))


def did_you_mean(word: object, names: Iterable[str], *, listed: bool = False) -> Message:
    """Return the end of a message that refuses `word`: the nearest name, else the names if they are few, or nothing.

    `listed`: the message itself lists the names.
    """
    known = list(names)
    match = nearest(word, known) if isinstance(word, str) else ""
    if match:
        return DID_YOU_MEAN(name=match)
    return AVAILABLE_NAMES(names=known) if not listed and 0 < len(known) <= MAX_LISTED else NO_HINT
