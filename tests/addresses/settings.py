"""The settings of the project with the application of reports, and with this one installed too."""
from __future__ import annotations

from tests.reports.settings import *  # noqa: F403  # settings modules extend each other this way
from tests.reports.settings import INSTALLED_APPS as OTHER_APPS

INSTALLED_APPS = [*OTHER_APPS, "tests.addresses"]
