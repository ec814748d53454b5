"""The language of a response: that of the user for pages and for API calls of pages, English for API clients."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils import translation
from django.utils.translation import pgettext

# The msgctxt of texts in the assistant's registries: starter prompts, labels of tools, titles of payloads.
REGISTRY_CONTEXT = "assistant"


def requested_language(request: HttpRequest) -> str:
    """Return the first supported language that the browser accepts, else English. Uses no database."""
    return translation.get_language_from_request(request)


def is_api_client(request: Any) -> bool:
    """Return whether the request was sent with a token, so that its response is not shown on a page."""
    request = getattr(request, "_request", request)
    return request is None or "Authorization" in request.headers


def response_language(request: HttpRequest | None) -> str:
    """Return the language of the response to this request. Uses no database."""
    if request is None or is_api_client(request):
        return settings.LANGUAGE_CODE
    # Only if the user has been loaded already.
    chosen = getattr(getattr(request, "_cached_user", None), "language", "")
    return chosen if chosen in dict(settings.LANGUAGES) else requested_language(request)


@contextmanager
def reader_language(request: Any) -> Iterator[None]:
    """Activate the language of the response to this request."""
    with translation.override(response_language(getattr(request, "_request", request))):
        yield


def translated_registry_text(text: str) -> str:
    """Return a text of a registry in the current language. Texts of administrators have no translation."""
    return pgettext(REGISTRY_CONTEXT, text) if text else ""


def translated_registry_texts(texts: Iterable[str]) -> list[str]:
    """Return several texts of registries in the current language."""
    return [translated_registry_text(text) for text in texts]
