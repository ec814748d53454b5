"""Rules for user names."""
from __future__ import annotations

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext as _

from accounts.scripts import mixes_scripts

# Fillers of Hangul: Unicode counts them as letters.
INVISIBLE = "\u115f\u1160\u3164\uffa0"


def check_username(name: str) -> None:
    """Raise ValidationError for a name that could mislead.

    It has no letter or digit, has letters that cannot be seen, mixes alphabets, or is an e-mail address: the owner of
    the address signs in with it.
    """
    if not any(letter.isalnum() for letter in name):
        raise ValidationError(_("A name must contain a letter or digit."))
    if any(letter in INVISIBLE for letter in name):
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
