"""Background tasks of the whole project. Their paths are stored with enqueued tasks."""
from __future__ import annotations

import logging
from uuid import UUID

from django.utils import timezone
from django_tasks import task

from accounts.sign_in.second_step import reencrypt_secrets
from chatproject.retention import delete_expired

log = logging.getLogger(__name__)


@task()
def send_fill_mail(fill_id: str) -> bool:
    """Mail the user of a fill that it has ended; return whether a mail was sent."""
    # Projects without fills also load this module.
    from chatproject.fill_mails import mail_fill_ended

    return mail_fill_ended(fill_id=UUID(fill_id))


@task()
def tidy_up() -> dict[str, int]:
    """Delete everything that has expired, and return the numbers of deleted objects.

    After a change of SECRET_KEY, secrets of second steps are encrypted with the new one.
    """
    reencrypted = reencrypt_secrets()
    if reencrypted:
        log.info("encrypted %s second steps with the new SECRET_KEY", reencrypted)
    return delete_expired(now=timezone.now())
