"""The project's settings, with nothing but the bare view at its addresses, and nothing before it but one middleware,
without which django-allauth does not start."""
from __future__ import annotations

from chatproject.settings import *  # noqa: F403  settings are taken over whole

ROOT_URLCONF = "tests.bench.bare_urls"
MIDDLEWARE: list[str] = ["allauth.account.middleware.AccountMiddleware"]
