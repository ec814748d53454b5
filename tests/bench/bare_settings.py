"""The project's settings with the bare view as the only URL, and a single middleware,
without which django-allauth does not start."""
from __future__ import annotations

from chatproject.settings import *  # noqa: F403  settings are taken over whole

ROOT_URLCONF = "tests.bench.bare_urls"
MIDDLEWARE: list[str] = ["allauth.account.middleware.AccountMiddleware"]
