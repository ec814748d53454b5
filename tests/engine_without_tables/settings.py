"""Settings of a project without the app `tables`."""
from __future__ import annotations

from chatproject.settings import *  # noqa: F403  # settings modules extend each other this way
from chatproject.settings import INSTALLED_APPS as PROJECT_APPS

APPS = [name for name in PROJECT_APPS if name not in {"tables", "fills"}]
INSTALLED_APPS = [*APPS, "tests.engine_without_tables.invoices"]
ROOT_URLCONF = "tests.engine_without_tables.urls"
LOGIN_REDIRECT_URL = "invoices"
SITE_NAME = "Invoices"
