"""The project's settings with the application installed."""
from __future__ import annotations

from chatproject.settings import *  # noqa: F403  # settings modules extend each other this way
from chatproject.settings import INSTALLED_APPS as PROJECT_APPS

INSTALLED_APPS = [*PROJECT_APPS, "tests.reports"]
ROOT_URLCONF = "tests.reports.project_urls"
