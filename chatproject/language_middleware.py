"""Pages are in the language of whoever reads them: the one they chose, else the best that their browser asks for."""
from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import patch_vary_headers

from accounts.profiles import language_of
from chatproject.inline_middleware import InPlaceMiddleware
from shared.user_messages.request_language import requested_language

# What programs read, what the model is told and what is kept does not depend on who reads: all of it is in English.
ENGLISH = ("/api/", "/admin/", "/metrics", "/healthz", "/readyz")


class OwnLanguageMiddleware(InPlaceMiddleware):
    """Makes the reader's language Django's current one for a page. Who reads is known with the session, or asked once
    for all of the request; of what stays English, as every stream does, nothing is asked and nothing waits."""

    def request_waits(self, request: HttpRequest) -> bool:
        """A page finds out who reads it; a visitor without a session is nobody."""
        return not request.path.startswith(ENGLISH) and settings.SESSION_COOKIE_NAME in request.COOKIES

    def process_request(self, request: HttpRequest) -> None:
        if request.path.startswith(ENGLISH):
            _speak(request, settings.LANGUAGE_CODE)
            return
        # In place before the database is asked: should it be away, the page that says so is in the right language.
        _speak(request, requested_language(request))
        chosen = language_of(request.user) if request.user.is_authenticated else ""
        if chosen:
            _speak(request, chosen)

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if not request.path.startswith(ENGLISH) and response.headers.get("Content-Type", "").startswith("text/"):
            response.headers.setdefault("Content-Language", translation.get_language() or settings.LANGUAGE_CODE)
            patch_vary_headers(response, ["Accept-Language", "Cookie"])
        translation.deactivate()
        return response


def _speak(request: HttpRequest, language: str) -> None:
    translation.activate(language)
    # Where Django looks for it, too.
    request.LANGUAGE_CODE = language
