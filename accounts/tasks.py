"""Background tasks that send mail, so that response times do not depend on the mail server or on existing addresses."""
from __future__ import annotations

from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django_tasks import task

from accounts.mail.messages import mail_address_link, mail_notice, mail_reset_link


@task()
def send_reset_link(address: str, origin: str, language: str) -> bool:
    """Look up the address and mail a link; return whether a mail was sent.

    The lookup is here because its time would reveal in a request whether the address is known.
    """
    return mail_reset_link(address=address, origin=origin, language=language)


@task()
def send_link_to_address(address_id: int, origin: str, language: str) -> bool:
    """Mail the confirmation link; return whether there was an address to confirm.

    A task of earlier versions, `send_address_link`, had the number of a user instead.
    """
    unconfirmed = EmailAddress.objects.filter(pk=address_id, verified=False, user__is_active=True).first()
    if unconfirmed is not None:
        mail_address_link(unconfirmed=unconfirmed, origin=origin, language=language)
    return unconfirmed is not None


@task()
def send_notice(notice: str, user_id: int, address: str, language: str) -> bool:
    """Mail a notice about the account; return whether its user exists."""
    user = User.objects.filter(pk=user_id).first()
    if user is not None:
        mail_notice(notice=notice, user=user, address=address, language=language)
    return user is not None


@task()
def send_invitation(invitation_id: int, site_url: str, language: str) -> bool:
    """Mail an invitation to a table; return whether it is still open. Creates its token, of which a hash is stored."""
    # Projects without tables also load this module.
    from accounts.mail.invitations import mail_invitation

    return mail_invitation(invitation_id=invitation_id, origin=site_url, language=language)
