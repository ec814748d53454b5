"""Defaults of an import by the user's language: the decimal separator, and names of columns and tables."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist
from django.http import HttpRequest
from django.utils.formats import get_format
from django.utils.translation import gettext as _
from django.utils.translation.trans_real import parse_accept_lang_header

from shared.user_messages.request_language import is_api_client, reader_language, response_language
from tables.column_types.decimal_separators import Decimal
from tables.importing.file_formats.source import FOR_PROGRAMS, ReaderDefaults

# Locales with a decimal comma in Django and a decimal point in the Intl API of browsers.
WITH_POINT = frozenset(
    "ar de-ch de-li it-ch km km-kh es-419 es-br es-bz es-cu es-do es-gt es-hn es-pa es-pe es-sv es-us".split()
)
# Languages and locales with a decimal point in Django and a decimal comma in the Intl API.
WITH_COMMA = frozenset(
    "af ast be br dsb fy hsb hy ka kk ky lb no rm ms-bn"
    " en-at en-be en-cz en-de en-dk en-ee en-es en-fi en-fr en-ge en-hu en-id en-it en-lt en-lv en-nl en-no en-pl en-pt"
    " en-ro en-se en-si en-sk en-ua en-za".split()
)
# Languages and locales with a decimal comma in which only Django or only the Intl API separates thousands by dots.
WITH_DOTS = frozenset(
    "ast az dsb es fr-lu fr-ma fy hsb lb ms-bn"
    " en-at en-be en-de en-dk en-es en-id en-it en-nl en-pl en-ro en-si".split()
)
WITHOUT_DOTS = frozenset("de-at lt pt-ao pt-ch pt-cv pt-gq pt-gw pt-lu pt-mo pt-mz pt-pt pt-st pt-tl sq".split())


def reader_defaults(request: Any) -> ReaderDefaults:
    """Return the defaults for files of this user; API clients get those of English."""
    request = getattr(request, "_request", request)
    if is_api_client(request):
        return FOR_PROGRAMS
    with reader_language(request):
        return ReaderDefaults(
            decimal=reader_separator(request),
            unnamed_column=_("Column {number}"),
            unnamed_table=_("Imported table"),
        )


def reader_separator(request: HttpRequest) -> Decimal:
    """Return the decimal separator of the page's user."""
    return decimal_separator(reader_locale(request))


def decimal_separator(locale: str) -> Decimal:
    """Return the decimal separator of a language tag such as de-AT; a point for an unknown tag."""
    tag = locale.lower()
    if tag in WITH_POINT:
        return "."
    if WITH_COMMA & {tag, tag.split("-")[0]}:
        return ","
    return "," if get_format("DECIMAL_SEPARATOR", lang=tag, use_l10n=True) == "," else "."


def has_dots(locale: str) -> bool:
    """Return whether thousands are separated by dots in a language with a decimal comma; otherwise by spaces."""
    tag = locale.lower()
    if tag in WITHOUT_DOTS:
        return False
    if WITH_DOTS & {tag, tag.split("-")[0]}:
        return True
    return get_format("THOUSAND_SEPARATOR", lang=tag, use_l10n=True) == "."


def reader_locale(request: HttpRequest) -> str:
    """Return the locale in which the user writes numbers, as `localeOf` of static/locale.js does."""
    try:
        chosen = str(request.user.profile.locale)  # type: ignore[union-attr]  # imports require a user
    except ObjectDoesNotExist:
        chosen = ""
    page = response_language(request)
    accepted = parse_accept_lang_header(request.headers.get("Accept-Language", ""))
    browser = next((tag for tag, _quality in accepted if tag != "*"), page)
    is_translated = page != settings.LANGUAGE_CODE
    return chosen or (page if is_translated and browser.split("-")[0] != page.split("-")[0] else browser)
