"""Rules for user names: visible letters, no misleading mix of scripts, and no e-mail addresses."""
from __future__ import annotations

import unicodedata

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext as _

# Fillers of Hangul: Unicode counts them as letters.
INVISIBLE_LETTERS = "\u115f\u1160\u3164\uffa0"
# UTS #39, "highly restrictive": one script, or Latin together with one of these.
SCRIPT_COMBINATIONS = (
    frozenset({"LATIN", "HAN", "HIRAGANA", "KATAKANA"}),
    frozenset({"LATIN", "HAN", "BOPOMOFO"}),
    frozenset({"LATIN", "HAN", "HANGUL"}),
)
HAN = {"CJK", "IDEOGRAPHIC"}
# Letters that are used with every script.
COMMON = {"MODIFIER"}


def check_username(name: str) -> None:
    """Raise ValidationError for a name that could mislead.

    These are names without letters and digits, with invisible letters or a mix of alphabets, and e-mail addresses, with
    which the owner of the address signs in.
    """
    if not any(letter.isalnum() for letter in name):
        raise ValidationError(_("A name must contain a letter or digit."))
    if any(letter in INVISIBLE_LETTERS for letter in name):
        raise ValidationError(_("Use only letters, digits and @ . + - _."))
    if _is_address(name):
        raise ValidationError(_("A name cannot be an e-mail address."))
    if mixes_scripts(name):
        raise ValidationError(_("A name can only use letters of one alphabet."))


def _is_address(name: str) -> bool:
    try:
        validate_email(name)
    except ValidationError:
        return False
    return True


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
    return len(scripts) > 1 and not any(scripts <= together for together in SCRIPT_COMBINATIONS)
