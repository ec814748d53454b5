"""Where a request comes from, as far as that can be believed."""
from __future__ import annotations

from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest


def address_of(request: HttpRequest) -> str:
    """The address of whoever asks: who is connected, or behind a trusted proxy who that one says is.

    What anybody else writes into `X-Forwarded-For` could be anything; each proxy adds to its end whom it serves.
    """
    address: str = request.META.get("REMOTE_ADDR", "")
    said = request.headers.get("X-Forwarded-For", "").split(",")
    while said and _is_trusted(address):
        named = said.pop().strip()
        if not _is_address(named):
            break
        address = named
    return address


def _is_trusted(address: str) -> bool:
    return _is_address(address) and any(ip_address(address) in network for network in settings.TRUSTED_PROXIES)


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
