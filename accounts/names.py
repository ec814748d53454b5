"""Rules for user names."""
from __future__ import annotations

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from accounts.scripts import mixes_scripts


def check_username(name: str) -> None:
    """Raise ValidationError for a name that has no letter or digit, or that mixes alphabets."""
    if not any(letter.isalnum() for letter in name):
        raise ValidationError(_("A name has at least one letter or digit."))
    if mixes_scripts(name):
        raise ValidationError(_("A name has letters of one alphabet only."))
