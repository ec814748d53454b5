"""Where a request comes from, as far as that can be believed."""
from __future__ import annotations

from ipaddress import IPv6Address, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest

# A provider gives each customer at least this many IPv6 addresses: they count as one.
IPV6_PREFIX = 64


def address_of(request: HttpRequest) -> str:
    """Return the address that a request is counted by; of an IPv6 address the network, such as `2001:db8::/64`."""
    return _counted(client_ip(request))


def client_ip(request: HttpRequest) -> str:
    """Return the address of the client, or the one that a trusted proxy names; "" for none.

    Clients can write anything into `X-Forwarded-For`; each proxy appends the address of its own client.
    """
    address: str = request.META.get("REMOTE_ADDR", "")
    named = request.headers.get("X-Forwarded-For", "").split(",")
    while named and _is_trusted(address):
        last = named.pop().strip()
        if not _is_address(last):
            break
        address = last
    return address.partition("%")[0] if _is_address(address) else ""


def _counted(address: str) -> str:
    parsed = ip_address(address) if _is_address(address) else None
    if not isinstance(parsed, IPv6Address):
        return address
    return str(parsed.ipv4_mapped or ip_network((int(parsed), IPV6_PREFIX), strict=False))


def _is_trusted(address: str) -> bool:
    return _is_address(address) and any(ip_address(address) in network for network in settings.TRUSTED_PROXIES)


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
