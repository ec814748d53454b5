"""Defaults of an import by the user's language: the decimal separator, and names of columns and tables."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _

from shared.locales.formats import number_signs
from shared.locales.tags import choose_tag
from shared.user_messages.request_language import is_api_client, reader_language, response_language
from tables.column_types.decimal_separators import Decimal
from tables.importing.file_formats.source import FOR_PROGRAMS, ReaderDefaults


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
    return "," if number_signs(locale).decimal == "," else "."


def reader_locale(request: HttpRequest) -> str:
    """Return the locale in which the user of a page writes numbers, also for the page's requests to the API."""
    return choose_tag(
        # Read with the session.
        chosen=getattr(request.user, "locale", ""),
        page=response_language(request),
        accepted=request.headers.get("Accept-Language", ""),
    )
