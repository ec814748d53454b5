"""The page that a link in a mail opens: it makes an address count, once that is said."""
from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts import mail_addresses
from accounts.tasks import tell_address_changed


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def confirm_address(request: HttpRequest, token: str) -> HttpResponse:
    """Says which address it is; a POST makes it count. A mail program that looks at the link confirms nothing."""
    if request.method != "POST":
        address = mail_addresses.address_of_link(token)
        if not address:
            return _void(request)
        return render(request, "accounts/confirm_address.html", {"address": address})
    confirmed = mail_addresses.confirm_address(token)
    if confirmed is None:
        return _void(request)
    person, before = confirmed
    if before and before.lower() != person.email.lower() and settings.SENDS_MAIL:
        tell_address_changed.enqueue(person.pk, before, get_language() or settings.LANGUAGE_CODE)
    messages.success(request, _("%(address)s is your address now.") % {"address": person.email}, extra_tags="door")
    return redirect("profile")


def _void(request: HttpRequest) -> HttpResponse:
    return render(request, "accounts/link_expired.html", {"of": "address"}, status=410)
