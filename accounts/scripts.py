"""Scripts in user names: which may be combined, so that a name cannot look like another in a second alphabet."""

from __future__ import annotations

import unicodedata

# UTS #39, "highly restrictive": one script, or Latin together with one of these.
COMBINATIONS = (
    frozenset({"LATIN", "HAN", "HIRAGANA", "KATAKANA"}),
    frozenset({"LATIN", "HAN", "BOPOMOFO"}),
    frozenset({"LATIN", "HAN", "HANGUL"}),
)
HAN = {"CJK", "IDEOGRAPHIC"}
# Letters that are used with every script.
COMMON = {"MODIFIER"}


def scripts_of(text: str) -> set[str]:
    """Return the scripts of the letters and digits of a text; ASCII digits and punctuation have none.

    The Unicode name of a letter begins with its script (CYRILLIC SMALL LETTER A, KATAKANA-HIRAGANA …).
    """
    scripts = set()
    for character in text:
        if not character.isalnum() or (character.isascii() and character.isdigit()):
            continue
        words = unicodedata.name(character, "UNKNOWN").replace("-", " ").split()
        first = words[1] if words[0] == "EXTENDED" and len(words) > 1 else words[0]
        scripts.add("HAN" if first in HAN else first)
    return scripts - COMMON


def mixes_scripts(text: str) -> bool:
    """Return whether a text combines scripts that are not written together in any language."""
    scripts = scripts_of(text)
    return len(scripts) > 1 and not any(scripts <= together for together in COMBINATIONS)
