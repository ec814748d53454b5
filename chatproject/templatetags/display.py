"""Template tags of all pages: icons, initials, visible control characters, localized numbers and dates."""

from __future__ import annotations

import re
from datetime import datetime
from functools import lru_cache

from django import template
from django.conf import settings
from django.templatetags.static import static
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from shared.locales.active import current_tag
from shared.locales.formats import day_text, moment_text, number_signs

register = template.Library()

# As in static/element.js. Joiners are hidden only after ASCII; scripts and emoji need them.
HIDDEN = re.compile(
    r"([\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
    r"|(?<=[\x00-\x7f])[\u200c\u200d]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f])"
)
HIDDEN_MARK = '<span class="hidden-char" title="Invisible character">{}</span>'


@register.simple_tag
def site_name() -> str:
    """Return the name of the site."""
    name: str = settings.SITE_NAME
    return name


@register.simple_tag
def icon(name: str, extra: str = "") -> SafeString:
    """Return an icon of the sprite, hidden from screen readers."""
    return _icon(name, extra=extra, sprite=static("icons/sprite.svg"))


# A page has more than a hundred icons of few kinds.
@lru_cache(maxsize=512)
def _icon(name: str, *, extra: str, sprite: str) -> SafeString:
    classes = f"icon {extra}".strip()
    return format_html('<svg class="{}" aria-hidden="true"><use href="{}#i-{}"/></svg>', classes, sprite, name)


@register.filter
def initials(name: str) -> str:
    """Return up to two initials of a name."""
    words = [word for word in name.replace(".", " ").replace("_", " ").split() if word]
    letters = words[0][0] + words[-1][0] if len(words) > 1 else name[:1]
    return letters.upper()


@register.filter
def revealed(text: object) -> SafeString | str:
    """Return the text with invisible characters spelled out, like `drawRevealed` of the scripts."""
    whole = str(text)
    pieces = HIDDEN.split(whole)
    if len(pieces) == 1:
        return whole
    # Every second piece is a match.
    shown = (format_html(HIDDEN_MARK, f"U+{ord(text):04X}") if index % 2 else text for index, text in enumerate(pieces))
    return format_html_join("", "{}", ((piece,) for piece in shown))


@register.filter
def spelled_out(text: object) -> str:
    """Return the text with invisible characters spelled out as plain text, for attributes and screen readers."""
    return HIDDEN.sub(lambda found: f"U+{ord(found[0]):04X}", str(text))


@register.simple_tag
def reader_locale() -> str:
    """Return the locale of numbers and dates on the page, for scripts."""
    return current_tag()


@register.filter
def counted(number: int) -> str:
    """Return an integer in the user's locale."""
    return number_signs(current_tag()).number(str(number), grouped=True)


@register.filter(expects_localtime=True)
def day(moment: datetime) -> str:
    """Return a date in the user's locale and time zone."""
    return day_text(moment.date(), tag=current_tag())


@register.filter(name="moment", expects_localtime=True)
def day_and_time(moment: datetime) -> str:
    """Return a date and time in the user's locale and time zone."""
    return moment_text(moment, tag=current_tag())
