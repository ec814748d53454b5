"""The project's settings with the example application installed."""
from __future__ import annotations

from chatproject.settings import *  # noqa: F403  # all of them
from chatproject.settings import INSTALLED_APPS as OF_THE_PROJECT

INSTALLED_APPS = [*OF_THE_PROJECT, "tests.reports"]
ROOT_URLCONF = "tests.reports.project_urls"
