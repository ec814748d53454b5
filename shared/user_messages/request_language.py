"""The language of an answer: that of the reader for pages and for API calls of pages, English for programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils import translation
from django.utils.translation import pgettext

# msgctxt of the texts of the assistant's registries: starter prompts, labels of tools, titles of payloads.
REGISTRY = "assistant"


def requested_language(request: HttpRequest) -> str:
    """Return the first supported language that the browser accepts, else English. Needs no database."""
    return translation.get_language_from_request(request)


def is_program(request: Any) -> bool:
    """Whether a program with a token sent the request, so that the answer is not shown on a page."""
    request = getattr(request, "_request", request)
    return request is None or "Authorization" in request.headers


def reading_language(request: HttpRequest | None) -> str:
    """Return the language of the answer: English for programs, else that of the page. Needs no database."""
    if request is None or is_program(request):
        return settings.LANGUAGE_CODE
    # Known where the session has been read; it is not read for this.
    chosen = getattr(getattr(request, "_cached_user", None), "language", "")
    return chosen if chosen in dict(settings.LANGUAGES) else requested_language(request)


@contextmanager
def as_read(request: Any) -> Iterator[None]:
    """Activate the language of the answer to this request."""
    with translation.override(reading_language(getattr(request, "_request", request))):
        yield


def translated_registry_text(text: str) -> str:
    """Return a text of the code's own registries in the current language; texts of administrators stay as they are."""
    return pgettext(REGISTRY, text) if text else ""


def translated_registry_texts(texts: Iterable[str]) -> list[str]:
    """Return several such texts."""
    return [translated_registry_text(text) for text in texts]
