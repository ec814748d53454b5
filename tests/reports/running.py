"""The project with the application installed, as a process of its own, and a report to look at."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from tests.browser.app_process import RunningApp, started_app
from tests.scripted_model import ScriptedModel
from tests.shared_files import prepare_data_dir

PAPERS = """
from django.contrib.auth.models import User
from tests.reports.models import Report
for name in ("ada", "eve"):
    report = Report.objects.create(owner=User.objects.get(username=name), title=f"Sleep, collected by {name}")
    report.papers.create(title="Sleep and memory", authors="Stickgold, R.", year=2005)
    report.papers.create(title="Why naps help", authors="Mednick, S.", year=2013)
    report.papers.create(title="Dreams of rats", authors="Wilson, M.", year=1994)
"""

# To a person named tuner.
LET_TUNE = (
    "from django.contrib.auth.models import Permission, User; u = User.objects.get(username='tuner'); "
    "u.is_staff = True; u.save(); u.user_permissions.add(Permission.objects.get(codename='tune_assistant'))"
)


@contextmanager
def reports_app(
    scripted: ScriptedModel, *, settings: str = "tests.reports.settings", apps: Sequence[str] = ("tests.reports",)
) -> Iterator[RunningApp]:
    """Ada has report 1 with papers 1 to 3, Eve report 2 with papers 4 to 6. The model is the scripted one.

    `apps` are those that these settings add to the project's. Needs the fixture `migrated_database`.
    """
    with (
        scripted.serve() as url,
        started_app(
            partial(prepare_data_dir, apps=apps),
            DJANGO_SETTINGS_MODULE=settings,
            ANTHROPIC_API_KEY="a-key-for-tests",
            ANTHROPIC_BASE_URL=url,
            CHAT_TURNS_A_MINUTE="1000",
        ) as running,
    ):
        for name in ("ada", "eve"):
            running.link_for_new_user(name)
        running.manage("shell", "--no-imports", "-c", PAPERS)
        yield running
