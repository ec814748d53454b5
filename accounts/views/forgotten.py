"""A password was forgotten: a link goes to the address of whoever has one, and with it a new one is chosen."""
from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts.exceptions import Malformed, TooMany
from accounts.forms import NewPasswordForm
from accounts.guessing import count_mail
from accounts.mail_addresses import checked_address
from accounts.password_resets import person_of_link, reset_password
from accounts.tasks import send_reset_links


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def forgotten(request: HttpRequest) -> HttpResponse:
    """Asks for an address, and answers every one alike; where no mail goes out, there is no such page."""
    if not settings.SENDS_MAIL:
        raise Http404
    if request.method != "POST":
        return render(request, "accounts/forgotten.html")
    said = request.POST.get("address", "")
    try:
        address = checked_address(said)
        count_mail(request, address=address, now=timezone.now())
    except Malformed as error:
        return render(request, "accounts/forgotten.html", {"said": said, "fault": error.detail}, status=422)
    except TooMany as error:
        response = render(request, "accounts/forgotten.html", {"said": said, "fault": error.detail}, status=429)
        response["Retry-After"] = str(error.extra["retry_after"])
        return response
    # Whether anybody has this address is found out in the background alone.
    send_reset_links.enqueue(address, origin_of(request), get_language() or settings.LANGUAGE_CODE)
    return render(request, "accounts/forgotten.html", {"sent_to": address})


@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def reset(request: HttpRequest, token: str) -> HttpResponse:
    """Asks for the new password; a POST sets it, which ends every sign-in and uses the link up."""
    person: Any = person_of_link(token)
    if person is None:
        return _void(request)
    form = NewPasswordForm(person, data=request.POST if request.method == "POST" else None)
    if request.method != "POST" or not form.is_valid():
        status = 422 if form.is_bound else 200
        return render(request, "accounts/new_password.html", {"form": form, "person": person}, status=status)
    if reset_password(token, password=form.cleaned_data["new_password1"]) is None:
        return _void(request)
    logout(request)
    messages.success(request, _("Your password is changed. Sign in with it."), extra_tags="door")
    return redirect("sign_in")


def origin_of(request: HttpRequest) -> str:
    """Where this installation is reached, `https://tables.example.org`."""
    return f"{request.scheme}://{request.get_host()}"


def _void(request: HttpRequest) -> HttpResponse:
    return render(request, "accounts/link_expired.html", {"of": "reset", "sends_mail": settings.SENDS_MAIL}, status=410)
