"""App config of the project."""
from __future__ import annotations

from typing import Any

from django.apps import AppConfig, apps
from django.conf import settings


class ProjectConfig(AppConfig):
    """App config of what belongs to the whole installation."""

    name = "chatproject"

    def ready(self) -> None:
        """Connect apps that do not know each other, and sockets with the messages of workers."""
        from chatproject.stored_messages import connect_server

        connect_server()
        if apps.is_installed("fills"):
            from fills.services import register_mailer
            from fills.signals import fill_ended

            register_mailer(reaches=_is_reached_by_mail)
            fill_ended.connect(_enqueue_mail, dispatch_uid="chatproject.fill_mails")


def _is_reached_by_mail(user: Any) -> bool:
    from accounts.mail.addresses import confirmed_address_of  # needs the models

    return settings.SENDS_MAIL and bool(confirmed_address_of(user))


def _enqueue_mail(*, fill_id: Any, notify: bool, **_: Any) -> None:
    from chatproject.tasks import send_fill_mail  # needs the models

    if notify and settings.SENDS_MAIL:
        send_fill_mail.enqueue(str(fill_id))
