"""Mail goes out in the background: nobody waits for a mail server, or learns from the time it takes who is there."""
from __future__ import annotations

from django.contrib.auth.models import User
from django_tasks import task

from accounts.mails import mail_address_changed, mail_address_link, mail_invitation, mail_reset_links


@task()
def send_reset_links(address: str, origin: str, language: str) -> int:
    """Looks the address up only here, where nobody can measure it; how many mails went out."""
    return mail_reset_links(address=address, origin=origin, language=language)


@task()
def send_address_link(user_id: int, origin: str, language: str) -> bool:
    """Whether there was an address to be confirmed."""
    person = User.objects.filter(pk=user_id, is_active=True).first()
    return person is not None and mail_address_link(person=person, origin=origin, language=language)


@task()
def tell_address_changed(user_id: int, before: str, language: str) -> bool:
    """Whether there was somebody to be told."""
    person = User.objects.filter(pk=user_id).first()
    if person is not None:
        mail_address_changed(person=person, before=before, language=language)
    return person is not None


@task()
def send_invitation(invitation_id: int, site_url: str, language: str) -> bool:
    """Mail an invitation to a table; return whether it is still open. Its token is made here, and stored nowhere."""
    return mail_invitation(invitation_id=invitation_id, origin=site_url, language=language)
