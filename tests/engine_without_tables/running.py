"""The project as a process of its own, with three invoices."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tests.browser.app_process import RunningApp, started_app
from tests.scripted_model import ScriptedModel
from tests.shared_files import prepare_static_files

INVOICES = """
from django.contrib.auth.models import User
from tests.engine_without_tables.invoices.models import Invoice
for customer in ("Adler", "Brandt", "Conrad"):
    Invoice.objects.create(owner=User.objects.get(), customer=customer)
"""


@contextmanager
def invoices_app(scripted: ScriptedModel) -> Iterator[RunningApp]:
    """The administrator has invoices 1 to 3. The model is the scripted one."""
    with (
        scripted.serve() as url,
        started_app(
            prepare_static_files,
            DJANGO_SETTINGS_MODULE="tests.engine_without_tables.settings",
            ANTHROPIC_API_KEY="a-key-for-tests",
            ANTHROPIC_BASE_URL=url,
        ) as running,
    ):
        running.manage("shell", "--no-imports", "-c", INVOICES)
        yield running
