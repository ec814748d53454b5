"""Who reads an answer, and in which language: pages, and calls of the API that pages make. Programs read English."""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils import translation
from django.utils.translation import pgettext

# What the assistant's registries say to people: starter prompts, labels of tools, titles of payloads.
REGISTRY = "assistant"


def asked_language(request: HttpRequest) -> str:
    """The first language there is of those the browser asks for, else English. Asks no database."""
    return translation.get_language_from_request(request)


def is_program(request: Any) -> bool:
    """Whether the answer to this call is read by a program, which has a token, and not shown on a page."""
    request = getattr(request, "_request", request)
    return request is None or "Authorization" in request.headers


def reading_language(request: HttpRequest | None) -> str:
    """The language of whoever reads the page that made this call: English for programs. Asks no database."""
    if request is None or is_program(request):
        return settings.LANGUAGE_CODE
    # Known where the session was read; nobody waits for it here.
    chosen = getattr(getattr(request, "_cached_user", None), "language", "")
    return chosen if chosen in dict(settings.LANGUAGES) else asked_language(request)


@contextmanager
def as_read(request: Any) -> Iterator[None]:
    """Within it the current language is that of whoever reads the answer to this call of the API."""
    with translation.override(reading_language(getattr(request, "_request", request))):
        yield


def of_registry(text: str) -> str:
    """A text of the code's own registries in the current language; what administrators wrote stays as it is."""
    return pgettext(REGISTRY, text) if text else ""


def as_registered(texts: Iterable[str]) -> list[str]:
    """The same, of several."""
    return [of_registry(text) for text in texts]
